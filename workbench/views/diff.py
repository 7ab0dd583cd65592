"""What changed between two programs, for reading."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from enum import Enum

from workbench.programs import Program
from workbench.views.html import Html, block_of, element, escape, fitted, join, shorten

# Programs of honest size are far below; the matcher's cost grows faster than the length.
_MOST_LINES = 2_000
_LINE_CHARACTERS = 500
_CONTEXT = 3


class Change(Enum):
    """What became of a line; the value is the mark it is shown with."""

    KEPT = " "
    ADDED = "+"
    REMOVED = "-"
    SKIPPED = "…"


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

    Only the first 2,000 lines of each text are compared.
    """
    old, new = _lines(before), _lines(after)
    matcher = SequenceMatcher(a=old, b=new)
    lines: list[DiffLine] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            at_edge = (old_from == 0 and new_from == 0, old_to == len(old) and new_to == len(new))
            lines += _unchanged(old[old_from:old_to], *at_edge)
            continue
        lines += [DiffLine(change=Change.REMOVED, text=line) for line in old[old_from:old_to]]
        lines += [DiffLine(change=Change.ADDED, text=line) for line in new[new_from:new_to]]
    return lines


def _lines(source: str) -> list[str]:
    """Lines as the interpreter counts them; other separators are shown, not obeyed."""
    return source.removesuffix("\n").split("\n")[:_MOST_LINES]


def _unchanged(lines: list[str], at_start: bool, at_end: bool) -> Iterator[DiffLine]:
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
        limit: characters shown at most.
    """
    parts: list[Html] = []
    used = 0
    lines = diff_lines(before, after)
    if all(line.change in (Change.KEPT, Change.SKIPPED) for line in lines):
        return element("div", "no line differs")
    for number, line in enumerate(lines):
        used += len(line.text) + 2
        if used > limit:
            parts.append(element("span", f"… {len(lines) - number:,} more lines"))
            break
        parts.append(_line_html(line))
    return block_of(join(parts))


def _line_html(line: DiffLine) -> Html:
    text = f"{line.change.value} {shorten(line.text, _LINE_CHARACTERS)}\n"
    match line.change:
        case Change.ADDED:
            return element("ins", text, style="text-decoration:none;background:rgba(0,114,178,.22)")
        case Change.REMOVED:
            return element("del", text, style="text-decoration:none;background:rgba(230,159,0,.25)")
        case Change.SKIPPED:
            return element("span", text, style="color:#797979")
    return Html(escape(text))


def diff(before: Program, after: Program) -> Html:
    """What turns one program into another, as an object that a notebook shows."""
    plain = "\n".join(
        unified_diff(
            _lines(before.source),
            _lines(after.source),
            before.id,
            after.id,
            lineterm="",
        )
    )
    shown = fitted(lambda limit: diff_html(before.source, after.source, limit=limit))
    return Html(shown.markup, plain=shorten(plain, 4_000))
