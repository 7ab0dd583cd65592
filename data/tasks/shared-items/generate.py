"""Writes the cases of shared-items; the oracle crosses numbers off a dictionary."""

import json
import random


def answer(first: list[int], second: list[int]) -> list[int]:
    open_items = dict.fromkeys(second, True)
    return [item for item in first if open_items.pop(item, False)]


def main() -> None:
    draw = random.Random("shared-items")
    groups = {
        "sample": [([3, 1, 3, 2], [2, 3, 5]), ([7, 8], [9])],
        "hidden": [([], [1]), ([5, 5, 5], [5]), ([-1, 0, 1], [1, 0, -1])],
    }
    for size in (1_200, 1_400, 1_600, 1_800, 2_000, 2_200, 2_500):
        first = [draw.randrange(-20_000, 20_000) for _ in range(size)]
        second = [draw.randrange(-20_000, 20_000) for _ in range(size)]
        groups["hidden"].append((first, second + first[: size // 10]))
    for group, questions in groups.items():
        for number, (first, second) in enumerate(questions, 1):
            case = {"id": f"{group}-{number}", "group": group}
            arguments, returns = [first, second], answer(first, second)
            print(json.dumps(case | {"arguments": arguments, "returns": returns}))


if __name__ == "__main__":
    main()
