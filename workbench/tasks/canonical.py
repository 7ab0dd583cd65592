"""Values as texts that are the same for values that agree exactly, and for no others.

What has no order of its own can be sorted by them, and looked up, without asking a hostile
value for its hash.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Canonical:
    """How values are written.

    Attributes:
        nan: what stands for NaN; give each side a word of its own to keep NaN from NaN.
        strict_types: whether a tuple is written in another way than a list.
    """

    nan: str
    strict_types: bool

    def text(self, value: Any) -> str:
        """`value`, which `codec.decode` made, as text."""
        write = _WRITERS.get(type(value))
        if write is not None:
            return write(value)
        if isinstance(value, float):
            return self.nan if math.isnan(value) else repr(float(value) + 0.0)  # -0.0 is 0.0
        if isinstance(value, complex):
            return self._joined("complex", (value.real, value.imag))
        if isinstance(value, list | tuple):
            return self._joined(type(value).__name__ if self.strict_types else "list", value)
        if isinstance(value, set | frozenset):
            return f"{type(value).__name__}[{','.join(sorted(map(self.text, value)))}]"
        if isinstance(value, dict):
            entries = (f"{self.text(key)}:{self.text(item)}" for key, item in value.items())
            return f"dict[{','.join(sorted(entries))}]"
        # A numpy scalar is the value that it stands for.
        array = f"array{value.shape}" if value.ndim else ""
        return array + self.text(value.tolist())

    def _joined(self, kind: str, items: Iterable[Any]) -> str:
        return f"{kind}[{','.join(map(self.text, items))}]"


_WRITERS: dict[type, Callable[[Any], str]] = {
    int: hex,  # in linear time, unlike decimal digits
    str: repr,
    bytes: repr,
    bool: repr,
    type(None): repr,
}
