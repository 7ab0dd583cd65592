"""One question with what counts as its answer."""

from dataclasses import dataclass
from enum import Enum


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
