"""When two floats agree. Declared by a checker, never assumed."""

import math
from dataclasses import dataclass

from workbench.errors import ConfigError

# Both sides were rounded to binary: 0.3 and 0.300001 are a hair more than 1e-6 apart. As a share
# of their size, four times what rounding a number can change of it; more would be a tolerance.
_ROUNDING = 2.0**-50


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """How far a float may be from the expected one.

    Attributes:
        rtol: relative, a share of the expected value's size.
        atol: absolute, in the unit of the values.
        nan_agrees: whether NaN answers NaN.
    """

    rtol: float = 0.0
    atol: float = 0.0
    nan_agrees: bool = False

    def __post_init__(self) -> None:
        """Refuse what would accept everything or nothing.

        Raises:
            ConfigError: a tolerance is negative, NaN or infinite.
        """
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not 0 <= value < math.inf:
                raise ConfigError(f"{name} must be finite and not negative, got {value}")

    def covers(self, expected: float, answer: float) -> bool:
        """Whether |answer - expected| <= max(atol, rtol * |expected|); infinities by sign."""
        if math.isnan(expected) or math.isnan(answer):
            return self.nan_agrees and math.isnan(expected) and math.isnan(answer)
        if expected == answer:
            return True
        if math.isinf(expected) or math.isinf(answer):
            return False
        size = abs(expected)
        bound = max(self.atol, self.rtol * size)
        slack = _ROUNDING * (bound + size) if bound else 0.0
        return abs(answer - expected) <= bound + slack
