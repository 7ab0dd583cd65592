"""How an answer is compared with the expected one. Pure functions over text; nothing runs."""

from typing import ClassVar, Protocol


class Checker(Protocol):
    """A rule of comparison; a frozen dataclass, so that its repr is its identity.

    Attributes:
        asks: whether it brings its own questions instead of cases.
    """

    asks: ClassVar[bool]

    def difference(self, expected: str, answer: str) -> str | None:
        """Where `answer` departs from `expected`, in words for people; None if nowhere.

        Args:
            expected: as in `Case.expected`.
            answer: standard output decoded as UTF-8; in function mode `codec` JSON text.
        """
        ...
