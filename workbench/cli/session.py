"""What commands that run something share: a sandbox, a model, a place, and a progress line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from workbench.cli.output import progress_console, say
from workbench.evaluation import Evaluator
from workbench.models import LanguageModel, best_local, open_model
from workbench.runs import Step
from workbench.sandbox import LocalSandbox, TrustLevel
from workbench.search import Driver
from workbench.views.html import visible


@contextmanager
def evaluator(trust: TrustLevel) -> Iterator[Evaluator]:
    """An evaluator on a sandbox of this machine, ended afterwards."""
    with LocalSandbox(allow=trust) as sandbox:
        yield Evaluator(sandbox)


@contextmanager
def model_named(name: str | None) -> Iterator[LanguageModel]:
    """The named model, or the best local one, saying which and why; closed afterwards."""
    if name is None:
        name, why = best_local()
        say(progress_console, f"Model: {name} ({why})")
    model = open_model(name, progress=_say_progress)
    try:
        yield model
    finally:
        model.close()


def _say_progress(stage: str, share: float) -> None:  # noqa: ARG001 - stages are few and named
    """A line for each stage of fetching weights, as it begins."""
    say(progress_console, f"  {stage}")


def fresh_path(store: Path, task: str, model: str, seed: int) -> Path:
    """Where a new run is stored: task, model, seed and the time in the file's name."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return store / f"{slug(task)}--{slug(model)}--s{seed}--{now}.sqlite"


def slug(text: str) -> str:
    """The text as part of a file name."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


@contextmanager
def progress() -> Iterator[Progress]:
    """A live display on standard error."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Progress(*columns, console=progress_console) as display:
        yield display


class ProgressLine:
    """One run's line in a live display; call it with every step."""

    def __init__(self, display: Progress, label: str, driver: Driver, total: int) -> None:
        self._display = display
        self._driver = driver
        self._accepted = sum(step.accepted for step in driver.steps)
        done = driver.spent.completions
        self._id = display.add_task(visible(label), total=total, completed=done, note="starting")

    def __call__(self, step: Step) -> None:
        """Move on by one step."""
        self._accepted += step.accepted
        best = self._driver.best
        known = best.evaluation.fitness if best else 0.0
        if step.evaluation is not None:
            known = max(known, step.evaluation.fitness)
        note = f"last: {step.verdict.words}; best fitness {known:.4g}"
        self._display.update(self._id, advance=step.completion is not None, note=note)

    def finish(self) -> None:
        """Stop the line's clock; what was not asked for is not missing."""
        done = self._driver.spent.completions
        best = self._driver.best
        note = f"best fitness {best.evaluation.fitness:.4g}" if best else "nothing to start from"
        self._display.update(self._id, total=done, completed=done, note=note)
        self._display.stop_task(self._id)
