"""What an empty program costs in this worker, as a rolling median."""

from collections import deque
from statistics import median
from typing import NamedTuple

_KEPT = 9


class Baseline(NamedTuple):
    """Cost of the empty program; also used for a single measurement of it.

    Attributes:
        cpu_s: CPU seconds.
        wall_s: wall seconds.
        peak_mib: resident memory, as `Facts` counts it.
    """

    cpu_s: float
    wall_s: float
    peak_mib: float


class RollingBaseline:
    """Median of the last nine measurements of the empty program.

    Attributes:
        now: median of each figure; zeros before the first measurement.
    """

    def __init__(self) -> None:
        self.now = Baseline(0.0, 0.0, 0.0)
        self._measured: deque[Baseline] = deque(maxlen=_KEPT)

    def add(self, measured: Baseline) -> None:
        """Take in one more measurement."""
        self._measured.append(measured)
        self.now = Baseline(*(median(column) for column in zip(*self._measured, strict=True)))
