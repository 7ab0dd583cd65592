def stair_climbs(steps):
    third, second, first = 0, 0, 1
    for _ in range(steps):
        third, second, first = second, first, first + second + third
    return first
