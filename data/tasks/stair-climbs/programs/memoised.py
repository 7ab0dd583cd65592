from functools import lru_cache


@lru_cache(maxsize=None)
def stair_climbs(steps):
    if steps < 0:
        return 0
    if steps == 0:
        return 1
    return stair_climbs(steps - 1) + stair_climbs(steps - 2) + stair_climbs(steps - 3)
