"""Reading a program out of a model's reply. Replies are hostile input: nothing here runs them."""

import ast
import re
from dataclasses import dataclass

from workbench.programs.edit import (
    EditError,
    EditKind,
    Replacement,
    apply_replacement,
    found_in,
)
from workbench.programs.fences import fenced_blocks
from workbench.programs.normal_form import normal_form
from workbench.programs.program import Program
from workbench.programs.regions import broken_protection
from workbench.programs.syntax import MOST_CHARACTERS, parse

_DIVIDER = "======="
_REPLACE = ">>>>>>> REPLACE"
# How models write the markers; none of them is a line of Python.
_OPENS = re.compile(r"<{5,10} ?SEARCH:?")
_CLOSES = re.compile(r">{5,10} ?REPLACE:?")
# No model writes replies as long or edits as many; the bounds keep hostile replies cheap.
_MOST_REPLY_CHARACTERS = 2_000_000
_MOST_EDITS = 200
_DIVIDERS_TRIED = 20
# Of the program, all edits together: 200 edits of 100,000 characters.
_MOST_SEARCHED_CHARACTERS = 20_000_000


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What a reply held.

    Attributes:
        program: the child, or None with a failure.
        kind: how the reply described it.
        failure: why there is no child, in words that a model can act on; empty if there is one.
        changed: whether the child says something else than its parent: by normal form where
            both parse, by text otherwise; true without a parent.
    """

    program: Program | None
    kind: EditKind
    failure: str = ""
    changed: bool = False


def parse_reply(text: str, parent: Program | None) -> Parsed:
    """The program that a reply describes; never raises, whatever the text.

    SEARCH/REPLACE blocks are applied in order, if there are any. Otherwise the last whole fenced
    Python block is the program, or the last whole one of any kind; a cut-off block never counts.
    Text without a fence counts only if all of it is Python that does something, which prose never
    is. Line ends become line feeds.

    Args:
        text: the reply, reasoning taken out.
        parent: the program that was shown, which edits apply to; None where there was none.
    """
    try:
        source, kind = _described(text, parent)
        _refuse_unusable(source, parent)
    except EditError as failure:
        return Parsed(program=None, kind=EditKind.NONE, failure=str(failure))
    program = Program(source)
    return Parsed(program=program, kind=kind, changed=_changed(program, parent))


def _described(text: str, parent: Program | None) -> tuple[str, EditKind]:
    """The child's text, and how the reply gave it."""
    if len(text) > _MOST_REPLY_CHARACTERS:
        raise EditError(
            f"the reply has {len(text):,} characters; at most {_MOST_REPLY_CHARACTERS:,} are read"
        )
    text = _plain(text)
    lines = text.split("\n")
    if any(_OPENS.fullmatch(line.strip()) for line in lines):
        return _edited(lines, parent), EditKind.SEARCH_REPLACE
    return _rewritten(text), EditKind.REWRITE


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _refuse_unusable(source: str, parent: Program | None) -> None:
    """Turn away what no interpreter could be handed, and edits of what is protected."""
    if not source.strip():
        raise EditError("the program is empty; reply with the complete program")
    _refuse_overlong(source)
    if "\0" in source:
        raise EditError("the program holds a null byte, which Python cannot read; leave it out")
    if any("\ud800" <= character <= "\udfff" for character in source):
        raise EditError("the program holds half a surrogate pair, which is no text; leave it out")
    broken = broken_protection(_plain(parent.source), source) if parent is not None else ""
    if broken:
        raise EditError(broken)


def _refuse_overlong(source: str) -> None:
    if len(source) > MOST_CHARACTERS:
        raise EditError(
            f"the program has {len(source):,} characters; at most {MOST_CHARACTERS:,} are taken"
        )


def _changed(program: Program, parent: Program | None) -> bool:
    if parent is None:
        return True
    before, after = normal_form(parent), normal_form(program)
    if before is None or after is None:
        return program.source != parent.source
    return before != after


