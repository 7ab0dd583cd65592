"""A fitness history as a small SVG, for places where no widget and no plotly can draw."""

from collections.abc import Sequence

from workbench.evaluation import Verdict
from workbench.views.fitness import FitnessHistory, FitnessPoint
from workbench.views.theme import FAILED, SOLVED
from workbench.views.thinning import thin

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 34
MOST_POINTS = 300
_INK = "#797979"


def best_line(history: FitnessHistory) -> list[tuple[int, float]]:
    """Corners of the best-so-far line: the start, each gain, the end."""
    corners = [(0, history.start)]
    for point in history.points:
        if point.best > corners[-1][1] or point is history.points[-1]:
            corners.append((point.reply, point.best))
    return thin(corners, MOST_POINTS, height=lambda corner: corner[1])


def children(history: FitnessHistory) -> list[FitnessPoint]:
    """The points that a small picture shows."""
    return thin(history.points, MOST_POINTS, height=lambda point: point.fitness)


def left_out(drawn: int, replies: int) -> str:
    """What a picture of fewer marks than replies must say; empty if nothing is left out."""
    if drawn == replies:
        return ""
    return f"marks: {drawn:,} of {replies:,}, the extremes of every stretch"


def fitness_svg(history: FitnessHistory) -> str:
    """Best so far as a line, correct children as dots, failures as crosses on the ground line."""
    replies = max(len(history.points), 1)
    top = history.best or 1.0

    def at(reply: float, fitness: float) -> tuple[float, float]:
        width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        return _LEFT + reply / replies * width, _TOP + (1 - fitness / top) * height

    marks = [_mark(point, *at(point.reply, point.fitness)) for point in children(history)]
    note = left_out(len(marks), len(history.points))
    label = f"replies of the model ({note})" if note else "replies of the model"
    corners = [at(*corner) for corner in best_line(history)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="12">'
        f"{_axes(replies, top, label)}{''.join(marks)}"
        f'<path d="{_steps(corners)}" fill="none" stroke="{SOLVED}" stroke-width="2"/></svg>'
    )


def _mark(point: FitnessPoint, x: float, y: float) -> str:
    if point.verdict is Verdict.ACCEPTED:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{SOLVED}" fill-opacity=".6"/>'
    cross = f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"
    return f'<path d="{cross}" stroke="{FAILED}" stroke-width="1.5"/>'


def _steps(corners: Sequence[tuple[float, float]]) -> str:
    (x, y), *rest = corners
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)


def _axes(replies: int, top: float, label: str) -> str:
    right, ground = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    return (
        f'<path d="M{_LEFT} {_TOP}V{ground}H{right}" fill="none" stroke="{_INK}"/>'
        f'<g fill="{_INK}"><text x="{_LEFT - 6}" y="{_TOP + 8}" text-anchor="end">{top:.3g}</text>'
        f'<text x="{_LEFT - 6}" y="{ground}" text-anchor="end">0</text>'
        f'<text x="{_LEFT}" y="{ground + 16}">0</text>'
        f'<text x="{right}" y="{ground + 16}" text-anchor="end">{replies}</text>'
        f'<text x="{(_LEFT + right) / 2:.0f}" y="{ground + 28}" text-anchor="middle">'
        f"{label}</text></g>"
    )
