"""The evaluation of one program on one task: the only source of fitness and reward."""

import math
from dataclasses import dataclass

from workbench.evaluation.conditions import Conditions
from workbench.evaluation.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """One case.

    Attributes:
        case_id: which case.
        verdict: what became of it.
        cpu_s: CPU seconds with the empty program's share removed, median over repeats; where the
            evaluation has `conditions`, divided by their `slowness`.
        wall_s: wall seconds, as they were.
        detail: for people: the first difference or the last line of a traceback. Never shown
            to a model unless the case is a sample.
    """

    case_id: str
    verdict: Verdict
    cpu_s: float
    wall_s: float
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A program judged.

    Attributes:
        program_id: whom.
        task: name of the task.
        verdict: the worst that happened, or accepted.
        pass_rate: share of the task's cases that were accepted, in [0, 1].
        fitness: Eq. 3 of MetaEvolve by CPU time, in [0, 1]; 0 unless accepted.
        wall_fitness: the same by wall time.
        mean_cpu_s: mean over cases, None unless accepted.
        mean_wall_s: mean over cases, None unless accepted.
        cases: results in the task's order; cases after a stop at first failure are missing.
        trust: sandbox trust level, 0 to 3.
        conditions: what the times were taken under; None unless accepted and measured.
    """

    program_id: str
    task: str
    verdict: Verdict
    pass_rate: float
    fitness: float
    wall_fitness: float
    mean_cpu_s: float | None
    mean_wall_s: float | None
    cases: tuple[CaseResult, ...]
    trust: int
    conditions: Conditions | None = None

    def __post_init__(self) -> None:
        """Keep numbers that are none out of every comparison.

        Raises:
            ValueError: a rate or fitness is NaN or outside [0, 1], or a failure has fitness.
        """
        for name in ("pass_rate", "fitness", "wall_fitness"):
            value = getattr(self, name)
            if math.isnan(value) or not 0 <= value <= 1:
                raise ValueError(f"evaluation.{name} must be in [0, 1], got {value}")
        if self.fitness > 0 and not self.accepted:
            raise ValueError(f"a program judged {self.verdict.words} cannot have fitness")

    @property
    def accepted(self) -> bool:
        """Whether the program solves the task."""
        return self.verdict is Verdict.ACCEPTED

    @property
    def rank(self) -> tuple[bool, float, float, int]:
        """Sort key, higher is better: solved, fitness, share of cases, kind of failure."""
        return (self.accepted, self.fitness, self.pass_rate, int(self.verdict))
