"""`workbench demo`: a model on a handful of bundled tasks, the rewriter beside it as control."""

import math
import shlex
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.progress import Progress

from workbench.analysis import RunSummary, summarise
from workbench.cli.evolve import result
from workbench.cli.output import emit, progress_console, result_console, say
from workbench.cli.report import gained, show_difference, summary_table
from workbench.cli.session import ProgressLine, evaluator, model_named, progress, slug
from workbench.evaluation import Evaluator
from workbench.models import LanguageModel, Sampling, open_model
from workbench.population import IslandSettings
from workbench.sandbox import TrustLevel
from workbench.search import Budget, Driver, IslandSearchSettings, RunSettings, open_run
from workbench.tasks import find_task

# Short tasks, on which even a very small model has a chance.
TASKS = ("sum-to", "count-letter", "join-words", "reverse-text")

_SEARCH = IslandSearchSettings(
    rounds=2, parents=6, keep=3, history=1, islands=IslandSettings(count=2, migration_every=1)
)
_SAMPLING = Sampling(temperature=0.7, max_tokens=112, timeout_s=45)
_CONTROL = "rewriter"
# The control repeats itself and may need more rounds to come to as many evaluations.
_CONTROL_ROUNDS = 8
# No round begins later than this and none takes much longer than its sampling allows, so that
# the demo ends within five minutes on a slow machine too.
_MAX_SECONDS = 200.0


@dataclass(frozen=True, kw_only=True)
class _Finished:
    """One run with its figures; `control` tells it from the model's, whatever that is."""

    driver: Driver
    summary: RunSummary
    control: bool


def run(
    model_name: str | None, store: Path, *, seed: int, trust: TrustLevel, as_json: bool
) -> None:
    """Evolve every demo task; a second call with the same store goes on where it stopped.

    Raises:
        WorkbenchError: as the packages below raise it.
    """
    began = time.monotonic()
    finished: list[_Finished] = []
    try:
        with evaluator(trust) as judge, model_named(model_name) as model, progress() as display:
            for position, name in enumerate(TASKS):
                left = _MAX_SECONDS - (time.monotonic() - began)
                share = left / (len(TASKS) - position)
                with_model = _one(name, model, judge, store, _settings(seed), display, share)
                finished.append(with_model)
                control = _control_settings(seed, with_model.summary)
                finished.append(
                    _one(name, open_model(_CONTROL), judge, store, control, display, None)
                )
    except BaseException:
        say(
            progress_console,
            f"Stopped. All that was evaluated is kept in {store}; the same command with "
            f"--store {shlex.quote(str(store))} --seed {seed} goes on from there.",
        )
        raise
    finally:
        for done in finished:
            done.driver.store.close()
    _show(finished, time.monotonic() - began, store, as_json=as_json)


def _settings(seed: int) -> RunSettings:
    return RunSettings(search=_SEARCH, sampling=_SAMPLING, seed=seed)


def _control_settings(seed: int, beside: RunSummary) -> RunSettings:
    """As many evaluations as the model's run took, and no more."""
    return RunSettings(
        search=replace(_SEARCH, rounds=_CONTROL_ROUNDS),
        sampling=_SAMPLING,
        budget=Budget(evaluations=beside.evaluations),
        seed=seed,
    )


def _one(  # noqa: PLR0913 - the parts of a run
    task_name: str,
    model: LanguageModel,
    judge: Evaluator,
    store: Path,
    settings: RunSettings,
    display: Progress,
    max_seconds: float | None,
) -> _Finished:
    task = find_task(task_name)
    path = store / _file_name(task.name, model.name, settings)
    driver = open_run(path, task=task, model=model, evaluator=judge, settings=settings)
    total = settings.search.rounds * settings.search.parents
    line = ProgressLine(display, f"{task.name} with {model.name}", driver, total)
    driver.run(on_step=line, max_seconds=max_seconds)
    line.finish()
    driver.confirm()
    summary = summarise(driver.store.manifest, driver.steps, driver.store.comparisons())
    control = settings.budget.evaluations is not None
    return _Finished(driver=driver, summary=summary, control=control)


def _file_name(task: str, model: str, settings: RunSettings) -> str:
    """The same for the same run, so that a second call finds it; the budget is part of it."""
    parts = ["demo", slug(task), slug(model), f"s{settings.seed}"]
    if settings.budget.evaluations is not None:
        parts.append(f"e{settings.budget.evaluations}")
    return "--".join(parts) + ".sqlite"


def _show(finished: list[_Finished], seconds: float, store: Path, *, as_json: bool) -> None:
    console = result_console(as_json=as_json)
    console.print(summary_table(done.summary for done in finished))
    say(
        console,
        "evals: different programs judged. The control stops at the model's number, or sooner if "
        "it only repeats itself.",
    )
    with_model = [done.summary for done in finished if not done.control]
    if not any(summary.improved for summary in with_model):
        say(console, f"{with_model[0].model} improved nothing here.")
    best = model_best_gain(finished)
    if best is not None:
        say(console, f"The model's best gain: {best.summary.task} with {best.summary.model}")
        show_difference(best.driver, console)
    say(console, f"Stored in {store}/. Next: `workbench lab`, then open 01_one_round.ipynb.")
    emit(_as_json(finished, seconds), as_json=as_json)


def model_best_gain(finished: Iterable[_Finished]) -> _Finished | None:
    """The model's run with the largest confirmed gain, first of all what it newly solved."""
    with_gain = [done for done in finished if not done.control and gained(done.summary)]
    return max(with_gain, key=lambda done: done.summary.speedup or math.inf, default=None)


def _as_json(finished: list[_Finished], seconds: float) -> dict[str, Any]:
    runs = [result(done.driver, done.summary) for done in finished]
    return {"runs": runs, "seconds": round(seconds, 3)}
