"""Writes the cases of count-primes; the oracle divides by the primes found so far."""

import json
import random

GROUPS = {"sample": [10, 30], "hidden": [1, 2, 4, 5000]}


def answer(n: int) -> int:
    primes = []
    for number in range(2, n + 1):
        if all(number % prime for prime in primes):
            primes.append(number)
    return len(primes)


def main() -> None:
    draw = random.Random("count-primes")
    GROUPS["hidden"] += sorted(draw.randrange(3_000, 5_000) for _ in range(6))
    for group, limits in GROUPS.items():
        for number, n in enumerate(limits, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"input": f"{n}\n", "expected": f"{answer(n)}\n"}))


if __name__ == "__main__":
    main()
