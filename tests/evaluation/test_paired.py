"""The paired decision on times whose truth is known."""

import math
import random
from collections.abc import Callable

import pytest

from workbench.errors import ConfigError
from workbench.evaluation import Decision
from workbench.evaluation.paired import PairedSettings, compare_times
from workbench.evaluation.timing import Seconds
from workbench.programs import Program
from workbench.tasks import Case, Group

FIRST, SECOND = Program("first"), Program("second")
CASES = tuple(
    Case(id=f"c{number}", group=Group.HIDDEN, input="", expected="") for number in range(3)
)


def _blocks(
    ratio: float, noise: float, seed: int = 0, drift: float = 0.0
) -> Callable[[Case, list[Program]], list[Seconds]]:
    """Times of 10 ms for the first and 10 ms / ratio for the second, with log-normal noise.

    `drift` makes every run slower than the one before by that share.
    """
    rng = random.Random(seed)
    runs = 0

    def time_block(case: Case, order: list[Program]) -> list[Seconds]:  # noqa: ARG001
        nonlocal runs
        times = []
        for program in order:
            true = 0.010 if program is FIRST else 0.010 / ratio
            seconds = true * math.exp(rng.gauss(0, noise)) * (1 + drift) ** runs
            runs += 1
            times.append(Seconds(cpu_s=seconds, wall_s=seconds))
        return times

    return time_block


@pytest.mark.parametrize(
    ("ratio", "decision"),
    [(2.0, Decision.FASTER), (0.5, Decision.SLOWER), (1.0, Decision.TIE), (1.01, Decision.TIE)],
)
def test_decides_by_the_true_ratio(ratio: float, decision: Decision) -> None:
    found = compare_times(FIRST, SECOND, CASES, _blocks(ratio, noise=0.03), PairedSettings())
    assert found.decision is decision


def test_the_interval_holds_the_true_ratio_and_the_estimate() -> None:
    found = compare_times(FIRST, SECOND, CASES, _blocks(2.0, noise=0.05), PairedSettings())
    assert found.low is not None
    assert found.high is not None
    assert found.speedup is not None
    assert found.low < found.speedup < found.high
    assert found.low < 2.0 < found.high
    assert found.speedup == pytest.approx(2.0, rel=0.1)


def test_a_clear_case_stops_at_the_first_look_and_an_unclear_one_does_not() -> None:
    settings = PairedSettings()
    clear = compare_times(FIRST, SECOND, CASES, _blocks(3.0, noise=0.05), settings)
    unclear = compare_times(FIRST, SECOND, CASES, _blocks(1.0, noise=0.05), settings)
    assert (clear.pairs, unclear.pairs) == (10, 30)


def test_same_program_under_noise_is_seldom_called_better() -> None:
    decisions = [
        compare_times(
            FIRST, SECOND, CASES, _blocks(1.0, noise=0.10, seed=seed), PairedSettings()
        ).decision
        for seed in range(100)
    ]
    # A median of 90 pairs with 10 % noise has a standard error near 2 %, the margin is 3 %.
    assert sum(decision is not Decision.TIE for decision in decisions) <= 5


@pytest.mark.parametrize("noise", [0.06, 0.25, 1.0])
def test_two_looks_call_equals_better_at_most_once_in_twenty(noise: float) -> None:
    settings = PairedSettings(resamples=400)
    claims = [
        compare_times(
            FIRST, SECOND, CASES[:1], _blocks(1.0, noise, seed), settings, draw=seed
        ).improved
        for seed in range(400)
    ]
    assert sum(claims) <= 20


def test_a_machine_that_slows_down_steadily_favours_nobody() -> None:
    steady = _blocks(1.0, noise=0.0, drift=0.01)
    found = compare_times(FIRST, SECOND, CASES, steady, PairedSettings())
    assert found.speedup == pytest.approx(1.0, abs=0.005)


def test_every_block_holds_both_programs_twice_in_mirrored_order() -> None:
    seen: list[list[str]] = []

    def record(case: Case, order: list[Program]) -> list[Seconds]:  # noqa: ARG001
        seen.append([program.source for program in order])
        return [Seconds(0.01, 0.01)] * len(order)

    compare_times(FIRST, SECOND, CASES[:1], record, PairedSettings(max_pairs=10))
    (order,) = seen
    assert order[:2] == ["first", "second"]  # warm-up
    blocks = [order[start : start + 4] for start in range(2, len(order), 4)]
    assert len(blocks) == 5
    assert all(block == block[::-1] and len(set(block)) == 2 for block in blocks)
    assert len({tuple(block) for block in blocks}) == 2, "the order is drawn, not fixed"


@pytest.mark.parametrize("changes", [{"first_pairs": 0}, {"max_pairs": 5}, {"margin": -0.1}])
def test_refuses_a_design_that_cannot_decide(changes: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="paired"):
        PairedSettings(**changes)  # type: ignore[arg-type]
