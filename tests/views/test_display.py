import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import hand_made_run
import pytest
from builders import candidate, double_task, evaluation
from IPython.core.formatters import DisplayFormatter

from workbench.analysis import summarise
from workbench.errors import ConfigError
from workbench.models import Completion
from workbench.population import Islands, IslandSettings
from workbench.programs import Program
from workbench.runs import Reply, RunStore
from workbench.sandbox import TrustLevel
from workbench.views import enable, to_html
from workbench.views.display import _LOOKS, register
from workbench.views.html import MOST_BYTES, MOST_ROWS
from workbench.views.step import replies_table, requests_table, steps_table

SCRIPT = "<script>alert(1)</script>\u202e"


@pytest.fixture(scope="module")
def formatter() -> DisplayFormatter:
    made = DisplayFormatter()
    register(made)
    return made


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    made = RunStore.create(tmp_path / "run.sqlite", hand_made_run.manifest())
    for step in hand_made_run.steps():
        made.record_step(step)
    return made


def _islands() -> Islands:
    islands = Islands(IslandSettings(count=2))
    islands.settle(candidate(0))
    return islands


def _things(store: RunStore) -> list[object]:
    """One of everything that has a look."""
    task = double_task()
    steps = hand_made_run.steps()
    reply = Reply(request=steps[1].request, completion=steps[1].completion)
    return [
        task,
        task.cases[0],
        task.exhibits[0],
        hand_made_run.SLOW,
        evaluation(hand_made_run.SLOW, seconds=0.01),
        hand_made_run.comparison(),
        candidate(3, parents=[1]),
        _islands(),
        hand_made_run.prompt(),
        steps[1].completion,
        steps[1].request,
        reply,
        steps[1],
        hand_made_run.outcomes()[1],
        hand_made_run.manifest(),
        store,
        summarise(hand_made_run.manifest(), steps),
        TrustLevel.L2,
    ]


def test_every_type_with_a_look_is_shown_as_html_and_in_one_line(
    formatter: DisplayFormatter, store: RunStore
) -> None:
    things = _things(store)
    assert {type(thing) for thing in things} == set(_LOOKS)
    for thing in things:
        data, _ = formatter.format(thing)
        assert data["text/html"].startswith("<"), type(thing)
        assert "cannot be shown" not in data["text/html"], data["text/html"]
        assert "\n" not in data["text/plain"]
        assert len(data["text/plain"]) < 200


def test_lists_and_tuples_of_ours_are_tables(formatter: DisplayFormatter) -> None:
    task = double_task()
    steps = hand_made_run.steps()
    replies = [Reply(request=step.request, completion=step.completion) for step in steps]
    requests = tuple(step.request for step in steps)
    for values in (steps, replies, requests, [candidate(1)], task.cases, task.exhibits):
        data, _ = formatter.format(values)
        assert data["text/html"].count("<tr>") >= len(values) + 1


@pytest.mark.parametrize(
    "values", [[], (), [1, 2], ["a"], [{}], [double_task()], [hand_made_run.SLOW, 1]]
)
def test_other_lists_keep_their_usual_look(formatter: DisplayFormatter, values: object) -> None:
    data, _ = formatter.format(values)
    assert "text/html" not in data
    assert "text/plain" in data


def test_a_mixed_list_of_ours_is_left_alone(formatter: DisplayFormatter) -> None:
    step = hand_made_run.steps()[0]
    assert "text/html" not in formatter.format([step, step.request])[0]


def test_hostile_text_is_shown_everywhere_and_obeyed_nowhere(formatter: DisplayFormatter) -> None:
    program = Program(SCRIPT)
    step = hand_made_run.reply_step(
        1, parent=0, island=0, child=program, seconds=0.01, text=SCRIPT, reasoning=SCRIPT
    )
    step = replace(
        step,
        failure=SCRIPT,
        request=replace(step.request, prompt=hand_made_run.prompt(SCRIPT), operator=SCRIPT),
    )
    reply = Reply(request=step.request, completion=step.completion)
    task = replace(double_task(), statement=SCRIPT, title=SCRIPT)
    for thing in (program, step, reply, step.request, step.completion, task, [step], [reply]):
        shown = formatter.format(thing)[0]["text/html"]
        assert "<script" not in shown
        assert "\u202e" not in shown
        assert "U+202E" in re.sub("<[^>]*>", "", shown)


