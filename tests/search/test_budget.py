"""What counts, and what happens where the budget ends."""

from pathlib import Path

import pytest
from builders import (
    fenced,
)
from scripted_driver import SETTINGS, opened

from workbench.errors import ConfigError
from workbench.models import ScriptedModel
from workbench.sandbox import LocalSandbox
from workbench.search import (
    Budget,
    IslandSearchSettings,
    RunSettings,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_evaluations_never_exceed_the_budget(path: Path, sandbox: LocalSandbox) -> None:
    replies = [
        fenced(f"def double(n):\n    return 2 * n + {number} * 0\n") for number in range(997)
    ]
    settings = RunSettings(search=SETTINGS.search, budget=Budget(evaluations=6), seed=5)
    driver = opened(path, sandbox, settings, ScriptedModel(replies))
    driver.run()
    assert driver.finished
    assert driver.spent.evaluations == 6


def test_completions_and_tokens_are_budgeted_too(tmp_path: Path, sandbox: LocalSandbox) -> None:
    for number, budget in enumerate((Budget(completions=5), Budget(tokens=1))):
        settings = RunSettings(search=SETTINGS.search, budget=budget, seed=5)
        driver = opened(tmp_path / f"{number}.sqlite", sandbox, settings)
        driver.run()
        assert driver.spent.completions == (5, 4)[number]


def test_drafts_without_a_budget_for_them_are_a_finished_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    settings = RunSettings(
        search=IslandSearchSettings(rounds=1, parents=2, drafts=3),
        starts_from="drafts",
        budget=Budget(completions=0),
    )
    driver = opened(path, sandbox, settings)
    assert driver.run() is None
    assert driver.finished
    assert driver.steps == []


def test_drafts_are_evaluations_of_the_budget(path: Path, sandbox: LocalSandbox) -> None:
    unlike = [fenced(f"def double(n):\n    return {k} * 0 + 2 * n\n") for k in range(997)]
    settings = RunSettings(
        search=IslandSearchSettings(rounds=2, parents=4, drafts=3),
        starts_from="exhibits",
        budget=Budget(evaluations=4),
    )
    driver = opened(path, sandbox, settings, ScriptedModel(unlike))
    driver.run()
    operators = [step.request.operator for step in driver.steps]
    assert operators == ["start"] * 3 + ["draft"] * 3 + ["improve"]


@pytest.mark.parametrize("bound", [float("nan"), -1, 2.5])
@pytest.mark.parametrize("name", ["evaluations", "completions", "tokens"])
def test_bounds_of_the_budget_are_checked_by_name(name: str, bound: float) -> None:
    with pytest.raises(ConfigError, match=name):
        Budget(**{name: bound})  # type: ignore[arg-type]
