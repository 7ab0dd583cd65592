"""The program: a text with an identity. Running it is the sandbox's business."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

_ID_DIGITS = 16


@dataclass(frozen=True)
class Program:
    """Python source; two programs are the same exactly when their text is.

    Attributes:
        source: complete Python source text.
    """

    source: str

    @cached_property
    def id(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the UTF-8 text.

        Lone surrogates, which a model can emit but UTF-8 cannot hold, are escaped first.
        """
        data = self.source.encode("utf-8", "backslashreplace")
        return hashlib.sha256(data).hexdigest()[:_ID_DIGITS]

    @property
    def line_count(self) -> int:
        """Number of lines, a last one without a newline included."""
        return len(self.source.splitlines())

    def __repr__(self) -> str:
        """Identity and size; the text itself may be long."""
        return f"Program({self.id}, {self.line_count} lines)"