def test_a_reply_of_ten_megabytes_is_capped(formatter: DisplayFormatter) -> None:
    long = "&\u202e" * 5_000_000
    step = hand_made_run.reply_step(1, parent=0, island=0, child=None, text=long, reasoning=long)
    for thing in (
        step,
        step.completion,
        [step],
        [Reply(request=step.request, completion=step.completion)],
    ):
        data, _ = formatter.format(thing)
        assert len(data["text/html"].encode()) <= MOST_BYTES
        assert len(data["text/plain"]) < 300
        assert "too long to show" not in data["text/html"]
    for thing in (step, step.completion, Reply(request=step.request, completion=step.completion)):
        assert "&amp;«U+202E»&amp;«U+202E»" in formatter.format(thing)[0]["text/html"]
        assert re.search(r"… 9,99\d,\d{3} more characters", formatter.format(thing)[0]["text/html"])


def test_an_evaluation_stays_readable_whatever_its_program_wrote_into_the_tracebacks(
    formatter: DisplayFormatter,
) -> None:
    judged = evaluation(hand_made_run.SLOW, seconds=None)
    hostile = replace(judged.cases[0], detail="\u202e&" * 10_000)
    shown = formatter.format(replace(judged, cases=(hostile,) * 500))[0]["text/html"]
    assert len(shown.encode()) <= MOST_BYTES
    assert "440 more rows" in shown


def test_a_round_of_many_steps_stays_small(formatter: DisplayFormatter) -> None:
    source = Program("x = 1  # <&>\n" * 2_000)
    steps = [
        hand_made_run.reply_step(n, parent=0, island=0, child=source, seconds=0.01)
        for n in range(1, 101)
    ]
    shown = formatter.format(steps)[0]["text/html"]
    assert len(shown.encode()) <= MOST_BYTES
    assert shown.count("2000 lines") == MOST_ROWS
    assert shown.count("# &lt;&amp;&gt;") == MOST_ROWS, "every program shows where it begins"
    assert "40 more rows" in shown


def test_only_the_rows_that_are_shown_are_built_and_share_the_room() -> None:
    source = Program("x = 1\n" * 500)
    step = hand_made_run.reply_step(1, parent=0, island=0, child=source, seconds=0.01)
    reply = Reply(request=step.request, completion=step.completion)
    # What lies behind the rows shown is no record at all and would fail if it were looked at.
    behind: tuple[Any, ...] = (None,) * 9_940
    shown = steps_table((step,) * 60 + behind, 12_000).markup
    assert shown.count("… 2,799 more characters") == 60  # of 2,999, with 12,000 / 60 shown
    assert "9,940 more rows" in shown
    assert "9,940 more rows" in replies_table((reply,) * 60 + behind, 12_000).markup
    assert "9,940 more rows" in requests_table((step.request,) * 60 + behind, 12_000).markup


def test_long_cases_are_cut_shorter_until_their_table_fits(formatter: DisplayFormatter) -> None:
    case = double_task().cases[0]
    long = json.dumps([["a"] * 60])
    cases = tuple(replace(case, id=str(number), input=long, expected=long) for number in range(100))
    shown = formatter.format(cases)[0]["text/html"]
    assert len(shown.encode()) <= MOST_BYTES
    assert shown.count("<tr>") == 61
    assert "40 more rows" in shown
    whole = formatter.format(replace(double_task(), cases=cases))[0]["text/html"]
    assert "80 more rows" in whole


def test_nearly_all_cases_are_not_all_of_them(formatter: DisplayFormatter) -> None:
    judged = replace(evaluation(hand_made_run.WRONG, seconds=None), pass_rate=199 / 200)
    data, _ = formatter.format(judged)
    assert "wrong answer, 99% of the cases" in data["text/plain"]
    assert "100%" not in data["text/html"]


def test_an_island_with_many_members_names_the_best_and_counts_the_others() -> None:
    islands = Islands(IslandSettings(count=1))
    islands.add(candidate(number, seconds=0.1 - number / 1000) for number in range(20))
    shown = to_html(islands).markup
    assert "19 (0.01235)" in shown
    assert " and 12 more" in shown


def test_an_object_of_another_kind_is_shown_as_python_writes_it() -> None:
    assert "{&#x27;a&#x27;: 1}" in to_html({"a": 1}).markup


def test_what_cannot_be_read_is_said_and_not_raised(store: RunStore) -> None:
    store.close()
    assert "RunStore cannot be shown: " in to_html(store).markup


def test_showing_a_completion_without_reasoning_offers_none() -> None:
    assert "reasoning" not in to_html(Completion(text="x")).markup
    assert "reasoning" in to_html(Completion(text="x", reasoning="because")).markup


def test_enable_outside_a_notebook_says_where_to_call_it() -> None:
    with pytest.raises(ConfigError, match="notebook"):
        enable()
