"""`workbench lab`: JupyterLab on the notebooks."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import workbench
from workbench.cli.output import emit, progress_console, say
from workbench.errors import ConfigError, WorkbenchError
from workbench.runs import STORE_VARIABLE


def run(store: Path, further: Sequence[str], *, browser: bool, port: int, as_json: bool) -> None:
    """Start JupyterLab, with `further` options of its own, and stay until it is stopped.

    Raises:
        ConfigError: the notebooks are nowhere to be found.
        WorkbenchError: JupyterLab does not start.
    """
    folder = notebooks_folder()
    os.environ[STORE_VARIABLE] = str(store.absolute())
    say(progress_console, f"JupyterLab on {folder}")
    # Late: the imports take seconds that no other command should pay.
    from jupyter_core.application import NoStart
    from jupyterlab.labapp import LabApp

    arguments = [str(folder), f"--ServerApp.port={port}", *([] if browser else ["--no-browser"])]
    running = False

    def announce() -> None:
        nonlocal running
        running = True
        found = {"notebooks": str(folder), "port": server.port, "store": str(store)}
        emit(found, as_json=as_json)

    try:
        server = LabApp.initialize_server([*arguments, *further])
        # The loop turns only after every check of the server's; the port may be another by then.
        server.io_loop.add_callback(announce)
        with suppress(NoStart):
            server.start()
    except SystemExit as stop:
        if running or not stop.code:
            raise
        raise WorkbenchError("JupyterLab did not start: it says why above") from stop


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
