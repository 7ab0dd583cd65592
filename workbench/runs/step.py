"""The step: one model call with what came of it. Runs are sequences of steps."""

from dataclasses import dataclass

from workbench.evaluation import Comparison, Evaluation, Verdict
from workbench.models import Completion
from workbench.programs import EditKind, Program
from workbench.prompts import Prompt


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a search asks for: one child, with all that `tell` will need to place it.

    Replies may come back in any order, and from another process after a crash.

    Attributes:
        step: number of the step that will answer it, unique and without gaps in a run.
        round: the ask/tell turn it belongs to; 0 holds the starting programs.
        operator: "start" (a program that is given), "draft" or "improve".
        island: where the child will live.
        parents: ids of the candidates it is made from, the main one first.
        prompt: what the model is shown; None for a given program.
        program: the given program; None where the model is asked.
        seed: for the model's own sampling.
    """

    step: int
    round: int
    operator: str
    island: int
    seed: int
    parents: tuple[int, ...] = ()
    prompt: Prompt | None = None
    program: Program | None = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A completion on its way to evaluation.

    Attributes:
        request: what was asked.
        completion: what came; None for a given program.
    """

    request: Request
    completion: Completion | None


@dataclass(frozen=True, kw_only=True)
class Step:
    """One turn, as recorded.

    Attributes:
        request: what was asked.
        completion: what the model said; None for a given program.
        edit: how the reply described the child.
        child: the program read from the reply; None if none could be.
        failure: why there is no child to evaluate, or empty.
        evaluation: the child judged; None without a child or if it is the parent again.
        duplicate_of: id of an earlier candidate with the same program text, or None.
        comparison: paired timing against the parent, where the decision was needed.
        finished_at: Unix time, seconds, by the driver's clock.
    """

    request: Request
    completion: Completion | None
    edit: EditKind
    child: Program | None
    evaluation: Evaluation | None
    failure: str = ""
    duplicate_of: int | None = None
    comparison: Comparison | None = None
    finished_at: float = 0.0

    @property
    def id(self) -> int:
        """The step's number, which is the candidate's id as well."""
        return self.request.step

    @property
    def verdict(self) -> Verdict:
        """What became of the reply."""
        if self.evaluation is not None:
            return self.evaluation.verdict
        return Verdict.UNPARSED if self.child is None else Verdict.NO_CHANGE

    @property
    def parsed(self) -> bool:
        """Whether the reply held a program."""
        return self.child is not None

    @property
    def accepted(self) -> bool:
        """Whether the child solves the task."""
        return self.evaluation is not None and self.evaluation.accepted

    @property
    def improved(self) -> bool:
        """Whether the child is better than its parent beyond measurement noise.

        Better means: it solves the task where the parent did not, or the paired comparison
        decided that it is faster.
        """
        return self.accepted and self.comparison is not None and self.comparison.improved
