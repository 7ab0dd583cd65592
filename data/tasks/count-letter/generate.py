"""Writes the cases of count-letter; the oracle measures what removing the letter takes away."""

import json
import random

LETTERS = "etaoinshrdluE TAO,.   "


def answer(text: str, letter: str) -> int:
    return len(text) - len(text.replace(letter, ""))


def main() -> None:
    draw = random.Random("count-letter")
    groups = {
        "sample": [("banana", "a"), ("Tip toes to Trent", "t")],
        "hidden": [("", "x"), ("Eleven Elms", "e")],
    }
    for length in (110_000, 120_000, 130_000, 135_000, 140_000, 145_000, 150_000):
        text = "".join(draw.choices(LETTERS, k=length))
        groups["hidden"].append((text, draw.choice("etaoinE")))
    for group, questions in groups.items():
        for number, (text, letter) in enumerate(questions, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [text, letter], "returns": answer(text, letter)}))


if __name__ == "__main__":
    main()
