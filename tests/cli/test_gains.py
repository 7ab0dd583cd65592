"""What is called a gain, and whose."""

from dataclasses import replace
from pathlib import Path

import hand_made_run
import pytest
from scripted_driver import opened

from workbench.analysis import RunSummary, summarise
from workbench.cli.demo import _Finished, model_best_gain
from workbench.cli.report import gained
from workbench.sandbox import LocalSandbox
from workbench.search import Driver


def _summary(*, improved: int, speedup: float | None, low: float | None) -> RunSummary:
    found = summarise(hand_made_run.manifest(), hand_made_run.steps())
    return replace(found, improved=improved, speedup=speedup, low=low, high=speedup)


@pytest.mark.parametrize(
    ("improved", "speedup", "low", "expected"),
    [
        (1, 2.0, 1.8, True),
        (1, None, None, True),  # the start was wrong, so that there is nothing to compare
        (0, 1.001, 1.0005, False),  # nobody was better than its parent
        (1, 1.01, 0.98, False),  # not beyond the interval
    ],
)
def test_a_gain_is_an_improvement_beyond_the_interval(
    improved: int, speedup: float | None, low: float | None, expected: bool
) -> None:
    assert gained(_summary(improved=improved, speedup=speedup, low=low)) is expected


@pytest.fixture
def driver(tmp_path: Path) -> Driver:
    with LocalSandbox() as sandbox:
        made = opened(tmp_path / "run.sqlite", sandbox)
        made.store.close()
        return made


def test_the_models_largest_gain_is_announced_and_never_the_controls(driver: Driver) -> None:
    small, large, control = (
        _Finished(
            driver=driver,
            summary=_summary(improved=1, speedup=speedup, low=1.05),
            control=is_control,
        )
        for speedup, is_control in ((1.1, False), (3.0, False), (146.0, True))
    )
    assert model_best_gain([small, large, control]) is large
    assert model_best_gain([control]) is None


def test_nothing_is_announced_where_nothing_was_gained(driver: Driver) -> None:
    tie = _Finished(
        driver=driver, summary=_summary(improved=0, speedup=1.001, low=1.0), control=False
    )
    assert model_best_gain([tie]) is None
