import hand_made_run
import pytest

from workbench.analysis import summarise
from workbench.evaluation import Verdict


def test_summary_counts_what_the_hand_made_run_holds() -> None:
    summary = summarise(hand_made_run.manifest(), hand_made_run.steps())
    assert (summary.task, summary.model) == ("double", "by-hand")
    assert summary.given == 1
    assert summary.completions == 5
    assert summary.parsed == 4
    assert summary.evaluations == 2
    assert summary.duplicates == 1
    assert summary.accepted == 2
    assert summary.improved == 1
    assert summary.seconds == 5.0
    assert dict(summary.verdicts) == {
        Verdict.ACCEPTED: 2,
        Verdict.WRONG_ANSWER: 1,
        Verdict.NO_CHANGE: 1,
        Verdict.UNPARSED: 1,
    }


def test_fitness_goes_from_the_start_of_round_0_to_the_best_of_all() -> None:
    summary = summarise(hand_made_run.manifest(), hand_made_run.steps())
    # Eq. 3: 1 / ((0.010 + 1e-6) * 1000) and 1 / ((0.005 + 1e-6) * 1000)
    assert summary.start_fitness == pytest.approx(1 / 10.001)
    assert summary.best_fitness == pytest.approx(1 / 5.001)


def test_speedup_is_the_last_comparison() -> None:
    older = hand_made_run.comparison()
    newer = type(older)(
        first="a", second="b", decision=older.decision, speedup=3.0, low=2.5, high=3.5
    )
    summary = summarise(hand_made_run.manifest(), hand_made_run.steps(), [older, newer])
    assert (summary.speedup, summary.low, summary.high) == (3.0, 2.5, 3.5)


def test_order_of_steps_does_not_matter() -> None:
    steps = hand_made_run.steps()
    manifest = hand_made_run.manifest()
    assert summarise(manifest, steps) == summarise(manifest, steps[::-1])


def test_a_run_without_steps_has_no_figures() -> None:
    summary = summarise(hand_made_run.manifest(), [])
    assert summary.start_fitness is None
    assert summary.best_fitness is None
    assert summary.speedup is None
    assert summary.seconds == 0.0
    assert summary.verdicts == ()
