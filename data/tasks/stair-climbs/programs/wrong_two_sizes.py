def stair_climbs(steps):
    second, first = 0, 1
    for _ in range(steps):
        second, first = first, first + second
    return first
