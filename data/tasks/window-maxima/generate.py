"""Writes the cases of window-maxima; the oracle doubles the width of known windows."""

import json
import random

GROUPS = {
    "sample": [(2, [1, 3, 2, 5]), (3, [4, 4, 4])],
    "hidden": [(1, [-7]), (1, [9, 8, 7]), (4, [-4, -3, -2, -1])],
}


def answer(k: int, numbers: list[int]) -> str:
    width, maxima = 1, numbers
    while width < k:
        step = min(width, k - width)
        maxima = [max(pair) for pair in zip(maxima, maxima[step:], strict=False)]
        width += step
    return " ".join(map(str, maxima)) + "\n"


def main() -> None:
    draw = random.Random("window-maxima")
    for size in (3_500, 3_800, 4_000, 4_200, 4_500, 4_800):
        numbers = [draw.randint(-9_999, 9_999) for _ in range(size)]
        GROUPS["hidden"].append((draw.randint(400, 700), numbers))
    GROUPS["hidden"].append((500, list(range(5_000, 0, -1))))
    for group, questions in GROUPS.items():
        for number, (k, numbers) in enumerate(questions, 1):
            text = f"{len(numbers)} {k}\n{' '.join(map(str, numbers))}\n"
            case = {"id": f"{group}-{number}", "group": group, "input": text}
            print(json.dumps(case | {"expected": answer(k, numbers)}))


if __name__ == "__main__":
    main()
