from dataclasses import replace
from typing import Any

import hand_made_run
import pytest

from workbench.evaluation import Verdict
from workbench.views import fitness_figure, fitness_history
from workbench.views.fitness import FitnessHistory
from workbench.views.theme import SYMBOLS

SLOW, FAST = 1 / 10.001, 1 / 5.001


@pytest.fixture
def history() -> FitnessHistory:
    return fitness_history(hand_made_run.steps())


def test_history_has_one_point_a_reply_failures_included(history: FitnessHistory) -> None:
    assert history.start == pytest.approx(SLOW)
    assert [point.step for point in history.points] == [1, 2, 3, 4, 5]
    assert [point.reply for point in history.points] == [1, 2, 3, 4, 5]
    assert [point.evaluations for point in history.points] == [1, 2, 2, 2, 2]
    assert [point.fitness for point in history.points] == pytest.approx([FAST, 0, 0, FAST, 0])
    assert [point.best for point in history.points] == pytest.approx([FAST] * 5)
    assert [point.island for point in history.points] == [0, 1, 0, 1, 0]
    assert [point.verdict for point in history.points] == [
        Verdict.ACCEPTED,
        Verdict.WRONG_ANSWER,
        Verdict.UNPARSED,
        Verdict.ACCEPTED,
        Verdict.NO_CHANGE,
    ]


def test_history_does_not_depend_on_the_order_of_steps(history: FitnessHistory) -> None:
    assert fitness_history(hand_made_run.steps()[::-1]) == history


def test_figure_draws_the_history_and_nothing_else(history: FitnessHistory) -> None:
    figure = fitness_figure(history)
    line = figure.data[-1]
    assert list(line.x) == [0, 1, 2, 3, 4, 5]
    assert list(line.y) == pytest.approx([SLOW, *[FAST] * 5])
    assert line.line.shape == "hv"
    drawn = {trace.name: (list(trace.x), list(trace.y)) for trace in figure.data[:-1]}
    assert drawn == {
        "accepted (2)": ([1, 4], pytest.approx([FAST, FAST])),
        "wrong answer (1)": ([2], [0]),
        "no change (1)": ([5], [0]),
        "unparsed (1)": ([3], [0]),
    }


def test_each_verdict_has_a_symbol_of_its_own() -> None:
    assert set(SYMBOLS) == set(Verdict)
    assert len(set(SYMBOLS.values())) == len(Verdict)


def test_figure_says_in_words_what_it_shows(history: FitnessHistory) -> None:
    figure = fitness_figure(history)
    expected = (
        "Best fitness went from 0.1 to 0.2 over 5 replies, of which 2 held a correct program."
    )
    assert figure.layout.meta["description"] == expected


def test_a_wide_range_is_drawn_on_a_logarithmic_axis_with_failures_at_its_foot(
    history: FitnessHistory,
) -> None:
    point = type(history.points[0])
    wide = FitnessHistory(
        start=0.001,
        points=(
            point(
                step=1,
                reply=1,
                evaluations=1,
                island=0,
                verdict=Verdict.ACCEPTED,
                fitness=0.8,
                best=0.8,
            ),
            point(
                step=2,
                reply=2,
                evaluations=1,
                island=0,
                verdict=Verdict.UNPARSED,
                fitness=0,
                best=0.8,
            ),
        ),
    )
    figure = fitness_figure(wide)
    assert figure.layout.yaxis.type == "log"
    failed = next(trace for trace in figure.data if trace.name.startswith("unparsed"))
    assert list(failed.y) == [0.0005]
    assert _hovered(failed) == [0]
    assert fitness_figure(history).layout.yaxis.type == "linear"
    assert fitness_figure(wide, log=False).layout.yaxis.type == "linear"


def _hovered(trace: Any) -> list[float]:
    """The fitness that a reader is told, point by point."""
    assert "%{customdata[3]:.4g}" in trace.hovertemplate
    assert "%{y" not in trace.hovertemplate
    return [data[3] for data in trace.customdata]


def test_a_run_that_solves_late_is_told_to_have_begun_at_nothing(history: FitnessHistory) -> None:
    first, second = history.points[1], replace(history.points[0], reply=2, best=0.2)
    figure = fitness_figure(
        FitnessHistory(start=0.0, points=(replace(first, reply=1, best=0.0), second)), log=True
    )
    line = figure.data[-1]
    assert min(line.y) > 0
    assert list(line.customdata) == [0.0, 0.0, 0.2]
    assert "%{customdata:.4g}" in line.hovertemplate
    assert "%{y" not in line.hovertemplate


def test_several_runs_are_lines_told_apart_by_colour_and_dash(history: FitnessHistory) -> None:
    figure = fitness_figure([("one", history), ("two", history)])
    assert [trace.name for trace in figure.data] == ["one", "two"]
    first, second = figure.data
    assert first.line.color != second.line.color
    assert first.line.dash != second.line.dash


@pytest.mark.parametrize("histories", [FitnessHistory(start=0.0, points=()), []])
def test_a_run_without_replies_is_drawn_empty(
    histories: FitnessHistory | list[tuple[str, FitnessHistory]],
) -> None:
    assert fitness_figure(histories).layout.yaxis.type == "linear"


def test_importing_views_does_not_load_plotly_or_widgets() -> None:
    import subprocess
    import sys

    program = (
        "import sys, workbench.views; "
        "print([name for name in ('plotly', 'ipywidgets', 'anywidget', 'torch') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
