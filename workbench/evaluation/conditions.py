"""What a timing was taken under: a fixed piece of work beside it, and who else used the machine.

CPU seconds are divided by what the fixed work took in the same batch, times what it took in the
first one (`Conditions.nominal_cpu_s`). On a machine that others use, the same code takes up to
1.8 times the CPU time for seconds on end, whoever runs. Measured in 16 blocks of 20 to 40 s, two
cores that others used as well, one worker, six programs of 1 to 10 ms, three runs of each between
four of the fixed work; coefficient of variation of the medians in %, median of the programs:

    besides                       raw                           divided
    nothing of ours               5.0   6.8   3.7  13.3         4.1  4.0  2.9  6.1
                                 18.3  19.6  39.4  22.2         6.5  5.1  7.6  6.6
    one busy process              4.6   7.8  21.8  20.7         3.1  3.8  6.9  6.3
    one busy now and then         6.3  21.3  23.5  24.2         3.0  6.7  7.3  8.1

With two runs of the fixed work instead of four, the worst block came to 11.0. Dividing does not
pay where nothing slows down: four blocks of 14 s without a slow spell, measured earlier with five
programs and two runs, had 1.4 (quiet), 1.9 (one busy process), 3.3 (one that fills the caches)
and 3.0 (three) raw, and 2.5, 3.3, 3.5 and 2.9 divided. Up to two points lost there are the price
of up to thirty gained. What remains is why no two such times decide whether a program is faster:
pairs do. Times of different sessions or machines compare only as multiples of the fixed work.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import psutil

from workbench.sandbox import Execution, Job, Script

# About 2.5 ms each of plain Python and of numpy, on a core of 2023.
REFERENCE = Script(
    source="""\
total = 0
for i in range(25_000):
    total += i * i % 7
try:
    import numpy
    values = numpy.arange(60_000, dtype=float)
    for _ in range(12):
        values = numpy.sqrt(values * values + 1)
except ImportError:
    pass
"""
)
_REFERENCES = 4
# The kernel counts in ticks of 10 ms: over less time the count says nothing.
_LEAST_WINDOW_S = 0.2
# Longer ago, others may have been at something else.
_RECENT_S = 10.0
# What a run costs besides what is counted as its own: the fork before it, the clearing after.
_OVERHEAD_S = 0.002
_QUIET, _SHARED = 0.1, 0.5


class Load(Enum):
    """How much of the machine others used.

    Attributes:
        QUIET: less than a tenth.
        SHARED: less than half.
        CROWDED: half or more; wall times mean little, CPU times differ by some per cent.
    """

    QUIET = "quiet"
    SHARED = "shared"
    CROWDED = "crowded"


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What was found beside a timing.

    Attributes:
        reference_cpu_s: CPU seconds of the reference work in the same batch, median of four.
        foreign_share: share of all cores' time that others used meanwhile, in [0, 1], over this
            batch and as many before it, of the last ten seconds, as make up a fifth of a
            second; None if even they are too short to tell.
        preemptions: how often the kernel took the core away from a run, in the mean.
        nominal_cpu_s: what the reference work took when the session began; None where times
            were left as they were measured.
    """

    reference_cpu_s: float
    foreign_share: float | None
    preemptions: float
    nominal_cpu_s: float | None = None

    @property
    def slowness(self) -> float:
        """By what the CPU seconds as measured were divided."""
        return 1.0 if self.nominal_cpu_s is None else self.reference_cpu_s / self.nominal_cpu_s

    @property
    def load(self) -> Load | None:
        """The share as a class, None if it is not known."""
        return load_of(self.foreign_share)


class Window(NamedTuple):
    """The time in which one batch ran.

    Attributes:
        ended_s: when it ended, by a clock that only goes forward.
        wall_s: how long it was.
        foreign_s: CPU seconds that others used in it on all cores, a tick more or less each.
    """

    ended_s: float
    wall_s: float
    foreign_s: float


class _Mark(NamedTuple):
    at_s: float
    busy_s: float
    own_s: float


def beside_reference(jobs: Sequence[Job]) -> list[Job]:
    """The jobs, with the reference work before, among and after them."""
    left = iter(jobs)
    places = _places(len(jobs) + _REFERENCES)
    return [
        REFERENCE if place in places else next(left) for place in range(len(jobs) + _REFERENCES)
    ]


def without_reference(
    executions: Sequence[Execution],
) -> tuple[list[Execution], list[Execution]]:
    """The executions of `beside_reference`: those of the reference work, and those of the jobs."""
    places = _places(len(executions))
    jobs = [run for place, run in enumerate(executions) if place not in places]
    return [executions[place] for place in places], jobs


def _places(total: int) -> list[int]:
    return [turn * (total - 1) // (_REFERENCES - 1) for turn in range(_REFERENCES)]


def load_of(foreign_share: float | None) -> Load | None:
    """The class of a share in [0, 1]; None for None."""
    if foreign_share is None:
        return None
    if foreign_share < _QUIET:
        return Load.QUIET
    return Load.SHARED if foreign_share < _SHARED else Load.CROWDED


def watched(batch: Callable[[], list[Execution]]) -> tuple[list[Execution], Window]:
    """Run a batch, and see what others did meanwhile.

    Others are all but these executions and the thread that asked for them: a model that this
    process runs in another thread disturbs them as well.
    """
    before = _mark()
    executions = batch()
    after = _mark()
    own_s = after.own_s - before.own_s + sum(run.cpu_s + _OVERHEAD_S for run in executions)
    foreign_s = after.busy_s - before.busy_s - own_s
    return executions, Window(after.at_s, after.at_s - before.at_s, foreign_s)


def recent(latest_first: Iterable[Window]) -> list[Window]:
    """As many windows as it takes for a share, none that ended over ten seconds before the last."""
    chosen: list[Window] = []
    for window in latest_first:
        if chosen and chosen[0].ended_s - window.ended_s > _RECENT_S:
            break
        chosen.append(window)
        if sum(taken.wall_s for taken in chosen) >= _LEAST_WINDOW_S:
            break
    return chosen


def foreign_share(windows: Sequence[Window], *, cores: int | None = None) -> float | None:
    """Share of all cores' time in these windows that others used, in [0, 1].

    Args:
        windows: in any order.
        cores: how many there are; by default this machine's.

    Returns:
        None if all windows together are too short to tell.
    """
    wall_s = sum(window.wall_s for window in windows)
    if wall_s < _LEAST_WINDOW_S:
        return None
    share = sum(window.foreign_s for window in windows) / wall_s
    return min(max(share / (cores or psutil.cpu_count() or 1), 0.0), 1.0)


def _mark() -> _Mark:
    times = psutil.cpu_times()
    # Guests are counted within user time already.
    counted = ("user", "nice", "system", "irq", "softirq", "steal")
    busy_s = sum(getattr(times, name, 0.0) for name in counted)
    return _Mark(time.monotonic(), busy_s, time.thread_time())
