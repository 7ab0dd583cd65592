"""What a model or a server may do to the terminal of whoever runs a command: nothing."""

import os
import subprocess
import sys
from pathlib import Path

from builders import fenced
from chat_server import ChatServer, Script, chat_server, fail, say

_ORDERS = "\x1b]0;owned\x07\x1b[2J\u202e"
_SHOWN = "«U+001B»]0;owned«U+0007»«U+001B»[2J«U+202E»"


def _evolve(store: Path, script: Script) -> subprocess.CompletedProcess[str]:
    with chat_server(script) as server:
        return _command(store, server)


def _command(store: Path, server: ChatServer) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            *(sys.executable, "-m", "workbench.cli", "evolve", "sum-to", "--model", "openai:tiny"),
            *("--rounds", "1", "--parents", "1", "--islands", "1", "--store", str(store)),
        ],
        env={**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_program_that_holds_orders_to_a_terminal_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    source = f"def sum_to(n):\n    # {_ORDERS}\n    return n * (n + 1) // 2\n"
    run = _evolve(tmp_path, lambda *_: say(fenced(source)))
    assert run.returncode == 0, run.stderr
    assert f"+    # {_SHOWN}" in run.stdout
    assert "\x1b" not in run.stdout
    assert "\u202e" not in run.stdout


def test_a_server_whose_error_holds_orders_to_a_terminal_is_quoted_and_not_obeyed(
    tmp_path: Path,
) -> None:
    run = _evolve(tmp_path, lambda *_: fail(400, f"no {_ORDERS} model"))
    assert run.returncode == 1
    assert _SHOWN in run.stderr
    assert "\x1b" not in run.stderr
