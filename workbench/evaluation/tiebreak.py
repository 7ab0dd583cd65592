"""Which of two programs takes fewer instructions, where their times do not tell."""

from collections.abc import Sequence

from workbench.evaluation.comparison import Comparison, Decision, Measure
from workbench.programs import Program
from workbench.sandbox.instructions import JITTER

_MARGIN = 0.01


def compare_counts(
    first: Program, second: Program, of_first: Sequence[int | None], of_second: Sequence[int | None]
) -> Comparison:
    """Decide by the instructions of several runs together.

    Args:
        first: the parent.
        second: the child.
        of_first: its counts, one a case; None where a run came to none.
        of_second: likewise, of the same cases.

    Returns:
        `FASTER` or `SLOWER` if the interval that the counter's jitter leaves lies outside one
        per cent; `TIE` if not, and without figures if a count is missing.
    """
    counts = [count for count in (*of_first, *of_second) if count is not None]
    if len(counts) < len(of_first) + len(of_second):
        return Comparison(
            first=first.id, second=second.id, decision=Decision.TIE, by=Measure.INSTRUCTIONS
        )
    jitter = JITTER * len(of_first)
    one, other = (max(sum(part), 1) for part in (counts[: len(of_first)], counts[len(of_first) :]))
    low, high = max(one - jitter, 0) / (other + jitter), (one + jitter) / max(other - jitter, 1)
    decision = Decision.TIE
    if low > 1 + _MARGIN:
        decision = Decision.FASTER
    elif high < 1 / (1 + _MARGIN):
        decision = Decision.SLOWER
    return Comparison(
        first=first.id,
        second=second.id,
        decision=decision,
        speedup=one / other,
        low=low,
        high=high,
        pairs=1,
        cases=len(of_first),
        margin=_MARGIN,
        by=Measure.INSTRUCTIONS,
    )