def _rewritten(text: str) -> str:
    """The text of the program that a reply gives whole."""
    blocks = fenced_blocks(text)
    if not blocks:
        return _bare(text)
    python = [block for block in blocks if block.python] or blocks
    whole = [block for block in python if block.closed]
    if not whole:
        raise EditError(
            "the reply is truncated: its last code block has no closing fence; reply with a "
            "shorter explanation and the complete program"
        )
    chosen = whole[-1]
    return chosen.body.removeprefix("\ufeff")


def _bare(text: str) -> str:
    if not text.strip():
        raise EditError("the reply is empty; reply with one ```python block")
    tree = parse(text)
    if tree is None or not any(_acts(node) for node in ast.walk(tree)):
        raise EditError(
            "the reply has no code block; put the complete program between ```python and ```"
        )
    return text


def _acts(node: ast.AST) -> bool:
    """Whether a node is one that prose which happens to parse does not have."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign(value=ast.expr()):
            return True
        case ast.Call(func=ast.Name(id="print")):
            return True
    return False


def _edited(lines: list[str], parent: Program | None) -> str:
    """The parent's text with all the reply's edits applied in order."""
    if parent is None:
        raise EditError(
            "the reply edits a program, but none was given; reply with the complete program"
        )
    source = _plain(parent.source)
    searched = 0
    for number, block in enumerate(_edit_blocks(lines), start=1):
        dividers = _dividers(block)
        searched += len(source) * (1 + len(dividers[1:]))
        if searched > _MOST_SEARCHED_CHARACTERS:
            raise EditError(
                f"edit {number}: there are too many edits for a program as long; reply with fewer, "
                "or with the complete program"
            )
        try:
            source = apply_replacement(source, _split(block, dividers, source))
            _refuse_overlong(source)
        except EditError as failure:
            raise EditError(f"edit {number}: {failure}") from failure
    return source


def _edit_blocks(lines: list[str]) -> list[list[str]]:
    """The lines of each edit, between its opening and its closing marker."""
    blocks: list[list[str]] = []
    open_at: int | None = None
    for number, line in enumerate(lines):
        mark = line.strip()
        if _OPENS.fullmatch(mark):
            if open_at is not None:
                break
            open_at = number
        elif open_at is not None and _CLOSES.fullmatch(mark):
            blocks.append(lines[open_at + 1 : number])
            open_at = None
    if open_at is not None:
        raise EditError(
            f"the reply is truncated: edit {len(blocks) + 1} has no closing {_REPLACE!r} line"
        )
    if len(blocks) > _MOST_EDITS:
        raise EditError(f"the reply has {len(blocks)} edits; at most {_MOST_EDITS} are taken")
    return blocks


def _dividers(block: list[str]) -> list[int]:
    """The lines at which an edit may divide into its two sides, the first few of them.

    Indented ones count only without others, for they may be part of the program; in a list
    they are the only ones.
    """
    dividers = [number for number, line in enumerate(block) if line.rstrip() == _DIVIDER]
    if not dividers:
        dividers = [number for number, line in enumerate(block) if line.strip() == _DIVIDER]
    return dividers[:_DIVIDERS_TRIED]


def _split(block: list[str], dividers: list[int], source: str) -> Replacement:
    """An edit's two sides.

    The text on either side may hold lines of seven equals signs itself. The program decides:
    the last divider before which stands text of the program is the one, since a longer match
    is the better evidence; without a match the first one is.
    """
    if not dividers:
        raise EditError(
            f"there is no line {_DIVIDER!r} between what is sought and what replaces it"
        )
    choice = dividers[0]
    if len(dividers) > 1:
        fitting = (number for number in reversed(dividers) if found_in(source, block[:number]))
        choice = next(fitting, choice)
    return Replacement(search=block[:choice], replace=block[choice + 1 :])
