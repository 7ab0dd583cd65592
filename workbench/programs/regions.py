"""Regions that evolution may change, where a program marks them; all else is kept as it is.

Source: the EVOLVE-BLOCK markers of AlphaEvolve (Novikov et al. 2025, section 2.1).
"""

from itertools import zip_longest

_START = "# EVOLVE-BLOCK-START"
_END = "# EVOLVE-BLOCK-END"


def broken_protection(parent: str, child: str) -> str:
    """What a child changed outside its parent's marked regions, in words; empty if nothing.

    A parent without markers protects nothing. Trailing white space is not compared.
    """
    kept = _protected(parent)
    if _GAP not in kept:
        return ""
    for before, after in zip_longest(kept, _protected(child)):
        if before != after:
            return (
                f"only lines between {_START!r} and {_END!r} may change, and these markers must "
                f"stay: {_words(before)} became {_words(after)}"
            )
    return ""


# Stands for whatever is between the markers; no line can equal it.
_GAP = "\n"


def _protected(source: str) -> list[str]:
    """The lines outside the regions, markers included, with one gap for each region."""
    kept: list[str] = []
    inside = False
    for line in source.strip().split("\n"):
        mark = line.strip()
        if mark == _START and not inside:
            kept += [line.rstrip(), _GAP]
            inside = True
        elif not inside or mark == _END:
            kept.append(line.rstrip())
            inside = False
    return kept


def _words(line: str | None) -> str:
    if line is None:
        return "the end of the program"
    return "a marked region" if line == _GAP else repr(line[:100])
