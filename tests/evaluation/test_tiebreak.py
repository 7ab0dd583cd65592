"""Decisions by instructions, on counts whose outcome is worked out by hand."""

import pytest

from workbench.evaluation import Decision
from workbench.evaluation.comparison import Measure
from workbench.evaluation.tiebreak import compare_counts
from workbench.programs import Program

FIRST, SECOND = Program("first"), Program("second")
M = 10**6


@pytest.mark.parametrize(
    ("one", "other", "decision"),
    [
        ([100 * M], [95 * M], Decision.FASTER),  # at least 99.75 / 95.25 = 1.047
        ([95 * M], [100 * M], Decision.SLOWER),
        ([100 * M], [98.9 * M], Decision.TIE),  # at least 99.75 / 99.15 = 1.006
        ([1 * M], [0.8 * M], Decision.TIE),  # at least 0.75 / 1.05: jitter is all there is
        ([100 * M, 10], [95 * M, 10**5], Decision.FASTER),  # a case of nothing decides nothing
        ([0], [0], Decision.TIE),
    ],
)
def test_a_decision_clears_jitter_and_margin(
    one: list[int], other: list[int], decision: Decision
) -> None:
    found = compare_counts(FIRST, SECOND, one, other)
    assert (found.decision, found.by, found.cases) == (decision, Measure.INSTRUCTIONS, len(one))
    assert found.speedup is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.speedup < found.high


def test_the_interval_is_what_jitter_allows() -> None:
    found = compare_counts(FIRST, SECOND, [60 * M, 40 * M], [50 * M, 30 * M])
    assert found.speedup == pytest.approx(100 / 80)
    assert (found.low, found.high) == pytest.approx((99.5 / 80.5, 100.5 / 79.5))


def test_a_missing_count_decides_nothing() -> None:
    found = compare_counts(FIRST, SECOND, [100 * M, None], [95 * M, 90 * M])
    assert (found.decision, found.speedup) == (Decision.TIE, None)
