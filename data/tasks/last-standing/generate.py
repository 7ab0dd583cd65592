"""Writes the cases of last-standing; the oracle strikes numbers out of a list by position."""

import json
import random

GROUPS = {"sample": [(5, 2), (6, 3)], "hidden": [(1, 7), (2, 1), (3, 20)]}


def answer(n: int, k: int) -> int:
    circle = list(range(1, n + 1))
    position = 0
    while len(circle) > 1:
        position = (position + k - 1) % len(circle)
        del circle[position]
    return circle[0]


def main() -> None:
    draw = random.Random("last-standing")
    for size in (4_000, 4_500, 5_000, 5_500, 6_000, 7_000, 8_000):
        GROUPS["hidden"].append((size, draw.randint(4, 12)))
    for group, questions in GROUPS.items():
        for number, (n, k) in enumerate(questions, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"input": f"{n} {k}\n", "expected": f"{answer(n, k)}\n"}))


if __name__ == "__main__":
    main()
