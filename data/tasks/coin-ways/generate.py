"""Writes the cases of coin-ways; the oracle multiplies the coins' power series."""

import json

GROUPS = {
    "sample": [(5, [1, 2]), (3, [2])],
    "hidden": [
        (0, [7]),
        (9, [10]),
        (100, [1, 2, 5, 10]),
        (110, [2, 3, 5, 11, 13]),
        (120, [3, 2, 7, 5, 25]),
        (130, [2, 5, 10, 3, 20, 50]),
        (140, [3, 4, 5, 10, 20]),
        (150, [5, 3, 10, 4, 25, 50]),
        (170, [10, 3, 5, 7, 50]),
        (200, [7, 11, 13, 17, 5]),
    ],
}


def answer(amount: int, coins: list[int]) -> int:
    series = {0: 1}
    for coin in coins:
        product: dict[int, int] = {}
        for paid, ways in series.items():
            for total in range(paid, amount + 1, coin):
                product[total] = product.get(total, 0) + ways
        series = product
    return series.get(amount, 0)


def main() -> None:
    for group, questions in GROUPS.items():
        for number, (amount, coins) in enumerate(questions, 1):
            text = f"{amount}\n{' '.join(map(str, coins))}\n"
            case = {"id": f"{group}-{number}", "group": group, "input": text}
            print(json.dumps(case | {"expected": f"{answer(amount, coins)}\n"}))


if __name__ == "__main__":
    main()
