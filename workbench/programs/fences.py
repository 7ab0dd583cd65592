"""Finding fenced blocks in Markdown. What a block is good for is decided elsewhere.

Follows CommonMark 0.31, section 4.5, and departs from it where replies do:

- a fence may be indented by any amount, as in lists;
- a block ends at the first closing fence that leaves Python between the fences, so that fences
  in a docstring or string do not cut a program; if there is none, at the first one;
- a block that is no Python and holds a tagged opening fence was left open by mistake: the inner
  block counts;
- `markdown` fences are transparent: what they wrap is read as if they were not there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

from workbench.programs.syntax import parse

_PYTHON_TAGS = frozenset({"python", "python3", "py", "py3"})
_WRAPPER_TAGS = frozenset({"markdown", "md"})
# Bounds that keep hostile replies linear; no honest one comes near them.
_CLOSINGS_TRIED = 8
_FENCES_AHEAD = 64
_PARSED_PER_CHARACTER = 4
_PARSED_AT_LEAST = 100_000
_COST_OF_A_PARSE = 200
# CommonMark lets a closing fence be indented by up to three columns.
_CLOSING_INDENT = 3


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block.

    Attributes:
        tag: first word of the info string in lower case, without braces and dots; may be empty.
        body: text between the fences, each line ending in a newline.
        closed: whether there was a closing fence before the text ended.
    """

    tag: str
    body: str
    closed: bool

    @property
    def python(self) -> bool:
        """Whether the block says that it is Python."""
        return self.tag in _PYTHON_TAGS


@dataclass(frozen=True, kw_only=True)
class _Fence:
    """A line that opens or closes a block."""

    line: int
    indent: int
    mark: str
    info: str

    @property
    def tag(self) -> str:
        words = self.info.split()
        return words[0].strip("{}.").lower() if words else ""

    def closes(self, opening: "_Fence") -> bool:
        return (
            not self.info
            and self.mark[0] == opening.mark[0]
            and len(self.mark) >= len(opening.mark)
            and self.indent <= opening.indent + _CLOSING_INDENT
        )


def fenced_blocks(text: str) -> list[Block]:
    """All fenced blocks in order, in time linear in the length of the text.

    Lines end in line feeds. An unclosed block reaches to the end of the text; one of white space
    alone is left out, being a stray closing fence.
    """
    return _Reader(text).blocks()


class _Reader:
    """The lines of one text, the fences among them, and how much may still be parsed."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        # Where each line begins in the text.
        self._offsets = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._fences = [fence for fence in _fences(self._lines) if fence.tag not in _WRAPPER_TAGS]
        self._budget = _PARSED_AT_LEAST + _PARSED_PER_CHARACTER * len(text)

    def blocks(self) -> list[Block]:
        found = []
        position = 0
        while position < len(self._fences):
            block, position = self._block(position)
            if block is not None and (block.closed or block.body.strip()):
                found.append(block)
        return found

    def _block(self, position: int) -> tuple[Block | None, int]:
        """The block that a fence opens, if it does, and where to go on looking."""
        tag = self._fences[position].tag
        first: int | None = None
        for closing in self._closings(position):
            first = closing if first is None else first
            body = self._python(position, closing)
            if body is not None:
                return Block(tag=tag, body=body, closed=True), closing + 1
        end = len(self._fences) if first is None else first
        inner = self._inner_opening(position, end)
        if inner is not None:
            return None, inner
        return Block(tag=tag, body=self._body(position, end), closed=first is not None), end + 1

    def _closings(self, position: int) -> Iterator[int]:
        """Positions of the fences that may close a block, the first few of them."""
        opening = self._fences[position]
        ahead = range(position + 1, min(position + _FENCES_AHEAD, len(self._fences)))
        return islice((at for at in ahead if self._fences[at].closes(opening)), _CLOSINGS_TRIED)

    def _python(self, position: int, end: int) -> str | None:
        """What is between two fences if it is Python and the budget lasts."""
        first, last = self._between(position, end)
        # Paid before the body is put together, which takes time as well.
        self._budget -= _COST_OF_A_PARSE + self._offsets[last] - self._offsets[first]
        if self._budget < 0:
            return None
        body = self._body(position, end)
        return body if parse(body) is not None else None

    def _inner_opening(self, position: int, end: int) -> int | None:
        """Position of the first Python fence within a block, docstrings' indented ones aside."""
        indent = self._fences[position].indent
        for later in range(position + 1, end):
            if self._fences[later].tag in _PYTHON_TAGS and self._fences[later].indent <= indent:
                return later
        return None

    def _body(self, position: int, end: int) -> str:
        """The lines between two fences, less the first one's indentation where they have it."""
        first, last = self._between(position, end)
        lines = self._lines[first:last]
        indent = self._fences[position].indent
        if indent:
            lines = [_outdent(line, indent) for line in lines]
        return "".join(f"{line}\n" for line in lines)

    def _between(self, position: int, end: int) -> tuple[int, int]:
        """The first line after one fence, and the line of another or the number of lines."""
        last = self._fences[end].line if end < len(self._fences) else len(self._lines)
        return self._fences[position].line + 1, last


def _fences(lines: list[str]) -> Iterator[_Fence]:
    for number, line in enumerate(lines):
        bare = line.lstrip(" \t")
        if not bare.startswith(("```", "~~~")):
            continue
        info = bare.lstrip(bare[0])
        # An info string with a backtick makes it inline code.
        if bare[0] == "`" and "`" in info:
            continue
        mark = bare[: len(bare) - len(info)]
        indent = len(line) - len(bare)
        yield _Fence(line=number, indent=indent, mark=mark, info=info.strip())


def _outdent(line: str, width: int) -> str:
    margin = len(line) - len(line.lstrip(" \t"))
    return line[min(margin, width) :]
