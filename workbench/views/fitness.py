"""Fitness over a run: the data, and the figure drawn from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.evaluation import Verdict
from workbench.runs import Step
from workbench.views.theme import DASHES, FAILED, PALETTE, SOLVED, SYMBOLS, template

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Beyond this ratio of the largest to the smallest fitness a linear axis hides the small ones.
_WIDE_RANGE = 50


@dataclass(frozen=True, kw_only=True)
class FitnessPoint:
    """One reply of the model.

    Attributes:
        step: its step.
        reply: how many replies there were with this one, 1 for the first.
        evaluations: how many programs of the model had been run by then, each text once.
        island: where the child was to live.
        verdict: what became of it.
        fitness: its fitness; 0 for whatever is not a solution.
        best: the highest fitness of the run so far, the starting programs' included.
    """

    step: int
    reply: int
    evaluations: int
    island: int
    verdict: Verdict
    fitness: float
    best: float


@dataclass(frozen=True, kw_only=True)
class FitnessHistory:
    """What a fitness figure shows.

    Attributes:
        start: highest fitness among the programs that were given, 0 without any.
        points: one a reply, in order of their steps.
    """

    start: float
    points: tuple[FitnessPoint, ...]

    @property
    def best(self) -> float:
        """The highest fitness of all."""
        return self.points[-1].best if self.points else self.start

    @property
    def description(self) -> str:
        """What there is to see, in a sentence."""
        solved = sum(point.verdict is Verdict.ACCEPTED for point in self.points)
        return (
            f"Best fitness went from {self.start:.3g} to {self.best:.3g} over "
            f"{len(self.points)} replies, of which {solved} held a correct program."
        )


def fitness_history(steps: Iterable[Step]) -> FitnessHistory:
    """Fitness reply by reply, failures included.

    Args:
        steps: the steps of one run, in any order.
    """
    start = 0.0
    points: list[FitnessPoint] = []
    for step in sorted(steps, key=lambda step: step.id):
        fitness = step.evaluation.fitness if step.evaluation else 0.0
        if step.completion is None:
            start = max(start, fitness)
            continue
        before = points[-1] if points else None
        fresh = step.evaluation is not None and step.duplicate_of is None
        points.append(
            FitnessPoint(
                step=step.id,
                reply=len(points) + 1,
                evaluations=(before.evaluations if before else 0) + fresh,
                island=step.request.island,
                verdict=step.verdict,
                fitness=fitness,
                best=max(before.best if before else start, fitness),
            )
        )
    return FitnessHistory(start=start, points=tuple(points))


def fitness_figure(
    histories: FitnessHistory | Sequence[tuple[str, FitnessHistory]],
    *,
    log: bool | None = None,
) -> "go.Figure":
    """Best fitness so far as a line for each run; for a single run its replies as well.

    Args:
        histories: one run, or several with their names.
        log: logarithmic fitness axis; None decides by the range of what is shown. Failures
            have no place on such an axis and stand along its lower edge.
    """
    import plotly.graph_objects as go

    named = [("", histories)] if isinstance(histories, FitnessHistory) else list(histories)
    values = _values(named)
    low = min(values, default=1.0)
    use_log = max(values, default=1.0) / low > _WIDE_RANGE if log is None else log
    floor = low / 2 if use_log else 0.0
    figure = go.Figure()
    if len(named) == 1:
        _add_replies(figure, named[0][1], floor)
    for number, (name, history) in enumerate(named):
        figure.add_trace(_best_line(name or "best so far", history, number, floor))
    description = " ".join(f"{name} {history.description}".strip() for name, history in named)
    title = description if len(named) == 1 else "Best fitness so far"
    figure.update_layout(
        template=template(),
        title={"text": title},
        height=380,
        meta={"description": description},
        xaxis={"title": {"text": "replies of the model"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "fitness"}, "type": "log" if use_log else "linear"},
    )
    return figure


def _values(named: Iterable[tuple[str, FitnessHistory]]) -> list[float]:
    """All fitness above zero."""
    found = []
    for _, history in named:
        found += [history.start, *(point.fitness for point in history.points)]
    return [value for value in found if value > 0]


def _best_line(name: str, history: FitnessHistory, number: int, floor: float) -> Any:
    import plotly.graph_objects as go

    best = [history.start, *(point.best for point in history.points)]
    return go.Scatter(
        x=[0, *(point.reply for point in history.points)],
        y=[max(value, floor) for value in best],
        customdata=best,
        hovertemplate="reply %{x}<br>best so far %{customdata:.4g}",
        name=name,
        mode="lines",
        line={
            "shape": "hv",
            "width": 2,
            "color": PALETTE[number % len(PALETTE)],
            "dash": DASHES[number % len(DASHES)],
        },
    )


def _add_replies(figure: "go.Figure", history: FitnessHistory, floor: float) -> None:
    """One trace a verdict, so that the legend explains the symbols."""
    import plotly.graph_objects as go

    for verdict in sorted({point.verdict for point in history.points}, reverse=True):
        points = [point for point in history.points if point.verdict is verdict]
        solved = verdict is Verdict.ACCEPTED
        figure.add_trace(
            go.Scatter(
                x=[point.reply for point in points],
                y=[max(point.fitness, floor) for point in points],
                customdata=[
                    [point.step, point.island, point.evaluations, point.fitness] for point in points
                ],
                name=f"{verdict.words} ({len(points)})",
                mode="markers",
                marker={
                    "symbol": SYMBOLS[verdict],
                    "size": 8,
                    "color": SOLVED if solved else FAILED,
                    "opacity": 0.7,
                },
                hovertemplate=(
                    "step %{customdata[0]}, island %{customdata[1]}<br>"
                    "fitness %{customdata[3]:.4g}<br>"
                    "%{customdata[2]} programs run so far<extra>" + verdict.words + "</extra>"
                ),
            )
        )
