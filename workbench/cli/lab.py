"""`workbench lab`: JupyterLab on the notebooks."""

import os
from collections.abc import Sequence
from pathlib import Path

import workbench
from workbench.cli.output import emit, progress_console, say
from workbench.errors import ConfigError
from workbench.runs import STORE_VARIABLE


def run(store: Path, further: Sequence[str], *, browser: bool, port: int, as_json: bool) -> None:
    """Start JupyterLab, with `further` options of its own, and stay until it is stopped.

    Raises:
        ConfigError: the notebooks are nowhere to be found.
    """
    folder = notebooks_folder()
    os.environ[STORE_VARIABLE] = str(store.absolute())
    emit({"notebooks": str(folder), "port": port, "store": str(store)}, as_json=as_json)
    say(progress_console, f"JupyterLab on {folder}")
    # Late: the import takes seconds that no other command should pay.
    from jupyterlab.labapp import LabApp

    arguments = [str(folder), f"--ServerApp.port={port}"]
    LabApp.launch_instance([*arguments, *([] if browser else ["--no-browser"]), *further])


def notebooks_folder() -> Path:
    """The notebooks beside the package in a clone, or inside it where it is installed.

    Raises:
        ConfigError: neither is there.
    """
    package = Path(workbench.__file__).parent
    for folder in (package.parent / "notebooks", package / "notebooks"):
        if any(folder.glob("*.ipynb")):
            return folder
    raise ConfigError(f"no notebooks beside or inside {package}: install again from a clone")
