"""`workbench tasks`: what can be evolved, and what has been."""

from collections import Counter
from pathlib import Path
from typing import Any

from workbench.cli.output import add_row, emit, plain_table, progress_console, result_console, say
from workbench.errors import StoreError
from workbench.runs import RunStore, list_runs
from workbench.tasks import list_tasks


def run(source: str, store: Path, *, as_json: bool) -> None:
    """List the tasks of `source`, with the number of runs in `store`.

    Raises:
        TaskError: there is no such source, or a task of it is malformed.
    """
    runs = _runs_by_task(store)
    rows: list[dict[str, Any]] = [
        {
            "name": task.name,
            "title": task.title,
            "mode": task.mode.value,
            "cases": len(task.cases),
            "programs": len(task.exhibits),
            "tags": list(task.tags),
            "runs": runs[task.name],
        }
        for task in list_tasks(source)
    ]
    table = plain_table(f"Tasks: {source}", rows[0])
    for row in rows:
        add_row(table, (row | {"tags": ", ".join(row["tags"])}).values())
    result_console(as_json=as_json).print(table)
    emit({"source": source, "tasks": rows}, as_json=as_json)


def _runs_by_task(store: Path) -> Counter[str]:
    """Runs by task; a file that is none, or of another version, hides no other."""
    counts: Counter[str] = Counter()
    for path in list_runs(store):
        try:
            with RunStore.open(path) as run_store:
                counts[run_store.manifest.task] += 1
        except StoreError as error:
            say(progress_console, f"Not counted: {error}")
    return counts
