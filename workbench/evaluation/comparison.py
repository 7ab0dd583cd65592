"""Whether a child is faster than its parent, with the evidence. See `paired` for how."""

from dataclasses import dataclass
from enum import Enum

from workbench.evaluation.conditions import Load


class Decision(Enum):
    """Outcome of a paired comparison of a second program with a first."""

    FASTER = "faster"
    TIE = "tie"
    SLOWER = "slower"
    NEWLY_ACCEPTED = "newly_accepted"


class Measure(Enum):
    """What was compared."""

    CPU_TIME = "cpu_time"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Evidence about `speedup` = seconds of the first program / seconds of the second.

    Attributes:
        first: program id of the parent.
        second: program id of the child.
        decision: what the interval allows to say.
        speedup: point estimate, above 1 if the second is faster; None if the first program
            does not solve the task, for then there is nothing to divide.
        low: lower end of the 95 % interval of `speedup`, None likewise.
        high: upper end.
        pairs: timed pairs per case.
        cases: how many cases were timed.
        margin: relative difference inside which the two counted as equally fast.
        by: what stands for seconds here.
        load: how much of the machine others used meanwhile; None if not known.
    """

    first: str
    second: str
    decision: Decision
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    cases: int = 0
    margin: float = 0.0
    by: Measure = Measure.CPU_TIME
    load: Load | None = None

    @property
    def improved(self) -> bool:
        """Whether the second program is better beyond noise."""
        return self.decision in (Decision.FASTER, Decision.NEWLY_ACCEPTED)
