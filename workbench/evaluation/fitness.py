"""Fitness: MetaEvolve's Eq. 3, the one formula by which programs are ranked."""

_EPSILON_S = 1e-6
_PER_SECOND = 1000.0


def fitness(mean_seconds: float, *, all_passed: bool) -> float:
    """Eq. 3 with correctness 1 exactly if every case passed.

    `min(1 / ((mean_seconds + 1e-6) * 1000), 1) * all_passed`: a mean of one millisecond or
    less saturates at (nearly) 1.

    Args:
        mean_seconds: mean run time over the task's cases, seconds.
        all_passed: whether every case was accepted.

    Returns:
        A number in [0, 1]; higher is better.

    Raises:
        ValueError: the time is negative or NaN.

    Source: MetaEvolve, section 2.1.2, Eq. 3. The paper does not say which clock; Workbench
    uses CPU time and keeps the wall figure beside it.
    """
    if not mean_seconds >= 0:
        raise ValueError(f"mean_seconds must be at least 0, got {mean_seconds}")
    if not all_passed:
        return 0.0
    return min(1.0 / ((mean_seconds + _EPSILON_S) * _PER_SECOND), 1.0)
