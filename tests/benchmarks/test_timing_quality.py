"""What the benchmark of timing states beside its rates, and that it leaves nothing behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from timing_quality import wilson

STARTER = """\
import time
from timing_quality import busy_neighbour
with busy_neighbour() as neighbour:
    print(neighbour, flush=True)
    time.sleep(600)
"""


# By hand, z = 1.96: for none of n it is z^2 / (n + z^2); for half, (1 +- z / sqrt(n + z^2)) / 2.
@pytest.mark.parametrize(
    ("count", "trials", "interval"),
    [
        (0, 20, (0.0, 0.1611)),
        (20, 20, (0.8389, 1.0)),
        (10, 20, (0.2993, 0.7007)),
        (0, 300, (0.0, 0.0126)),
    ],
)
def test_the_interval_of_a_rate(count: int, trials: int, interval: tuple[float, float]) -> None:
    assert wilson(count, trials) == pytest.approx(interval, abs=1e-4)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_neighbour_ends_with_who_started_it(how: signal.Signals) -> None:
    folder = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", STARTER],
        env={**os.environ, "PYTHONPATH": folder},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        neighbour = psutil.Process(int(starter.stdout.readline()))
        assert neighbour.is_running()
        starter.send_signal(how)
        starter.wait(timeout=60)
    neighbour.wait(timeout=60)
