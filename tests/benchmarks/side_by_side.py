"""What every benchmark here does: contenders take turns in one run, medians are compared.

On a machine that others use too, two figures taken one after the other differ by more than what
is to be shown. Here each round times every contender once, in an order of its own, so that what
disturbs one disturbs all; what is reported are medians over rounds and ratios of medians.
"""

import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from statistics import median

import psutil

# Runs a given number of times whatever it is about.
Contender = Callable[[int], object]


def take_turns(
    contenders: Mapping[str, Contender], runs: Mapping[str, int], *, seconds: float
) -> dict[str, list[float]]:
    """Time every contender round after round.

    Args:
        contenders: by name; each is warmed up with one run first.
        runs: how many runs each makes in a round, so that rounds are short and alike.
        seconds: how long to go on; at least three rounds are made.

    Returns:
        Seconds a run, one figure per round, by name.
    """
    for contender in contenders.values():
        contender(1)
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    shuffle = random.Random(0).shuffle
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken[order[0]]) < 3:
        shuffle(order)
        for name in order:
            start = time.perf_counter()
            contenders[name](runs[name])
            taken[name].append((time.perf_counter() - start) / runs[name])
    return taken


def medians(taken: Mapping[str, list[float]]) -> dict[str, float]:
    """The middle figure of each contender, seconds."""
    return {name: median(times) for name, times in taken.items()}


def table(taken: Mapping[str, list[float]], reference: str) -> str:
    """Median and quartiles of each contender in milliseconds, and its ratio to `reference`."""
    lines = [f"{'':28}{'median':>9}{'quartiles':>19}{'ratio':>8}"]
    base = median(taken[reference])
    for name, times in taken.items():
        ordered = sorted(times)
        low, high = ordered[len(ordered) // 4], ordered[3 * len(ordered) // 4]
        middle = median(times)
        spread = f"{low * 1e3:.2f}-{high * 1e3:.2f}"
        lines.append(f"{name:28}{middle * 1e3:9.2f}{spread:>19}{middle / base:8.2f}")
    return "\n".join(lines)


def say(text: str) -> None:
    """Something for people, on the error stream: standard output is for the result."""
    sys.stderr.write(f"{text}\n")


def conditions() -> dict[str, object]:
    """What a reader has to know about the machine to make sense of the figures."""
    found: dict[str, object] = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": os.cpu_count(),
        "user": "root" if os.getuid() == 0 else "ordinary",
    }
    with suppress(OSError):
        found["load_average"] = round(os.getloadavg()[0], 2)
    found["busy_share"] = round(psutil.cpu_percent(interval=0.5) / 100, 2)
    return found


def finish(result: Mapping[str, object]) -> None:
    """Print the result as the last line, one JSON object."""
    rounded = {
        key: round(value, 4) if isinstance(value, float) else value for key, value in result.items()
    }
    sys.stdout.write(f"{json.dumps(rounded)}\n")
