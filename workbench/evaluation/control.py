"""The A/A control: comparisons of a program with itself, which no difference can decide.

What such comparisons find is what the machine makes up. Their spread widens the tie zone of the
comparisons that follow, and the share of them that claims an improvement belongs beside every
table of improvements.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import stdev

from workbench.errors import ConfigError
from workbench.evaluation.comparison import Comparison, Decision

# A tie zone of so many standard deviations of the estimate that ought to be zero.
_DEVIATIONS = 2.0


@dataclass(frozen=True, kw_only=True)
class Control:
    """What comparing a program with itself has shown.

    Attributes:
        comparisons: how many there were.
        faster: how many called it faster than itself.
        slower: how many called it slower.
        sd: standard deviation of the estimates, as logarithms of the speed-up.
    """

    comparisons: int
    faster: int
    slower: int
    sd: float

    @property
    def false_rate(self) -> float:
        """Share that claims an improvement where there is none."""
        return self.faster / self.comparisons

    @property
    def margin(self) -> float:
        """Relative difference that this machine makes up now and then."""
        return math.expm1(_DEVIATIONS * self.sd)


def control_of(comparisons: Sequence[Comparison]) -> Control:
    """The control that these comparisons of a program with itself make up.

    Raises:
        ConfigError: fewer than two comparisons, which have no spread.
    """
    if len(comparisons) < 2:
        raise ConfigError(f"control.repeats must be at least 2, got {len(comparisons)}")
    decisions = [comparison.decision for comparison in comparisons]
    return Control(
        comparisons=len(comparisons),
        faster=decisions.count(Decision.FASTER),
        slower=decisions.count(Decision.SLOWER),
        sd=stdev(math.log(comparison.speedup or 1.0) for comparison in comparisons),
    )
