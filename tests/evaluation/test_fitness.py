"""Eq. 3 of MetaEvolve against values worked out by hand."""

import pytest

from workbench.evaluation.fitness import fitness


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0005, 1.0),  # 1 / 0.501 is above the cap
        (0.001, 0.999000999),  # 1 / 1.001
        (0.010, 0.0999900010),  # 1 / 10.001
        (1.0, 0.000999999),  # 1 / 1000.001
    ],
)
def test_equals_the_formula_worked_by_hand(seconds: float, expected: float) -> None:
    assert fitness(seconds, all_passed=True) == pytest.approx(expected, rel=1e-8)


def test_is_zero_unless_every_case_passed() -> None:
    assert fitness(0.0001, all_passed=False) == 0.0


@pytest.mark.parametrize("seconds", [-1e-9, float("nan")])
def test_refuses_a_time_that_is_none(seconds: float) -> None:
    with pytest.raises(ValueError, match="at least 0"):
        fitness(seconds, all_passed=True)
