"""Leaving out points that a small picture cannot show, and never an extreme."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Point = TypeVar("Point")


def thin(points: Sequence[Point], limit: int, height: Callable[[Point], float]) -> list[Point]:
    """At most `limit` of the points, in their order.

    The first, the last, and the lowest and highest of every stretch stay, so that the outline
    of what is drawn does not change.

    Args:
        points: in the order in which they are drawn.
        limit: at least 4.
        height: what a point is high or low by.
    """
    if len(points) <= limit:
        return list(points)
    stretches = (limit - 2) // 2
    inner = len(points) - 2
    kept = {0, len(points) - 1}
    for number in range(stretches):
        begin = 1 + number * inner // stretches
        end = 1 + (number + 1) * inner // stretches
        stretch = range(begin, end)
        kept.add(min(stretch, key=lambda index: height(points[index])))
        kept.add(max(stretch, key=lambda index: height(points[index])))
    return [points[index] for index in sorted(kept)]
