"""Every child of a run with its descent and its fate, as a table."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.evaluation import Comparison, Verdict
from workbench.runs import RoundOutcome, Step
from workbench.views import words
from workbench.views.html import MOST_ROWS, Html, Part, element, fitted, join, table

_HEAD = ("id", "round", "how", "island", "parents", "verdict", "fitness", "against parent", "fate")


@dataclass(frozen=True, kw_only=True)
class LineageRow:
    """One step's place in the run.

    Attributes:
        id: number of the step and of its candidate.
        round: which round.
        operator: what made it.
        island: where it was to live.
        parents: whom it was made from.
        verdict: what became of it.
        fitness: its fitness, None if it was not run.
        comparison: evidence against its parent, None where none was needed.
        decided: whether its round has been decided.
        kept: whether it joined the population; never without a judged program.
        migrated_to: islands it travelled to, in order.
        duplicate_of: the earlier candidate with the same text, or None.
    """

    id: int
    round: int
    operator: str
    island: int
    parents: tuple[int, ...]
    verdict: Verdict
    fitness: float | None
    comparison: Comparison | None
    decided: bool
    kept: bool
    migrated_to: tuple[int, ...]
    duplicate_of: int | None

    @property
    def fate(self) -> str:
        """Whether it was kept, why not, and where it went."""
        if not self.decided:
            return "not decided yet"
        if self.fitness is None:
            return "no candidate"
        if not self.kept:
            same = "" if self.duplicate_of is None else f", same text as {self.duplicate_of}"
            return f"dropped{same}"
        if not self.migrated_to:
            return "kept"
        return f"kept, migrated to {', '.join(str(island) for island in self.migrated_to)}"


@dataclass(frozen=True, kw_only=True)
class LineageTable:
    """The rows of a run, in order of their ids; a notebook shows them as a table."""

    rows: tuple[LineageRow, ...]

    def __repr__(self) -> str:
        """How many rows, for terminals."""
        return f"LineageTable({len(self.rows)} rows)"

    def _repr_html_(self) -> str:
        return fitted(lambda _: lineage_html(self.rows)).markup


def lineage_table(steps: Iterable[Step], outcomes: Iterable[RoundOutcome]) -> LineageTable:
    """One row a step, failures included.

    Args:
        steps: the run's steps, in any order.
        outcomes: what was decided, round by round.
    """
    decided: set[int] = set()
    kept: set[int] = set()
    journeys: dict[int, list[int]] = defaultdict(list)
    for outcome in outcomes:
        decided.add(outcome.round)
        kept.update(outcome.kept)
        for migration in outcome.migrations:
            journeys[migration.candidate].append(migration.target)
    return LineageTable(
        rows=tuple(
            LineageRow(
                id=step.id,
                round=step.request.round,
                operator=step.request.operator,
                island=step.request.island,
                parents=step.request.parents,
                verdict=step.verdict,
                fitness=step.evaluation.fitness if step.evaluation else None,
                comparison=step.comparison,
                decided=step.request.round in decided,
                kept=step.id in kept,
                migrated_to=tuple(journeys[step.id]),
                duplicate_of=step.duplicate_of,
            )
            for step in sorted(steps, key=lambda step: step.id)
        )
    )


def lineage_html(rows: Sequence[LineageRow]) -> Html:
    """The last rows as a table, under the number of those before them."""
    shown = table(_HEAD, [_cells(row) for row in rows[-MOST_ROWS:]])
    earlier = len(rows) - MOST_ROWS
    return join([element("div", f"{earlier:,} earlier rows"), shown]) if earlier > 0 else shown


def _cells(row: LineageRow) -> list[Part]:
    return [
        str(row.id),
        str(row.round),
        row.operator,
        str(row.island),
        words.ids(row.parents),
        row.verdict.words,
        words.optional(row.fitness),
        words.of_comparison(row.comparison),
        row.fate,
    ]
