"""How often "improved" is claimed where nothing improved, and told the wrong way round.

    python tests/benchmarks/timing_quality.py [--quick]

A program of 5 ms is compared with itself, and with one that does 5 % more, as `Evaluator.compare`
does it, beside one busy neighbour. A wrong sign is an estimate on the wrong side of zero after 30
pairs; a false claim is a decision for "faster" between equals (A/A). Rates come with the interval
of Wilson (95 %), for a rate of 0 in few comparisons says little.
"""

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, stdev

from side_by_side import conditions, finish, say

sys.path.insert(0, str(Path(__file__).parents[2]))

from workbench.evaluation import Comparison
from workbench.evaluation.control import Control, control_of
from workbench.evaluation.paired import PairedSettings, compare_times
from workbench.evaluation.timing import Seconds, measured
from workbench.programs import Program
from workbench.sandbox import Limits, LocalSandbox, Script
from workbench.tasks import Case, Group

AIM_S = 0.005
MORE = 1.05
CASE = Case(id="1", group=Group.HIDDEN, input="", expected="")
WORK = "total = 0\nfor i in range({}):\n    total += i * i % 7\nprint(total)\n"
LIMITS = Limits()
# One case, because rates get better with each: these are those of the hardest setting.
LOOKS = PairedSettings(cases=1)
# It looks for its starter again and again, for nobody else ends it when that is killed.
NEIGHBOUR = """\
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(100_000):
        pass
"""
THIRTY = PairedSettings(cases=1, first_pairs=30, max_pairs=30, margin=0.0)


@contextmanager
def busy_neighbour() -> Iterator[int]:
    """One process that computes without end, on a core of the scheduler's choice; its id."""
    command = [sys.executable, "-c", NEIGHBOUR, str(os.getpid())]
    with subprocess.Popen(command) as neighbour:
        try:
            yield neighbour.pid
        finally:
            neighbour.kill()


def rounds_for(box: LocalSandbox, seconds: float) -> int:
    """How many rounds of the loop take so long here."""
    sample = 100_000
    runs = box.run([Script(source=WORK.format(sample))] * 5, LIMITS)
    return round(sample * seconds / median(run.cpu_s - run.baseline_cpu_s for run in runs))


def compared(
    box: LocalSandbox, first: Program, second: Program, settings: PairedSettings, draw: int
) -> Comparison:
    """One comparison as the evaluator makes it."""

    def time_block(_case: Case, order: list[Program]) -> list[Seconds]:
        executions = box.run([Script(source=program.source) for program in order], LIMITS)
        return [measured(execution) for execution in executions]

    return compare_times(first, second, [CASE], time_block, settings, draw=draw)


def wilson(count: int, trials: int) -> tuple[float, float]:
    """95 % interval of a rate (Wilson 1927)."""
    z = 1.959964
    rate, square = count / trials, z * z / trials
    middle = (rate + square / 2) / (1 + square)
    half = z / (1 + square) * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def alternate(
    box: LocalSandbox, program: Program, more: Program, seconds: float
) -> tuple[Control, list[float]]:
    """A/A and A/B comparisons in turn: the control, and log estimates of the 5 % (truth > 0)."""
    control: list[Comparison] = []
    signs: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(control) < 3:
        draw = len(control)
        control.append(compared(box, program, program, LOOKS, draw))
        found = compared(box, more, program, THIRTY, draw)
        assert found.speedup is not None
        signs.append(math.log(found.speedup))
        if draw % 20 == 0:
            say(f"{draw + 1} of each, {max(end - time.monotonic(), 0):.0f} s left")
    return control_of(control), signs


def main() -> None:
    """Compare until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="within 45 seconds, less exact")
    seconds = 36.0 if parser.parse_args().quick else 240.0
    before = conditions()
    say(f"machine before: {before}")
    with LocalSandbox() as box:
        rounds = rounds_for(box, AIM_S)
        program, more = (Program(WORK.format(n)) for n in (rounds, round(rounds * MORE)))
        with busy_neighbour():
            control, signs = alternate(box, program, more, seconds)
        trust = box.trust.name
    wrong = sum(sign <= 0 for sign in signs)
    low, high = wilson(control.faster, control.comparisons)
    wrong_low, wrong_high = wilson(wrong, len(signs))
    say(
        f"A/A: {control.faster} of {control.comparisons} called faster "
        f"({low:.1%} to {high:.1%}), {control.slower} slower, sd {control.sd:.2%}\n"
        f"+5 %: {wrong} of {len(signs)} with the wrong sign ({wrong_low:.1%} to "
        f"{wrong_high:.1%}), estimated as {math.expm1(median(signs)):+.2%}, sd {stdev(signs):.2%}"
    )
    finish(
        {
            "aa_false_rate": control.false_rate,
            "aa_false_rate_low": low,
            "aa_false_rate_high": high,
            "aa_slower_rate": control.slower / control.comparisons,
            "aa_sd": control.sd,
            "aa_comparisons": control.comparisons,
            "wrong_sign_rate": wrong / len(signs),
            "wrong_sign_rate_low": wrong_low,
            "wrong_sign_rate_high": wrong_high,
            "estimate_of_5_percent": math.expm1(median(signs)),
            "estimate_sd": stdev(signs),
            "ab_comparisons": len(signs),
            "pairs": THIRTY.max_pairs,
            "busy_neighbours": 1,
            "trust": trust,
        }
        | before
        | {"busy_share_after": conditions()["busy_share"]}
    )


if __name__ == "__main__":
    main()
