"""Writes the cases of common-word; the oracle groups the sorted words with their places."""

import json
import random
from itertools import groupby

SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "no", "pi", "ro", "su", "ta", "ve", "zo"]


def answer(text: str) -> str:
    places = sorted((word, place) for place, word in enumerate(text.split()))
    groups = [list(group) for _, group in groupby(places, key=lambda pair: pair[0])]
    best = min(groups, key=lambda group: (-len(group), group[0][1]))
    return f"{best[0][0]} {len(best)}\n"


def compose(draw: random.Random, size: int) -> str:
    vocabulary = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 3))) for _ in range(size // 3)]
    weights = [1 / (rank + 4) for rank in range(len(vocabulary))]
    words = draw.choices(vocabulary, weights, k=size)
    lines = [" ".join(words[start : start + 12]) for start in range(0, size, 12)]
    return "\n".join(lines) + "\n"


def main() -> None:
    draw = random.Random("common-word")
    groups = {
        "sample": ["the cat and the dog\n", "one two\ntwo one\n"],
        "hidden": ["alone\n", "b a b a\n", "z y x\nx y z\n"],
    }
    groups["hidden"] += [compose(draw, size) for size in (1000, 1100, 1200, 1400, 1600, 1800, 2000)]
    for group, texts in groups.items():
        for number, text in enumerate(texts, 1):
            case = {"id": f"{group}-{number}", "group": group}
            print(json.dumps(case | {"input": text, "expected": answer(text)}))


if __name__ == "__main__":
    main()
