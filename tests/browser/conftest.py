"""A real JupyterLab and a real Chromium, for as long as the browser tests run."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

_REPOSITORY = Path(__file__).parent.parent.parent
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# No news toast over the page; every cell in the page, whether or not it is scrolled to.
_SETTINGS = {
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "notebook-extension/tracker": {"windowingMode": "none"},
}
_START_SECONDS = 90


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab and the folder it shows."""

    url: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        reason = f"no browser: none of {', '.join(_NAMES)} is installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = Lab(url=f"http://127.0.0.1:{port}", token=secrets.token_hex(16), folder=folder)
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            _command(home, running, port), env=_environment(home), stdout=log, stderr=log
        )
    try:
        _wait(running, server, home / "log")
        yield running
    finally:
        server.terminate()
        server.wait(timeout=30)


def _command(home: Path, lab: Lab, port: int) -> list[str]:
    settings = home / "settings" / "@jupyterlab"
    for name, values in _SETTINGS.items():
        file = settings / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    return [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"),
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={lab.folder}",
        f"--IdentityProvider.token={lab.token}",
        "--LabApp.expose_app_in_browser=True",
        f"--LabApp.user_settings_dir={home / 'settings'}",
        f"--LabApp.workspaces_dir={home / 'workspaces'}",
    ]


def _environment(home: Path) -> dict[str, str]:
    places = {
        name: str(home / name.lower())
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    return (
        os.environ
        | places
        | {
            "PYTHONPATH": f"{_REPOSITORY}{os.pathsep}{_REPOSITORY / 'tests'}",
            "WORKBENCH_STORE": str(home / "runs"),
        }
    )


def _wait(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{lab.url}/api?token={lab.token}", timeout=5)
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")
