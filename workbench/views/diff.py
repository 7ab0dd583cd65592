"""What changed between two programs, for reading."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from workbench.programs import Program
from workbench.views.html import Html, block_of, element, escape, fitted, join, shorten, visible

# Programs of honest size are far below; the matcher's cost grows faster than the length.
_MOST_LINES = 2_000
_LINE_CHARACTERS = 500
_CONTEXT = 3
_MOST_PLAIN = 4_000


class Change(Enum):
    """What became of a line; the value is the mark it is shown with."""

    KEPT = " "
    ADDED = "+"
    REMOVED = "-"
    SKIPPED = "…"


_CHANGED = (Change.ADDED, Change.REMOVED)


@dataclass(frozen=True, kw_only=True)
class DiffLine:
    """One line of a diff.

    Attributes:
        change: what became of it.
        text: the line without its end; for skipped lines how many there are.
    """

    change: Change
    text: str


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """Every line of both texts, in order, with runs of far-off unchanged lines skipped.

    What both texts begin and end with is set aside first; of what lies between, the first 2,000
    lines of each text are compared, and the others are counted.
    """
    old, new = _lines(before), _lines(after)
    if old == new:
        return list(_unchanged(old, at_start=True, at_end=True))
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    lines = list(_unchanged(old[:head], at_start=True, at_end=False))
    lines += _compared(old[head : len(old) - tail], new[head : len(new) - tail])
    lines += _unchanged(old[len(old) - tail :], at_start=False, at_end=True)
    return lines


def _shared(one: list[str], other: list[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    differing = (number for number, (left, right) in pairs if left != right)
    return next(differing, min(len(one), len(other)))


def _compared(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    """What differs, both ends first to last, as far as the matcher is let look."""
    one, other = old[:_MOST_LINES], new[:_MOST_LINES]
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(a=one, b=other).get_opcodes():
        if tag == "equal":
            yield from _unchanged(one[old_from:old_to], at_start=False, at_end=False)
            continue
        yield from (DiffLine(change=Change.REMOVED, text=line) for line in one[old_from:old_to])
        yield from (DiffLine(change=Change.ADDED, text=line) for line in other[new_from:new_to])
    for count, side in ((len(old) - len(one), "first"), (len(new) - len(other), "second")):
        if count:
            text = f"{count:,} lines of the {side} are not compared"
            yield DiffLine(change=Change.SKIPPED, text=text)


def _lines(source: str) -> list[str]:
    """Lines as the interpreter counts them; other separators are shown, not obeyed."""
    return source.removesuffix("\n").split("\n")


def _unchanged(lines: list[str], *, at_start: bool, at_end: bool) -> Iterator[DiffLine]:
    """Unchanged lines, those further than three lines from any change left out."""
    head = 0 if at_start else _CONTEXT
    tail = 0 if at_end else _CONTEXT
    skipped = len(lines) - head - tail
    if skipped <= 1:
        yield from (DiffLine(change=Change.KEPT, text=line) for line in lines)
        return
    yield from (DiffLine(change=Change.KEPT, text=line) for line in lines[:head])
    yield DiffLine(change=Change.SKIPPED, text=f"{skipped} unchanged lines")
    yield from (DiffLine(change=Change.KEPT, text=line) for line in lines[head + skipped :])


def diff_html(before: str, after: str, *, limit: int) -> Html:
    """The diff with `+` and `-` in front of the lines, and colour besides.

    Args:
        before: source of the first program.
        after: source of the second program.
        limit: characters shown at most; the first line that differs is shown in any case.
    """
    lines = diff_lines(before, after)
    changed = [number for number, line in enumerate(lines) if line.change in _CHANGED]
    if not changed:
        return element("div", _equal(before, after))
    parts: list[Html] = []
    used = 0
    for number, line in enumerate(lines):
        text = shorten(line.text, min(limit, _LINE_CHARACTERS))
        used += len(text) + 2
        if used > limit and number > changed[0]:
            parts.append(element("span", f"… {len(lines) - number:,} more lines"))
            break
        parts.append(_line_html(line.change, text))
    return block_of(join(parts))


def _equal(before: str, after: str) -> str:
    if before == after:
        return "no line differs"
    return "no line differs, only the line feed at the end"


def diff_text(before: str, after: str, *, names: tuple[str, str]) -> str:
    """The diff for terminals, which no character in it can order about.

    Args:
        before: source of the first program.
        after: source of the second program.
        names: what the two are called.

    Returns:
        Lines with their marks in front; empty if no line differs.
    """
    lines = diff_lines(before, after)
    if not any(line.change in _CHANGED for line in lines):
        return ""
    shown = [f"--- {names[0]}", f"+++ {names[1]}"]
    shown += [f"{_mark(line.change)}{shorten(line.text, _LINE_CHARACTERS)}" for line in lines]
    return visible("\n".join(shown))


def _mark(change: Change) -> str:
    return f"{change.value} " if change is Change.SKIPPED else change.value


def diff(before: Program, after: Program) -> Html:
    """What turns one program into another, as an object that a notebook shows."""
    shown = fitted(lambda limit: diff_html(before.source, after.source, limit=limit))
    plain = diff_text(before.source, after.source, names=(before.id, after.id))
    return Html(
        shown.markup, plain=shorten(plain or _equal(before.source, after.source), _MOST_PLAIN)
    )


def _line_html(change: Change, shown: str) -> Html:
    text = f"{change.value} {shown}\n"
    match change:
        case Change.ADDED:
            return element("ins", text, style="text-decoration:none;background:rgba(0,114,178,.22)")
        case Change.REMOVED:
            return element("del", text, style="text-decoration:none;background:rgba(230,159,0,.25)")
        case Change.SKIPPED:
            return element("span", text, style="color:#797979")
    return Html(escape(text))
