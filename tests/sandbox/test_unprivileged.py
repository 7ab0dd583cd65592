"""The sandbox as ordinary users have it, also where the suite itself runs as root."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
NOBODY = 65534
SCRIPT = f"""
import json, os, sys
sys.path.insert(0, {str(CHECKOUT)!r})
from workbench.sandbox import Limits, LocalSandbox, Script
from workbench.sandbox.layer import Layer
found = []
for without in ([], [Layer.NAMESPACES]):
    with LocalSandbox(without=without) as box:
        sources = [
            "print(input())",
            "import os; os.fork()",
            "open('/tmp/planted', 'w')",
            "open('/etc/passwd')",
            "import socket; socket.socket()",
            "while True: pass",
            "x = bytearray(2**33)",
            "print(open('/dev/stdin').read())",
        ]
        limits = Limits(cpu_s=0.2, wall_s=2, memory_mib=128)
        runs = box.run([Script(source=s, stdin=b"5") for s in sources], limits)
        seen = [[e.ending.value, e.exit_code, e.stdout.decode()] for e in runs]
        found.append([box.trust.name, seen])
print(json.dumps([os.getuid(), found]))
"""


def an_interpreter_for_everybody() -> str | None:
    """One that a user without rights can run: the suite's own may lie in a private home."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        probe = [candidate, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(probe, user=NOBODY, group=NOBODY, check=False).returncode == 0:
                return candidate
        except OSError:
            continue
    return None


@pytest.mark.skipif(os.getuid() != 0, reason="the whole suite runs without rights already")
def test_a_user_without_any_rights_has_the_same_sandbox() -> None:
    interpreter = an_interpreter_for_everybody()
    if interpreter is None:
        pytest.skip("no Python 3.11 that every user of this machine may run")
    done = subprocess.run(
        [interpreter, "-B", "-c", SCRIPT],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    user, found = json.loads(done.stdout)
    assert user == NOBODY
    assert [level for level, _ in found] == ["L2", "L1"]
    for _, runs in found:
        assert runs == [
            ["exited", 0, "5\n"],
            ["exited", 1, ""],
            ["exited", 1, ""],
            ["exited", 1, ""],
            ["exited", 1, ""],
            ["cpu_limit", None, ""],
            ["memory_limit", 1, ""],
            ["exited", 0, "5\n"],
        ]


def test_an_interpreter_that_may_not_be_run_is_named(tmp_path: Path) -> None:
    locked = tmp_path / "python"
    shutil.copyfile(sys.executable, locked)
    locked.chmod(0o644)
    script = (
        f"import sys\nsys.path.insert(0, {str(CHECKOUT)!r})\nfrom workbench.sandbox import survey\n"
        f"sys.executable = {str(locked)!r}\nsurvey()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("workbench.errors.SandboxError: cannot start a worker with")
    assert str(locked) in last
    assert "Permission denied" in last
