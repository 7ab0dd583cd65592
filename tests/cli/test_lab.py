"""JupyterLab through the command: it says that it runs once it runs."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

_LAB = [sys.executable, "-m", "workbench.cli", "lab", "--no-browser", "--json", "--allow-root"]


def _environment(home: Path) -> dict[str, str]:
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    return os.environ | {name: str(home / name.lower()) for name in names}


def test_it_names_a_port_on_which_somebody_answers(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*_LAB, "--port", "0", "--store", str(tmp_path)],
        env=_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            found = json.loads(process.stdout.readline())
            socket.create_connection(("127.0.0.1", found["port"]), timeout=10).close()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    assert found["notebooks"].endswith("notebooks")


def test_where_it_cannot_start_it_reports_that_and_nothing_else(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = subprocess.run(
            [*_LAB, "--port", str(port), "--ServerApp.port_retries=0"],
            env=_environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert run.returncode == 1
    (line,) = run.stdout.splitlines()
    assert "did not start" in json.loads(line)["error"]
