"""The control on its own: rules raise fitness on most bundled tasks, and pairs confirm it."""

from pathlib import Path

import pytest

from workbench.evaluation import Decision, Evaluator
from workbench.models import open_model
from workbench.population import IslandSettings
from workbench.sandbox import LocalSandbox
from workbench.search import IslandSearchSettings, RunSettings, open_run
from workbench.tasks import list_tasks

SETTINGS = RunSettings(
    search=IslandSearchSettings(rounds=1, parents=6, keep=3, islands=IslandSettings(count=2))
)


@pytest.mark.slow
def test_the_rewriter_speeds_up_at_least_half_of_the_bundled_tasks(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    """Start and best are measured again, interleaved; only that counts."""
    tasks = list_tasks()
    decisions = {}
    for task in tasks:
        driver = open_run(
            tmp_path / f"{task.name}.sqlite",
            task=task,
            model=open_model("rewriter"),
            evaluator=Evaluator(sandbox),
            settings=SETTINGS,
        )
        driver.run()
        comparison = driver.confirm()
        assert comparison is not None
        decisions[task.name] = comparison.decision
        driver.store.close()
    faster = [name for name, decision in decisions.items() if decision is Decision.FASTER]
    assert len(faster) >= len(tasks) / 2, decisions
    assert Decision.SLOWER not in decisions.values(), decisions
