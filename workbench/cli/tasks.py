"""`workbench tasks`: what can be evolved, and what has been."""

from collections import Counter
from pathlib import Path

from rich.table import Table

from workbench.cli.output import emit, result_console
from workbench.runs import RunStore, list_runs
from workbench.tasks import list_tasks


def run(source: str, store: Path, *, as_json: bool) -> None:
    """List the tasks of `source`, with the number of runs in `store`.

    Raises:
        TaskError: there is no such source, or a task of it is malformed.
    """
    found = list_tasks(source)
    runs = _runs_by_task(store)
    table = Table(title=f"Tasks: {source}", title_justify="left")
    for name in ("name", "title", "mode", "cases", "programs", "tags", "runs"):
        table.add_column(name)
    rows = []
    for task in found:
        row = {
            "name": task.name,
            "title": task.title,
            "mode": task.mode.value,
            "cases": len(task.cases),
            "programs": len(task.exhibits),
            "tags": list(task.tags),
            "runs": runs[task.name],
        }
        rows.append(row)
        table.add_row(*(", ".join(v) if isinstance(v, list) else str(v) for v in row.values()))
    result_console(as_json=as_json).print(table)
    emit({"source": source, "tasks": rows}, as_json=as_json)


def _runs_by_task(store: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in list_runs(store):
        with RunStore.open(path) as run_store:
            counts[run_store.manifest.task] += 1
    return counts
