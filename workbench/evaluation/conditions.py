"""What a timing was taken under: a fixed piece of work beside it, and who else used the machine.

Times are stored as they were measured, not divided by the reference. Measured on two cores with
one worker, five programs of 4 to 25 ms, medians of three runs taken over 14 seconds: their
coefficient of variation was 1.4 % raw and 2.5 % divided on a quiet machine, 1.9 and 3.3 % beside
one busy process, 3.3 and 3.5 % beside one that fills the caches, 3.0 and 2.9 % beside three.
What the reference is for: whether two timings, of two sessions or machines, may be compared.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean
from typing import NamedTuple

import psutil

from workbench.sandbox import Execution, Script

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
# The kernel counts in ticks of 10 ms: over less time the count says nothing.
_LEAST_WINDOW_S = 0.2
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
        reference_cpu_s: CPU seconds of the reference work on the same worker, mean of two.
        foreign_share: share of all cores' time that others used meanwhile, in [0, 1]; None if
            that was too short a time to tell.
        preemptions: how often the kernel took the core away from a run, in the mean.
    """

    reference_cpu_s: float
    foreign_share: float | None
    preemptions: float

    @property
    def load(self) -> Load | None:
        """The share as a class, None if it is not known."""
        if self.foreign_share is None:
            return None
        if self.foreign_share < _QUIET:
            return Load.QUIET
        return Load.SHARED if self.foreign_share < _SHARED else Load.CROWDED


class _Mark(NamedTuple):
    at_s: float
    busy_s: float
    own_s: float


class Observer:
    """Watches the machine while batches of runs are timed."""

    def __init__(self) -> None:
        self._own_s = 0.0
        self._marks: deque[_Mark] = deque(maxlen=64)
        self._mark()

    def conditions(self, references: Sequence[Execution], timed: Sequence[Execution]) -> Conditions:
        """The conditions of a batch that has just ended.

        Args:
            references: runs of the reference work.
            timed: the others of the same batch; at least one.
        """
        runs = [*references, *timed]
        self._own_s += sum(run.cpu_s for run in runs) + _OVERHEAD_S * len(runs)
        return Conditions(
            reference_cpu_s=fmean(run.cpu_s - run.baseline_cpu_s for run in references),
            foreign_share=self._foreign_share(),
            preemptions=fmean(run.preemptions for run in timed),
        )

    def _foreign_share(self) -> float | None:
        """Over the last window that is long enough."""
        now = self._mark()
        for before in reversed(self._marks):
            window_s = now.at_s - before.at_s
            if window_s >= _LEAST_WINDOW_S:
                foreign_s = (now.busy_s - before.busy_s) - (now.own_s - before.own_s)
                return min(max(foreign_s / (window_s * (psutil.cpu_count() or 1)), 0.0), 1.0)
        return None

    def _mark(self) -> _Mark:
        times = psutil.cpu_times()
        # Guests are counted within user time already.
        counted = ("user", "nice", "system", "irq", "softirq", "steal")
        busy_s = sum(getattr(times, name, 0.0) for name in counted)
        mark = _Mark(time.monotonic(), busy_s, self._own_s + time.process_time())
        self._marks.append(mark)
        return mark
