"""Tables and diffs for the terminal."""

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from workbench.analysis import RunSummary
from workbench.cli.output import add_row
from workbench.search import Driver
from workbench.views.diff import diff_text

_LEFT = ("task", "model")
_RIGHT = (
    "start fitness", "best fitness", "speed-up (95 %)", "compl.", "parsed", "accepted",
    "improved", "evals", "seconds",
)  # fmt: skip


def summary_table(summaries: Iterable[RunSummary]) -> Table:
    """One line a run."""
    table = Table(title="Evolution", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in _LEFT:
        table.add_column(name, no_wrap=True)
    for name in _RIGHT:
        table.add_column(name, justify="right", no_wrap="%" in name)
    for summary in summaries:
        counts = (
            summary.completions,
            summary.parsed,
            summary.accepted,
            summary.improved,
            summary.evaluations,
        )
        fitness = (_number(summary.start_fitness), _number(summary.best_fitness))
        cells = (summary.task, summary.model, *fitness, speedup_phrase(summary), *counts)
        add_row(table, (*cells, f"{summary.seconds:.1f}"))
    return table


def summary_row(summary: RunSummary) -> dict[str, Any]:
    """The same figures by name."""
    return {
        "task": summary.task,
        "model": summary.model,
        "start_fitness": summary.start_fitness,
        "best_fitness": summary.best_fitness,
        "speedup": summary.speedup,
        "speedup_low": summary.low,
        "speedup_high": summary.high,
        "completions": summary.completions,
        "parsed": summary.parsed,
        "accepted": summary.accepted,
        "improved": summary.improved,
        "evaluations": summary.evaluations,
        "seconds": round(summary.seconds, 3),
        "verdicts": {verdict.words: count for verdict, count in summary.verdicts},
    }


def speedup_phrase(summary: RunSummary) -> str:
    """Estimate and interval, or why there is none."""
    if summary.best_fitness is None or summary.improved == 0:
        return "none found"
    if summary.speedup is None or summary.low is None or summary.high is None:
        return "newly solved"
    return f"{summary.speedup:.3g}x ({summary.low:.3g}-{summary.high:.3g})"


def gained(summary: RunSummary) -> bool:
    """Whether the best is better than the start: newly right, or faster beyond the interval."""
    if summary.improved == 0 or summary.best_fitness is None:
        return False
    return summary.low is None or summary.low > 1


def show_difference(driver: Driver, console: Console) -> None:
    """What the search changed from the start to the best."""
    if driver.start is None or driver.best is None:
        return
    sources = driver.start.program.source, driver.best.program.source
    difference = diff_text(*sources, names=("start", "best"))
    console.print(Syntax(difference, "diff", theme="ansi_dark", background_color="default"))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
