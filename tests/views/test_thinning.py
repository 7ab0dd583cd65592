from hypothesis import given
from hypothesis import strategies as st

from workbench.views.thinning import thin

_HEIGHTS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=400)


def _thin(heights: list[float], limit: int) -> list[tuple[int, float]]:
    return thin(list(enumerate(heights)), limit, height=lambda point: point[1])


@given(_HEIGHTS, st.integers(4, 100))
def test_extremes_and_ends_stay(heights: list[float], limit: int) -> None:
    kept = _thin(heights, limit)
    if heights:
        values = [height for _, height in kept]
        assert (min(values), max(values)) == (min(heights), max(heights))
        assert kept[0] == (0, heights[0])
        assert kept[-1] == (len(heights) - 1, heights[-1])


@given(_HEIGHTS, st.integers(4, 100))
def test_never_more_than_the_limit_and_always_in_order(heights: list[float], limit: int) -> None:
    kept = _thin(heights, limit)
    assert len(kept) <= limit
    assert kept == sorted(set(kept))


def test_few_points_stay_as_they_are() -> None:
    assert _thin([3.0, 1.0, 2.0], 4) == [(0, 3.0), (1, 1.0), (2, 2.0)]
