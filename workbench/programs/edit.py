"""Edits: how a reply turns one program into another. Reading the reply is `reply`'s business."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

# Occurrences beyond this many are not told apart; nor are lines compared beyond this length.
_MOST_COUNTED = 20
_LINE_SHOWN = 100
_LINES_COMPARED = 2_000


class EditKind(Enum):
    """How a child was described by the reply."""

    GIVEN = "given"
    REWRITE = "rewrite"
    SEARCH_REPLACE = "search_replace"
    NONE = "none"


class EditError(ValueError):
    """An edit that does not fit its program; the message tells a model how to mend it.

    What a reply did wrong is data: `parse_reply` turns this into a failure in words.
    """


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """Whole lines to be found once, and the lines that take their place.

    Attributes:
        search: the lines to find, without their line ends.
        replace: the lines to put there; none to delete what was found.
    """

    search: Sequence[str]
    replace: Sequence[str]


def apply_replacement(source: str, edit: Replacement) -> str:
    """The source with the lines found replaced.

    Lines are compared exactly. Only if that finds nothing are indentation and trailing white
    space forgiven: the lines must then agree up to one common shift, by which the replacement
    is shifted as well.

    Args:
        source: text with line feeds as line ends.
        edit: what to look for and what to put there.

    Raises:
        EditError: the search text is blank, is not found, or is found more than once.
    """
    if not any(map(str.strip, edit.search)):
        raise EditError("SEARCH is empty; copy into it the lines that are to be replaced")
    lines = source.split("\n")
    wanted, replacement = list(edit.search), list(edit.replace)
    exact = _occurrences(lines, wanted)
    found = exact or _shifted_occurrences(lines, wanted)
    if not found:
        raise EditError(_not_found(lines, wanted))
    if len(found) > 1:
        raise EditError(_ambiguous(found, "" if exact else " (indentation forgiven)"))
    at = found[0]
    if not exact:
        old, new = _margin(wanted), _margin(lines[at : at + len(wanted)])
        replacement = _shift(replacement, old, new)
    return "\n".join([*lines[:at], *replacement, *lines[at + len(wanted) :]])


def found_in(source: str, search: Sequence[str]) -> bool:
    """Whether the lines stand in the source one after another, exactly or but for a shift."""
    lines, wanted = source.split("\n"), list(search)
    return any(map(str.strip, wanted)) and bool(
        _occurrences(lines, wanted) or _shifted_occurrences(lines, wanted)
    )


def _ambiguous(found: list[int], how: str) -> str:
    count = f"{len(found)} times" if len(found) < _MOST_COUNTED else "many times"
    first = ", ".join(str(line + 1) for line in found[:3])
    return (
        f"SEARCH is ambiguous: it is found {count}{how}, at lines {first}"
        f"{', ...' if len(found) > 3 else ''}; add neighbouring lines until it is unique"
    )


def _occurrences(lines: list[str], wanted: list[str]) -> list[int]:
    """Indices of the lines at which `wanted` stands, overlapping ones included, a few at most."""
    text = "\n" + "\n".join(lines) + "\n"
    pattern = "\n" + "\n".join(wanted) + "\n"
    found: list[int] = []
    line, seen = 0, 0
    position = text.find(pattern)
    while position >= 0 and len(found) < _MOST_COUNTED:
        line += text.count("\n", seen, position)
        seen = position
        found.append(line)
        position = text.find(pattern, position + 1)
    return found


def _shifted_occurrences(lines: list[str], wanted: list[str]) -> list[int]:
    """As `_occurrences`, with one common shift of indentation and trailing space forgiven."""
    bare = [line.strip() for line in lines]
    candidates = _occurrences(bare, [line.strip() for line in wanted])
    pattern = _without_margin(wanted)
    return [at for at in candidates if _without_margin(lines[at : at + len(wanted)]) == pattern]


def _margin(lines: list[str]) -> str:
    """The shortest indentation among the lines that are not blank."""
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    return min(indents, key=len, default="")


def _without_margin(lines: list[str]) -> list[str]:
    width = len(_margin(lines))
    return [line[width:].rstrip() for line in lines]


def _shift(lines: list[str], old: str, new: str) -> list[str]:
    """The lines moved from one margin to another; lines left of the old one move as far left."""
    shifted = []
    for line in lines:
        body = line.lstrip()
        indent = line[: len(line) - len(body)]
        if not body:
            shifted.append("")
        elif indent.startswith(old):
            shifted.append(new + indent[len(old) :] + body)
        else:
            shifted.append(new[: max(0, len(new) - len(old) + len(indent))] + body)
    return shifted


def _not_found(lines: list[str], wanted: list[str]) -> str:
    """Which line of the search text is at fault, and the program's line that is most like it."""
    known = {line.strip() for line in lines}
    missing = next((line.strip() for line in wanted if line.strip() not in known), None)
    if missing is None:
        return (
            "SEARCH is not found: its lines are in the program, but not one after another with "
            "this indentation; copy a run of whole lines without leaving any out"
        )
    matcher = SequenceMatcher(b=missing[:_LINE_SHOWN], autojunk=False)
    best, best_ratio = 0, -1.0
    for number, line in enumerate(lines[:_LINES_COMPARED]):
        matcher.set_seq1(line.strip()[:_LINE_SHOWN])
        if matcher.quick_ratio() > best_ratio and matcher.ratio() > best_ratio:
            best, best_ratio = number, matcher.ratio()
    return (
        f"SEARCH is not found: the program has no line {missing[:_LINE_SHOWN]!r}; the closest is "
        f"line {best + 1}, {lines[best].strip()[:_LINE_SHOWN]!r}; copy whole lines exactly"
    )
