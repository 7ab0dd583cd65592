"""Is the second program faster? Counterbalanced pairs, sequential stopping, a tie zone.

Two times taken at different moments say little on a shared machine. Here both programs run
in the same worker in blocks of four, ABBA or BAAB by lot, so that drift and the effect of
what ran just before fall on both alike; hence no run is thrown away after a switch, only the
first of each program.

A second look at the same pairs gives equals a second chance to be told apart. What that comes
to was simulated on one case, "faster" of 4000 comparisons: where the deviation of a single run
drowns the tie zone (100 %), 4.5 % beside 2.7 for a first look alone; at 25 % of deviation 2.7
beside 1.7; at 6 %, none in 300. Slow modes, heavy tails and drift changed this by nothing that
can be told, and the median of three cases brought all to 1 % at most. Hence no correction.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.errors import ConfigError
from workbench.evaluation.comparison import Comparison, Decision
from workbench.evaluation.timing import Seconds
from workbench.programs import Program
from workbench.streams import derive_seed, stream
from workbench.tasks import Case

TimeBlock = Callable[[Case, list[Program]], list[Seconds]]


@dataclass(frozen=True, kw_only=True)
class PairedSettings:
    """How much evidence a decision takes.

    Attributes:
        cases: cases that are timed, the slowest ones.
        first_pairs: pairs per case before the first look.
        max_pairs: pairs per case at most.
        margin: relative difference inside which two programs count as equally fast.
        resamples: bootstrap resamples for the 95 % interval.
    """

    cases: int = 3
    first_pairs: int = 10
    max_pairs: int = 30
    margin: float = 0.03
    resamples: int = 1000

    def __post_init__(self) -> None:
        """Refuse a design that cannot decide.

        Raises:
            ConfigError: counts that are not positive, or looks in the wrong order.
        """
        if not 0 < self.first_pairs <= self.max_pairs:
            raise ConfigError(
                "paired.first_pairs must be positive and at most max_pairs, got "
                f"{self.first_pairs} and {self.max_pairs}"
            )
        if self.cases < 1 or self.resamples < 1 or not self.margin >= 0:
            raise ConfigError("paired.cases and resamples must be positive, margin not negative")


def compare_times(
    first: Program,
    second: Program,
    cases: Sequence[Case],
    time_block: TimeBlock,
    settings: PairedSettings,
    *,
    draw: int = 0,
) -> Comparison:
    """Time both programs on `cases` until the interval lies clear of the tie zone, or give up.

    The statistic is the median over cases of the median over pairs of
    log(seconds of first / seconds of second), by CPU time.

    Args:
        first: the parent.
        second: the child.
        cases: at least one.
        time_block: runs the programs it is given on a case, back to back on one worker.
        settings: pairs, margin and so on.
        draw: which of the random orders, for comparisons that are repeated.

    Returns:
        Evidence and decision; `TIE` if the largest number of pairs did not settle it.
    """
    seed = derive_seed(draw, first.id, second.id)
    coins = [_coin(seed, case) for case in cases]
    logs: list[list[float]] = [[] for _ in cases]
    look = settings.first_pairs
    while True:
        for case, coin, so_far in zip(cases, coins, logs, strict=True):
            missing = look - len(so_far)
            so_far += _log_ratios(first, second, case, missing, time_block, coin)
        table = np.array([case_logs[:look] for case_logs in logs])
        estimate, low, high = _interval(table, settings.resamples, seed)
        decision = _decide(low, high, math.log1p(settings.margin))
        if decision is not Decision.TIE or look >= settings.max_pairs:
            return Comparison(
                first=first.id,
                second=second.id,
                decision=decision,
                speedup=math.exp(estimate),
                low=math.exp(low),
                high=math.exp(high),
                pairs=look,
                cases=len(cases),
                margin=settings.margin,
            )
        look = settings.max_pairs


def _log_ratios(
    first: Program,
    second: Program,
    case: Case,
    pairs: int,
    time_block: TimeBlock,
    orders: Iterator[bool],
) -> list[float]:
    """At least `pairs` log ratios, two a block; a run of each beforehand warms up."""
    order = [first, second]
    layout = [True, False]
    for _ in range(math.ceil(pairs / 2)):
        block = [True, False, False, True] if next(orders) else [False, True, True, False]
        order += [first if is_first else second for is_first in block]
        layout += block
    seconds = [measured.cpu_s for measured in time_block(case, order)]
    logs = []
    for start in range(2, len(order), 2):
        one, other = seconds[start], seconds[start + 1]
        logs.append(math.log(one / other) if layout[start] else math.log(other / one))
    return logs


def _coin(seed: int, case: Case) -> Iterator[bool]:
    """An endless fair coin of the comparison's own."""
    rng = stream(seed, "order", case.id)
    while True:
        yield rng.random() < 0.5


def _interval(logs: NDArray[np.float64], resamples: int, seed: int) -> tuple[float, float, float]:
    """Estimate and percentile bootstrap 95 % interval; `logs` has shape (cases, pairs)."""
    cases, pairs = logs.shape
    picks = np.random.default_rng(seed).integers(0, pairs, size=(resamples, cases, pairs))
    drawn = np.take_along_axis(logs[np.newaxis], picks, axis=2)
    statistics = np.median(np.median(drawn, axis=2), axis=1)
    low, high = np.quantile(statistics, [0.025, 0.975])
    return float(np.median(np.median(logs, axis=1))), float(low), float(high)


def _decide(low: float, high: float, margin: float) -> Decision:
    if low > margin:
        return Decision.FASTER
    if high < -margin:
        return Decision.SLOWER
    return Decision.TIE
