"""What a command says: people read standard error or a table, programs read one JSON object."""

import json
import sys
from typing import Any

from rich.console import Console

from workbench.errors import WorkbenchError

progress_console = Console(stderr=True)


def result_console(*, as_json: bool) -> Console:
    """Where results for people go: away from standard output if that must hold JSON only."""
    return progress_console if as_json else Console()


def emit(result: dict[str, Any], *, as_json: bool) -> None:
    """Write the one JSON object, if that was asked for."""
    if as_json:
        sys.stdout.write(json.dumps(result, ensure_ascii=True) + "\n")
        sys.stdout.flush()


def report_error(error: WorkbenchError, *, as_json: bool) -> None:
    """Say what went wrong; as JSON too if that was asked for."""
    progress_console.print(f"[bold]{type(error).__name__}[/bold]: ", end="", highlight=False)
    progress_console.print(str(error), markup=False, highlight=False)
    emit({"error": str(error), "kind": type(error).__name__}, as_json=as_json)
