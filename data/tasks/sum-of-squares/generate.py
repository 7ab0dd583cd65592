"""Writes the cases of sum-of-squares; the oracle adds square by square."""

import json
import random

GROUPS = {"sample": [3, 10], "hidden": [0, 1, 400_000]}


def answer(n: int) -> int:
    total = 0
    while n > 0:
        total, n = total + n**2, n - 1
    return total


def main() -> None:
    draw = random.Random("sum-of-squares")
    GROUPS["hidden"] += [draw.randrange(250_000, 400_000) for _ in range(7)]
    for group, sizes in GROUPS.items():
        for number, n in enumerate(sizes, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [n], "returns": answer(n)}))


if __name__ == "__main__":
    main()
