"""Same seed, same replies, same clock: the same run, whatever the hash seed and the order."""

import os
import subprocess
import sys
from pathlib import Path

from workbench.runs import RunStore

SCRIPT = Path(__file__).with_name("scripted_run.py")
TESTS = str(Path(__file__).parents[1])


def _run(folder: Path, hash_seed: str, *order: str) -> bytes:
    folder.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": TESTS}
    command = [sys.executable, str(SCRIPT), str(folder / "run.sqlite"), str(folder / "log"), *order]
    subprocess.run(command, env=environment, check=True, timeout=300)
    return (folder / "run.sqlite").read_bytes()


def test_two_processes_with_different_hash_seeds_write_equal_bytes(tmp_path: Path) -> None:
    first = _run(tmp_path / "one", "1")
    second = _run(tmp_path / "two", "4242")
    assert len(first) > 20_000
    assert first == second


def test_the_order_in_which_replies_arrive_leaves_no_trace_in_the_steps(tmp_path: Path) -> None:
    _run(tmp_path / "forth", "1")
    _run(tmp_path / "back", "1", "backwards")
    with (
        RunStore.open(tmp_path / "forth" / "run.sqlite") as forth,
        RunStore.open(tmp_path / "back" / "run.sqlite") as back,
    ):
        rounds = {step.id: step.request.round for step in forth.steps()}
        repeated = [step for step in forth.steps() if step.duplicate_of is not None]
        assert any(rounds[step.id] == rounds[step.duplicate_of] for step in repeated)
        assert any(step.comparison is not None for step in forth.steps())
        assert back.steps() == forth.steps()
        assert back.outcomes() == forth.outcomes()
