"""One question with what counts as its answer."""

from dataclasses import dataclass
from enum import Enum

from workbench.errors import TaskError


class Group(Enum):
    """Who may see a case: samples may enter prompts, hidden ones never do."""

    SAMPLE = "sample"
    HIDDEN = "hidden"


@dataclass(frozen=True, kw_only=True)
class Case:
    """An input and its expected answer.

    Attributes:
        id: unique within the task, stable over versions ("sample-1", "hidden-07").
        group: sample or hidden.
        input: standard input for a script; for a function its positional arguments as
            `codec` JSON text (a list).
        expected: standard output; or the returned value as `codec` JSON text.
    """

    id: str
    group: Group
    input: str
    expected: str

    def __post_init__(self) -> None:
        """Refuse text that no program could read or write.

        Raises:
            TaskError: the input or the expected answer holds a lone surrogate.
        """
        for name in ("input", "expected"):
            try:
                getattr(self, name).encode()
            except UnicodeEncodeError as error:
                raise TaskError(
                    f"case {self.id!r}: {name} cannot be written as UTF-8, for character "
                    f"{error.start} is half of a surrogate pair"
                ) from error
