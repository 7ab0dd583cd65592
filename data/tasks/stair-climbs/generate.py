"""Writes the cases of stair-climbs; the oracle counts arrangements by binomials."""

import json
from math import comb

GROUPS = {"sample": [3, 4], "hidden": [0, 1, 2, 16, 17, 18, 19, 20, 21, 22]}


def answer(steps: int) -> int:
    ways = 0
    for threes in range(steps // 3 + 1):
        for twos in range((steps - 3 * threes) // 2 + 1):
            moves = steps - 2 * threes - twos
            ways += comb(moves, threes) * comb(moves - threes, twos)
    return ways


def main() -> None:
    for group, sizes in GROUPS.items():
        for number, steps in enumerate(sizes, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [steps], "returns": answer(steps)}))


if __name__ == "__main__":
    main()
