"""Writes the cases of join-words; the oracle fills a buffer."""

import io
import json
import random

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def answer(words: list[str]) -> str:
    buffer = io.StringIO()
    for position, word in enumerate(words):
        buffer.write(f",{word}" if position else word)
    return buffer.getvalue()


def main() -> None:
    draw = random.Random("join-words")
    groups = {"sample": [["red", "green"], ["one"]], "hidden": [[], ["a", "b", "c"]]}
    for size in (5_500, 6_000, 6_500, 7_000, 7_500, 8_000):
        words = ["".join(draw.choices(LETTERS, k=draw.randint(1, 8))) for _ in range(size)]
        groups["hidden"].append(words)
    for group, questions in groups.items():
        for number, words in enumerate(questions, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"arguments": [words], "returns": answer(words)}))


if __name__ == "__main__":
    main()
