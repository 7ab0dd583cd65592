"""A run in a dozen figures. How they are shown is the views' business."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.evaluation import Comparison, Evaluation, Verdict
from workbench.runs import Manifest, Step


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """What came of a run.

    Attributes:
        task: name of the task.
        model: name of the model.
        start_fitness: fitness of the best program of round 0, None before it is judged.
        best_fitness: the highest fitness so far, None before anything is judged.
        speedup: seconds of the start / seconds of the best, from the last paired comparison;
            None without one, or if it had nothing to divide.
        low: lower end of the 95 % interval of `speedup`.
        high: its upper end.
        given: programs that came with the task, as far as they were judged.
        completions: replies of the model.
        parsed: replies that held a program.
        evaluations: programs from the model that were run, each text once.
        duplicates: replies that repeated the text of an earlier program of the run.
        accepted: replies whose program solves the task.
        improved: replies whose program beats its parent beyond noise.
        verdicts: how often each verdict was reached by a reply, from most solved to least.
        seconds: wall seconds from the run's start to its last step.
    """

    task: str
    model: str
    start_fitness: float | None
    best_fitness: float | None
    speedup: float | None
    low: float | None
    high: float | None
    given: int
    completions: int
    parsed: int
    evaluations: int
    duplicates: int
    accepted: int
    improved: int
    verdicts: tuple[tuple[Verdict, int], ...]
    seconds: float


def summarise(
    manifest: Manifest, steps: Sequence[Step], comparisons: Sequence[Comparison] = ()
) -> RunSummary:
    """The run's figures, of whatever has been recorded so far.

    Args:
        manifest: what the run is made of.
        steps: its steps, in any order.
        comparisons: start against best, latest last.
    """
    replies = [step for step in steps if step.completion is not None]
    first_round = _evaluations(step for step in steps if step.request.round == 0)
    counts = Counter(step.verdict for step in replies)
    last = comparisons[-1] if comparisons else None
    return RunSummary(
        task=manifest.task,
        model=manifest.model,
        start_fitness=_best(first_round),
        best_fitness=_best(_evaluations(steps)),
        speedup=last.speedup if last else None,
        low=last.low if last else None,
        high=last.high if last else None,
        given=sum(step.completion is None and step.evaluation is not None for step in steps),
        completions=len(replies),
        parsed=sum(step.parsed for step in replies),
        evaluations=sum(
            step.evaluation is not None and step.duplicate_of is None for step in replies
        ),
        duplicates=sum(step.duplicate_of is not None for step in replies),
        accepted=sum(step.accepted for step in replies),
        improved=sum(step.improved for step in replies),
        verdicts=tuple(sorted(counts.items(), reverse=True)),
        seconds=max((step.finished_at - manifest.started_at for step in steps), default=0.0),
    )


def _evaluations(steps: Iterable[Step]) -> list[Evaluation]:
    return [step.evaluation for step in steps if step.evaluation is not None]


def _best(evaluations: Sequence[Evaluation]) -> float | None:
    return max((evaluation.fitness for evaluation in evaluations), default=None)
