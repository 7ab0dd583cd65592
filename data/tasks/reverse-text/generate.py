"""Writes the cases of reverse-text; the oracle pops characters off a stack."""

import json
import random

LETTERS = "abcdefghijklmnopqrstuvwxyz    "


def answer(text: str) -> str:
    stack = list(text)
    return "".join(stack.pop() for _ in text)


def main() -> None:
    draw = random.Random("reverse-text")
    groups = {"sample": ["stressed", "ab c"], "hidden": ["", "level", "x"]}
    for length in (22_000, 24_000, 25_000, 26_000, 28_000, 29_000, 30_000):
        groups["hidden"].append("".join(draw.choices(LETTERS, k=length)))
    for group, texts in groups.items():
        for number, text in enumerate(texts, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [text], "returns": answer(text)}))


if __name__ == "__main__":
    main()
