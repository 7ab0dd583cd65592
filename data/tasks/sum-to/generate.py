"""Writes the cases of sum-to; the oracle adds number by number."""

import json
import random

GROUPS = {"sample": [4, 10], "hidden": [0, 1, 1_000_000]}


def answer(n: int) -> int:
    total = 0
    while n > 0:
        total, n = total + n, n - 1
    return total


def main() -> None:
    draw = random.Random("sum-to")
    GROUPS["hidden"] += [draw.randrange(300_000, 1_000_000) for _ in range(7)]
    for group, sizes in GROUPS.items():
        for number, n in enumerate(sizes, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [n], "returns": answer(n)}))


if __name__ == "__main__":
    main()
