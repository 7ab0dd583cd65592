"""Writes the cases of range-sums; the oracle sums from both ends of the list."""

import json
import random


def answer(numbers: list[int], queries: list[tuple[int, int]]) -> str:
    after = [0]
    for number in reversed(numbers):
        after.append(after[-1] + number)
    after.reverse()
    return "".join(f"{after[left - 1] - after[right]}\n" for left, right in queries)


def ask(numbers: list[int], queries: list[tuple[int, int]]) -> str:
    lines = [f"{len(numbers)} {len(queries)}", " ".join(map(str, numbers))]
    lines += [f"{left} {right}" for left, right in queries]
    return "\n".join(lines) + "\n"


def main() -> None:
    draw = random.Random("range-sums")
    groups = {
        "sample": [([5, -2, 7, 1], [(1, 4), (2, 3), (4, 4)])],
        "hidden": [([-9], [(1, 1)]), ([10**9] * 3, [(1, 3), (2, 2)])],
    }
    for size in (2_400, 2_600, 2_800, 3_000, 3_200, 3_600, 4_000):
        numbers = [draw.randint(-99, 99) for _ in range(size)]
        ends = [sorted(draw.choices(range(1, size + 1), k=2)) for _ in range(size)]
        groups["hidden"].append((numbers, [(left, right) for left, right in ends]))
    for group, questions in groups.items():
        for number, question in enumerate(questions, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"input": ask(*question), "expected": answer(*question)}))


if __name__ == "__main__":
    main()
