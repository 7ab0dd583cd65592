"""Writes the cases of count-divisors; the oracle marks multiples in a sieve."""

import json
import random

LIMIT = 500_000


def divisor_counts() -> list[int]:
    counts = [0] * (LIMIT + 1)
    for divisor in range(1, LIMIT + 1):
        for multiple in range(divisor, LIMIT + 1, divisor):
            counts[multiple] += 1
    return counts


def main() -> None:
    draw = random.Random("count-divisors")
    counts = divisor_counts()
    groups = {"sample": [12, 7], "hidden": [1, 500_000, 499_849, 498_960, 499_979]}
    groups["hidden"] += [draw.randrange(200_000, LIMIT) for _ in range(4)]
    for group, numbers in groups.items():
        for number, n in enumerate(numbers, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [n], "returns": counts[n]}))


if __name__ == "__main__":
    main()
