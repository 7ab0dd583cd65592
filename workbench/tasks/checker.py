"""How an answer is compared with the expected one. Pure functions over text; nothing runs.

Never here: sets of tokens, ignoring case, shortening to the smaller of two answers, a tolerance
that nobody declared. The answer is hostile: a token of ten million digits or a value nested a
hundred thousand levels deep is told apart in well under a second, and work and memory are
bounded by the size of the two texts.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

from workbench.tasks.tolerance import Tolerance
from workbench.tasks.trusted import Assertions, Custom


class Rule(Protocol):
    """A pure comparison; a frozen dataclass, so that its repr is its identity."""

    def difference(self, expected: str, answer: str) -> str | None:
        """Where `answer` departs from `expected`, in words for people; None if nowhere.

        Args:
            expected: as in `Case.expected`.
            answer: standard output decoded as UTF-8; in function mode `codec` JSON text.
        """
        ...


# What judges answers: a rule here and now, or a program of the task's own in the sandbox.
Checker = Rule | Custom | Assertions


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The same tokens in the same order; how they are spaced and broken into lines is free."""

    def difference(self, expected: str, answer: str) -> str | None:
        """The first token that differs, is missing, or is too much."""
        return _token_difference(expected, answer, _TOKEN, _same_text)


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The same tokens on the same lines; blank lines at the end do not count."""

    def difference(self, expected: str, answer: str) -> str | None:
        """The first token or line break that differs, is missing, or is too much."""
        return _token_difference(
            expected.rstrip(_SPACE), answer.rstrip(_SPACE), _TOKEN_OR_BREAK, _same_text
        )


@dataclass(frozen=True, kw_only=True)
class Exact:
    """The same characters, apart from CRLF for LF and one line break at the end."""

    def difference(self, expected: str, answer: str) -> str | None:
        """The first character that differs, by line and column."""
        expected, answer = (
            text.replace("\r\n", "\n").removesuffix("\n") for text in (expected, answer)
        )
        if expected == answer:
            return None
        shorter = min(len(expected), len(answer))
        place = bisect_left(
            range(shorter), True, key=lambda end: expected[: end + 1] != answer[: end + 1]
        )
        line = expected.count("\n", 0, place) + 1
        column = place - expected.rfind("\n", 0, place)
        wanted, got = (_excerpt(text, place, place + 1) for text in (expected, answer))
        return f"line {line}, column {column}: expected {wanted}, got {got}"


@dataclass(frozen=True, kw_only=True)
class Floats:
    """As `Tokens`, but decimals may differ within a tolerance.

    Two tokens agree if |answer - expected| <= max(atol, rtol * |expected|) and at least one of
    them is written with a point or an exponent; two whole numbers must be equal. Decimals that
    are not finite as floats, or longer than 1000 characters, agree only if they are the same
    text. Infinities agree if their signs do.

    Attributes:
        rtol: relative tolerance, a share of the expected value.
        atol: absolute tolerance, in the unit of the values.
        nan_agrees: whether "nan" answers "nan".
    """

    rtol: float = 1e-6
    atol: float = 1e-6
    nan_agrees: bool = False

    def __post_init__(self) -> None:
        """Refuse tolerances that are negative, NaN or infinite (ConfigError)."""
        _ = self._tolerance

    @property
    def _tolerance(self) -> Tolerance:
        return Tolerance(rtol=self.rtol, atol=self.atol, nan_agrees=self.nan_agrees)

    def difference(self, expected: str, answer: str) -> str | None:
        """The first token outside the tolerance, missing, or too much."""
        tolerance = self._tolerance

        def same(wanted: str, got: str) -> bool:
            return _same_number(wanted, got, tolerance)

        return _token_difference(expected, answer, _TOKEN, same)


_SPACE = " \t\n\r\v\f"
_TOKEN = re.compile(rf"[^{_SPACE}]+")
_TOKEN_OR_BREAK = re.compile(rf"\n|[^{_SPACE}]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
_NUMBER_CHARS = 1000
_SHOWN_CHARS = 40


def _same_text(wanted: str, got: str) -> bool:
    return wanted == got


def _same_number(wanted: str, got: str, tolerance: Tolerance) -> bool:
    if len(wanted) > _NUMBER_CHARS or len(got) > _NUMBER_CHARS:
        return wanted == got
    if wanted == got and not _NOT_FINITE.fullmatch(wanted):
        return True
    if _INTEGER.fullmatch(wanted) and _INTEGER.fullmatch(got):
        return int(wanted) == int(got)
    if _NOT_FINITE.fullmatch(wanted) and _NOT_FINITE.fullmatch(got):
        return tolerance.covers(float(wanted), float(got))
    if _DECIMAL.fullmatch(wanted) and _DECIMAL.fullmatch(got):
        numbers = float(wanted), float(got)
        if all(map(math.isfinite, numbers)):
            return tolerance.covers(*numbers)
    return wanted == got


def _token_difference(
    expected: str, answer: str, pattern: re.Pattern[str], same: Callable[[str, str], bool]
) -> str | None:
    """Walk both texts token by token, so that an endless answer costs no more than expected."""
    pairs = zip_longest(pattern.finditer(expected), pattern.finditer(answer))
    for number, (wanted, got) in enumerate(pairs, 1):
        if wanted and got and same(wanted.group(), got.group()):
            continue
        place = wanted.start() if wanted else len(expected)
        line = expected.count("\n", 0, place) + 1
        return (
            f"token {number}, line {line}: expected {_around(expected, wanted)}, "
            f"got {_around(answer, got)}"
        )
    return None


def _around(text: str, token: re.Match[Any] | None) -> str:
    if token is None:
        return _excerpt(text, len(text), len(text))
    return _excerpt(text, *token.span())


def _excerpt(text: str, start: int, end: int) -> str:
    """What stands from `start` to `end`, in brackets, between its two neighbours."""
    before = text[max(0, start - _SHOWN_CHARS) : start].split()[-1:]
    after = text[end : end + _SHOWN_CHARS].split()[:1]
    middle = _clipped(text[start : min(end, start + _SHOWN_CHARS + 1)]) or "the end"
    return " ".join([*map(_clipped, before), f"[{middle}]", *map(_clipped, after)])


def _clipped(token: str) -> str:
    shown = token if len(token) <= _SHOWN_CHARS else f"{token[:_SHOWN_CHARS]}…"
    return repr(shown)[1:-1]
