"""Same seed, same replies, same clock: the same bytes, whatever the hash seed."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("scripted_run.py")
TESTS = str(Path(__file__).parents[1])


def _run(folder: Path, hash_seed: str) -> bytes:
    folder.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": TESTS}
    command = [sys.executable, str(SCRIPT), str(folder / "run.sqlite"), str(folder / "log")]
    subprocess.run(command, env=environment, check=True, timeout=300)
    return (folder / "run.sqlite").read_bytes()


def test_two_processes_with_different_hash_seeds_write_equal_bytes(tmp_path: Path) -> None:
    first = _run(tmp_path / "one", "1")
    second = _run(tmp_path / "two", "4242")
    assert len(first) > 20_000
    assert first == second
