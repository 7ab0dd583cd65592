"""How returned values are compared: part by part, by type and content.

Work is bounded by the sizes of both texts; beyond reading it, an answer costs no more than the
expected value does, however long or deep it is.
"""

import reprlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from workbench.errors import ConfigError
from workbench.sandbox.codec import decode
from workbench.tasks.canonical import Canonical
from workbench.tasks.tolerance import Tolerance


@dataclass(frozen=True, kw_only=True)
class Structural:
    """Returned values, compared part by part.

    A bool is not an int; an int equals a float, and floats may differ, only if a tolerance is
    declared; None equals None alone; dictionaries agree by key; a set agrees with a set of the
    same items, which are compared exactly; an array agrees with an array of the same shape,
    item by item.

    Attributes:
        rtol: relative tolerance; None with `atol` None means that floats must be equal.
        atol: absolute tolerance, in the unit of the values.
        nan_agrees: whether NaN answers NaN.
        strict_types: whether a list differs from a tuple with the same items.
        unordered: whether the outermost list, tuple or set may be any of these in any order;
            its items are then compared exactly, each as often as it is there.
    """

    rtol: float | None = None
    atol: float | None = None
    nan_agrees: bool = False
    strict_types: bool = False
    unordered: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be compared.

        Raises:
            ConfigError: a tolerance is negative, NaN or infinite, or meets `unordered`, where
                nothing says which items belong together.
        """
        _ = self._tolerance
        if self.unordered and self._tolerant:
            raise ConfigError(
                "structural.unordered has no meaning with a tolerance "
                f"(rtol={self.rtol}, atol={self.atol}); drop one of them"
            )

    def difference(self, expected: str, answer: str) -> str | None:
        """The path of the first part that differs, with both parts and their neighbours."""
        if answer == expected and _TAGGED not in answer:
            return None  # plain JSON, in which nothing differs from itself
        try:
            got = decode(answer)
        except ValueError as error:
            return f"the answer cannot be read: {error}"
        wanted = decode(expected)
        whole = _Pair(wanted, got, None, "")
        if self.unordered and _is_collection(wanted) and _is_collection(got):
            return self._first_difference(self._contents(whole))
        return self._first_difference([whole])

    @property
    def _tolerant(self) -> bool:
        return self.rtol is not None or self.atol is not None

    @cached_property
    def _tolerance(self) -> Tolerance:
        return Tolerance(rtol=self.rtol or 0.0, atol=self.atol or 0.0, nan_agrees=self.nan_agrees)

    def _first_difference(self, pairs: Iterable["_Pair"]) -> str | None:
        """Walk in order, with a stack: a pair knows its path, whatever the depth."""
        waiting = [iter(pairs)]
        while waiting:
            pair = next(waiting[-1], None)
            if pair is None:
                waiting.pop()
                continue
            parts = self._parts(pair)
            if parts is None:
                return pair.words
            waiting.append(iter(parts))
        return None

    def _parts(self, pair: "_Pair") -> Iterable["_Pair"] | None:
        """The pairs on which agreement depends (none if both agree); None if they differ."""
        wanted, got = _python(pair.wanted), _python(pair.got)
        if isinstance(wanted, list | tuple) and isinstance(got, list | tuple):
            if self.strict_types and type(wanted) is not type(got):
                return None
            return self._items(pair)
        if type(wanted) is type(got):
            if isinstance(wanted, dict):
                return self._entries(pair)
            if isinstance(wanted, set | frozenset):
                return self._contents(pair)
            if _is_array(wanted):
                return _array_parts(pair)
        return () if self._same(wanted, got) else None

    def _same(self, wanted: Any, got: Any) -> bool:
        numbers = (int, float)
        if type(wanted) in numbers and type(got) in numbers:
            if float not in (type(wanted), type(got)):
                return bool(wanted == got)
            if type(wanted) is not type(got) and not self._tolerant:
                return False
            return self._covers(wanted, got)
        if isinstance(wanted, complex) and isinstance(got, complex):
            return self._covers(wanted.real, got.real) and self._covers(wanted.imag, got.imag)
        return type(wanted) is type(got) and bool(wanted == got)

    def _covers(self, wanted: float, got: float) -> bool:
        try:
            return self._tolerance.covers(float(wanted), float(got))
        except OverflowError:
            return False

    def _items(self, pair: "_Pair") -> Iterator["_Pair"]:
        for place, (wanted, got) in enumerate(zip(pair.wanted, pair.got, strict=False)):
            if not self._plainly_same(wanted, got):
                yield _Pair(wanted, got, pair, place)
        yield _Pair(len(pair.wanted), len(pair.got), pair, " length")

    def _plainly_same(self, wanted: Any, got: Any) -> bool:
        """Whether two values agree that have no parts: of long ones, only others become pairs."""
        kind = type(wanted)
        if kind is not type(got) or kind not in _PLAIN:
            return False
        return bool(wanted == got) or (kind is float and self._tolerance.covers(wanted, got))

    def _contents(self, pair: "_Pair") -> Iterator["_Pair"]:
        """Items in whatever order, as texts in an order of their own."""
        yield _Pair(len(pair.wanted), len(pair.got), pair, " length")
        expected, answer = self._writers
        wanted, got = sorted(map(expected, pair.wanted)), sorted(map(answer, pair.got))
        yield _Pair(wanted, got, pair, " in order")

    def _entries(self, pair: "_Pair") -> Iterator["_Pair"]:
        """Values by key; keys are told apart by type too, for True equals 1 as a key."""
        expected, answer = self._writers
        found = {answer(key): value for key, value in pair.got.items()}
        for key, wanted in pair.wanted.items():
            got = found.get(expected(key), _ABSENT)
            if not self._plainly_same(wanted, got):
                yield _Pair(wanted, got, pair, f"[{_REPR.repr(key)}]")
        yield _Pair(len(pair.wanted), len(pair.got), pair, " length")

    @property
    def _writers(self) -> tuple[Callable[[Any], str], Callable[[Any], str]]:
        """What writes parts of the expected value and of the answer, to be told apart as texts."""
        words = ("nan", "nan" if self.nan_agrees else "NaN")
        expected, answer = (Canonical(nan=nan, strict_types=self.strict_types) for nan in words)
        return expected.text, answer.text


class _Pair(NamedTuple):
    """Two values that should agree, and where they are: a step from those that hold them."""

    wanted: Any
    got: Any
    holder: "_Pair | None"
    step: str | int

    @property
    def words(self) -> str:
        steps: list[str] = []
        pair: _Pair | None = self
        while pair is not None and len(steps) < _SHOWN_STEPS:
            steps.append(f"[{pair.step}]" if isinstance(pair.step, int) else pair.step)
            pair = pair.holder
        path = "".join(reversed(steps))
        wanted, got = self._shown("wanted"), self._shown("got")
        return f"answer{path}: expected {wanted}, got {got}"

    def _shown(self, side: str) -> str:
        """One of the two values; an item of a list between its neighbours."""
        value = _REPR.repr(getattr(self, side))
        if self.holder is None or not isinstance(self.step, int):
            return value
        siblings = getattr(self.holder, side)
        before = [_REPR.repr(item) for item in siblings[max(0, self.step - 1) : self.step]]
        after = [_REPR.repr(item) for item in siblings[self.step + 1 : self.step + 2]]
        return " ".join([*before, f"[{value}]", *after])


class _Repr(reprlib.Repr):
    """Bounded by size and depth, whatever the value."""

    def repr_int(self, x: int, level: int) -> str:
        """Leave the digits of giants uncomputed: that is quadratic."""
        if x.bit_length() > _SHOWN_BITS:
            return f"an int of {x.bit_length()} bits"
        return super().repr_int(x, level)


class _Absent:
    """Stands for a value that is not there; agrees with nothing."""

    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()
_TAGGED = '"$"'  # stands in the text of every value that is not plain JSON, NaN among them
_PLAIN = frozenset({bool, int, float, str, bytes, type(None)})
_SHOWN_BITS = 256
_SHOWN_STEPS = 20
_REPR = _Repr()
_REPR.maxlevel = 3
_REPR.maxstring = _REPR.maxother = 60


def _array_parts(pair: _Pair) -> Iterator[_Pair]:
    yield _Pair(pair.wanted.shape, pair.got.shape, pair, " shape")
    yield _Pair(pair.wanted.tolist(), pair.got.tolist(), pair, "")


def _is_array(value: Any) -> bool:
    """Whether this is a numpy array; numpy itself need not be there to tell."""
    return hasattr(value, "dtype") and value.ndim > 0


def _python(value: Any) -> Any:
    """A numpy scalar as the Python value it stands for; anything else as it is."""
    return value.item() if hasattr(value, "dtype") and value.ndim == 0 else value


def _is_collection(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)
