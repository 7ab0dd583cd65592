"""Regions that evolution may change, where a program marks them; all else is kept as it is.

Source: the EVOLVE-BLOCK markers of AlphaEvolve (Novikov et al. 2025, section 2.1).
"""

import io
import re
import tokenize
from collections.abc import Iterator
from itertools import zip_longest

_START = "# EVOLVE-BLOCK-START"
_END = "# EVOLVE-BLOCK-END"
# What somebody writes who means a marker.
_MEANT = re.compile(r"#+\s*evolve[\s_-]*block[\s_-]*(start|end)\b", re.IGNORECASE)
# Stands for whatever is between the markers; no line can equal it.
_GAP = "\n"


def broken_protection(parent: str, child: str) -> str:
    """What a child changed outside its parent's marked regions, in words; empty if nothing.

    A marker is a comment on a line of its own, outside brackets; in a string it is text, so that
    no child can hide what is protected in one. A comment that is nearly a marker is refused in
    both programs, for it would protect nothing. A parent without markers protects nothing.
    Trailing white space is not compared.
    """
    if "evolve" not in parent.lower() and "evolve" not in child.lower():
        return ""  # without the time that finding the comments takes
    before, after = _lines(parent), _lines(child)
    old, new = _comments(before), _comments(after)
    misspelt = _misspelt(old) or _misspelt(new)
    if misspelt:
        return misspelt
    kept = _protected(before, old)
    if _GAP not in kept:
        return ""
    for was, now in zip_longest(kept, _protected(after, new)):
        if was != now:
            return (
                f"only lines between {_START!r} and {_END!r} may change, and these markers must "
                f"stay, outside strings and brackets: {_words(was)} became {_words(now)}"
            )
    return ""


def _lines(source: str) -> list[str]:
    return source.strip().replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _comments(lines: list[str]) -> dict[int, str]:
    """The comments outside brackets that have a line to themselves, by the line's index.

    Of text that is no Python those that stand before its fault: as long as a child shows all the
    markers of its parent, what it hides after them is no program.
    """
    found = {}
    depth = 0
    for token in _tokens("\n".join(lines)):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        elif token.type == tokenize.COMMENT and depth == 0:
            row = token.start[0] - 1
            if lines[row].strip() == token.string.strip():
                found[row] = token.string.strip()
    return found


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError):
        return  # the text is no Python from here on


def _misspelt(comments: dict[int, str]) -> str:
    for row, comment in comments.items():
        meant = _MEANT.match(comment)
        exact = meant and (_START if meant.group(1).lower() == "start" else _END)
        if exact and comment != exact:
            return f"the marker {comment[:100]!r} in line {row + 1} must be written {exact!r}"
    return ""


def _protected(lines: list[str], comments: dict[int, str]) -> list[str]:
    """The lines outside the regions, markers included, with one gap for each region."""
    kept: list[str] = []
    inside = False
    for row, line in enumerate(lines):
        mark = comments.get(row)
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
