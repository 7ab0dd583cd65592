"""The candidate: an evaluated program with its descent."""

from dataclasses import dataclass

from workbench.evaluation import Evaluation
from workbench.programs import Program


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A member, or former member, of a population. Immutable; a migrant is the same candidate.

    Attributes:
        id: number of the step that brought it forth, unique in a run.
        program: its program.
        evaluation: how it was judged.
        parents: ids of the candidates it was made from; empty for a starting program.
        island: the island it was born on.
        operator: what made it ("start", "draft", "improve").
    """

    id: int
    program: Program
    evaluation: Evaluation
    parents: tuple[int, ...] = ()
    island: int = 0
    operator: str = "start"

    @property
    def rank(self) -> tuple[bool, float, float, int, int]:
        """Sort key, higher is better; of equals the earlier one leads."""
        return (*self.evaluation.rank, -self.id)
