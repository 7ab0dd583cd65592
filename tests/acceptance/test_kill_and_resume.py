"""kill -9 at any moment: nothing that was evaluated is lost or evaluated again."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.runs import RunStore, Step
from workbench.streams import stream

SCRIPT = Path(__file__).with_name("scripted_run.py")
TESTS = str(Path(__file__).parents[1])


def _start(folder: Path, order: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SCRIPT), str(folder / "run.sqlite"), str(folder / "log"), order]
    environment = {**os.environ, "PYTHONPATH": TESTS}
    return subprocess.Popen(command, env=environment, start_new_session=True)


def _steps(folder: Path) -> list[Step]:
    path = folder / "run.sqlite"
    if not path.exists():
        return []
    with RunStore.open(path) as store:
        return store.steps()


def _lines(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def _untimed(step: Step) -> Step:
    """The step without the tick of the clock, which counts this process's own steps."""
    return replace(step, finished_at=0.0)


def _kill_after(folder: Path, order: str, more_lines: int) -> None:
    """Start the run and kill it as soon as its log has grown by so many lines."""
    goal = len(_lines(folder)) + more_lines
    process = _start(folder, order)
    deadline = time.monotonic() + 120
    while process.poll() is None and len(_lines(folder)) < goal:
        assert time.monotonic() < deadline, "the run neither ends nor goes on"
        time.sleep(0.002)
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("order", ["forwards", "backwards"])
def test_a_run_killed_again_and_again_ends_as_if_it_had_not_been(
    tmp_path: Path, order: str
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert _start(whole, order).wait(timeout=300) == 0
    gaps = stream(0, "kill")
    for _ in range(6):
        before = {step.child.id for step in _steps(killed) if step.child and step.evaluation}
        kept = len(_steps(killed))
        logged = len(_lines(killed))
        _kill_after(killed, order, gaps.randrange(1, 90))
        new = _lines(killed)[logged:]
        judged = {line.split()[1] for line in new if line.startswith("judge")}
        assert not judged & before, "a program that was on disk already was judged again"
        assert len(_steps(killed)) >= kept
    assert _start(killed, order).wait(timeout=300) == 0
    recorded = [line.split()[1] for line in _lines(killed) if line.startswith("step")]
    assert len(recorded) == len(set(recorded)), "a step was recorded twice"
    assert [_untimed(step) for step in _steps(killed)] == [_untimed(step) for step in _steps(whole)]
    with (
        RunStore.open(killed / "run.sqlite") as stopped,
        RunStore.open(whole / "run.sqlite") as straight,
    ):
        assert stopped.outcomes() == straight.outcomes()
