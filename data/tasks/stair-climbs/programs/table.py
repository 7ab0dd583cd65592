def stair_climbs(steps):
    ways = [1, 1, 2]
    while len(ways) <= steps:
        ways.append(ways[-1] + ways[-2] + ways[-3])
    return ways[steps]
