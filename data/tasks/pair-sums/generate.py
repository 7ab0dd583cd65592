"""Writes the cases of pair-sums; the oracle lists the sums of all combinations."""

import json
import random
from itertools import combinations

GROUPS = {
    "sample": [(5, [1, 4, 2, 3, 4]), (6, [3, 3, 3])],
    "hidden": [(4, [2]), (0, [0, 0, -1, 1]), (7, [1, 2, 3])],
}


def answer(total: int, numbers: list[int]) -> int:
    return [left + right for left, right in combinations(numbers, 2)].count(total)


def main() -> None:
    draw = random.Random("pair-sums")
    for size in (500, 600, 700, 800, 900, 950, 1000):
        numbers = [draw.randint(-300, 300) for _ in range(size)]
        GROUPS["hidden"].append((draw.randint(-200, 200), numbers))
    for group, questions in GROUPS.items():
        for number, (total, numbers) in enumerate(questions, 1):
            text = f"{len(numbers)} {total}\n{' '.join(map(str, numbers))}\n"
            case = {"id": f"{group}-{number}", "group": group, "input": text}
            print(json.dumps(case | {"expected": f"{answer(total, numbers)}\n"}))


if __name__ == "__main__":
    main()
