"""What a command says: people read standard error or a table, programs read one JSON object."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from workbench.errors import WorkbenchError
from workbench.views.html import visible

# Where nobody sets a width (a pipe, a log), rich assumes one that cuts tables off.
_UNSEEN_WIDTH = 120


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else _UNSEEN_WIDTH)


progress_console = _console(stderr=True)


def result_console(*, as_json: bool) -> Console:
    """Where results for people go: away from standard output if that must hold JSON only."""
    return progress_console if as_json else _console(stderr=False)


def plain_table(title: str, columns: Iterable[str] = ()) -> Table:
    """An empty table; without column names it has no header."""
    names = tuple(columns)
    table = Table(title=title, title_justify="left", show_header=bool(names))
    for name in names:
        table.add_column(name)
    return table


def add_row(table: Table, cells: Iterable[object]) -> None:
    """Add cells as they are: names of tasks and models are not markup."""
    table.add_row(*(Text(visible(str(cell))) for cell in cells))


def say(console: Console, text: str) -> None:
    """Write the text as it is: it may quote a model, a server or a path, and orders nothing."""
    console.print(visible(text), markup=False, highlight=False, soft_wrap=True)


def emit(result: dict[str, Any], *, as_json: bool) -> None:
    """Write the one JSON object, if that was asked for."""
    if as_json:
        sys.stdout.write(json.dumps(result, ensure_ascii=True) + "\n")
        sys.stdout.flush()


def report_interrupt(*, as_json: bool) -> None:
    """Say that the user stopped it."""
    say(progress_console, "Interrupted.")
    emit({"error": "interrupted", "kind": "KeyboardInterrupt"}, as_json=as_json)


def report_error(error: WorkbenchError, *, as_json: bool) -> None:
    """Say what went wrong; as JSON too if that was asked for."""
    progress_console.print(f"[bold]{type(error).__name__}[/bold]: ", end="", highlight=False)
    say(progress_console, str(error))
    emit({"error": str(error), "kind": type(error).__name__}, as_json=as_json)
