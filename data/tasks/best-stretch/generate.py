"""Writes the cases of best-stretch; the oracle divides the list in halves."""

import json
import random
from itertools import accumulate

GROUPS = {
    "sample": [[3, -5, 4, -1, 2], [-4, -2, -7]],
    "hidden": [[-6], [0, 0], [5, -5, 5, -5, 5]],
}


def answer(numbers: list[int]) -> int:
    if len(numbers) == 1:
        return numbers[0]
    middle = len(numbers) // 2
    left, right = numbers[:middle], numbers[middle:]
    across = max(accumulate(reversed(left))) + max(accumulate(right))
    return max(answer(left), answer(right), across)


def main() -> None:
    draw = random.Random("best-stretch")
    for size in (600, 700, 750, 800, 850, 900):
        GROUPS["hidden"].append([draw.randint(-100, 100) for _ in range(size)])
    GROUPS["hidden"].append([draw.randint(-100, -1) for _ in range(1000)])
    for group, questions in GROUPS.items():
        for number, numbers in enumerate(questions, 1):
            text = f"{len(numbers)}\n{' '.join(map(str, numbers))}\n"
            case = {"id": f"{group}-{number}", "group": group, "input": text}
            print(json.dumps(case | {"expected": f"{answer(numbers)}\n"}))


if __name__ == "__main__":
    main()
