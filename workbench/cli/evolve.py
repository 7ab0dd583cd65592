"""`workbench evolve`: one task, one model, one run."""

import shlex
from pathlib import Path
from typing import Any

from rich.console import Console

from workbench.analysis import RunSummary, summarise
from workbench.cli.output import emit, progress_console, result_console, say
from workbench.cli.report import gained, show_difference, summary_row, summary_table
from workbench.cli.session import ProgressLine, evaluator, fresh_path, model_named, progress
from workbench.runs import RunStore
from workbench.sandbox import TrustLevel
from workbench.search import Driver, RunSettings, open_run, stored_settings
from workbench.tasks import find_task


def run(
    task_name: str,
    model_name: str | None,
    settings: RunSettings,
    store: Path,
    *,
    trust: TrustLevel,
    as_json: bool,
) -> None:
    """A new run in `store`.

    Raises:
        WorkbenchError: as the packages below raise it.
    """
    task = find_task(task_name)
    with evaluator(trust) as judge, model_named(model_name) as model:
        path = fresh_path(store, task.name, model.name, settings.seed)
        driver = open_run(path, task=task, model=model, evaluator=judge, settings=settings)
        _carry_on(driver, task_name, settings, trust=trust, as_json=as_json)


def resume(path: Path, task_name: str | None, *, trust: TrustLevel, as_json: bool) -> None:
    """The run at `path`, with its own model and settings.

    Args:
        path: the run store.
        task_name: its task, where the name that is stored does not lead to it (a folder).
        trust: lowest trust level to accept.
        as_json: whether to write the JSON object.

    Raises:
        WorkbenchError: as the packages below raise it.
    """
    with RunStore.open(path) as stored:
        manifest = stored.manifest
    settings = stored_settings(manifest)
    task = find_task(task_name or manifest.task)
    with evaluator(trust) as judge, model_named(manifest.model) as model:
        driver = open_run(path, task=task, model=model, evaluator=judge, settings=settings)
        _carry_on(driver, task_name or manifest.task, settings, trust=trust, as_json=as_json)


def _carry_on(
    driver: Driver, task_name: str, settings: RunSettings, *, trust: TrustLevel, as_json: bool
) -> None:
    store = driver.store
    try:
        with progress() as display:
            total = settings.search.rounds * settings.search.parents + settings.search.drafts
            label = f"{driver.task.name} with {store.manifest.model}"
            line = ProgressLine(display, label, driver, total)
            driver.run(on_step=line)
            line.finish()
        driver.confirm()
    except BaseException:
        command = resume_command(task_name, store.path, trust)
        kept = f"Stopped. {len(driver.steps)} steps are kept; go on with:"
        say(progress_console, f"{kept}\n  {command}")
        raise
    finally:
        summary = summarise(store.manifest, driver.steps, store.comparisons())
        store.close()
    _show(driver, summary, result_console(as_json=as_json))
    emit(result(driver, summary), as_json=as_json)


def result(driver: Driver, summary: RunSummary) -> dict[str, Any]:
    """The JSON object about one run."""
    best = driver.best
    return {
        **summary_row(summary),
        "run": str(driver.store.path),
        "best_program": best.program.source if best else None,
    }


def _show(driver: Driver, summary: RunSummary, console: Console) -> None:
    console.print(summary_table([summary]))
    if gained(summary):
        show_difference(driver, console)
    else:
        say(console, "No program better than the start was found.")
    say(console, f"Stored: {driver.store.path}")


def resume_command(task_name: str, path: Path, trust: TrustLevel) -> str:
    """What to type, in a shell, to go on with a run on the same terms."""
    words = ["workbench", "evolve", task_name, "--resume", str(path)]
    if trust is not TrustLevel.L1:
        words += ["--trust", trust.name]
    return shlex.join(words)
