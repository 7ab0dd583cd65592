import pytest

from workbench.errors import ConfigError
from workbench.sandbox import Limits


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
@pytest.mark.parametrize("field", ["cpu_s", "wall_s", "memory_mib", "output_kib"])
def test_a_bound_that_bounds_nothing_is_refused_by_name(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=rf"limits\.{field} must be positive and finite"):
        Limits(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["memory_mib", "output_kib"])
def test_sizes_are_whole_numbers(field: str) -> None:
    with pytest.raises(ConfigError, match=rf"limits\.{field} must be a whole number, got 0\.5"):
        Limits(**{field: 0.5})  # type: ignore[arg-type]
