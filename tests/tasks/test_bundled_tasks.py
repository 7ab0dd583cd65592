"""Every bundled task against itself: its labels, its cases, its promises to small models."""

import runpy
from collections.abc import Iterator

import pytest

from workbench.evaluation import Evaluator, Verdict
from workbench.sandbox import LocalSandbox
from workbench.tasks import Group, Mode, Task, find_task
from workbench.tasks.bundled import bundled_names, data_root

NAMES = bundled_names()


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Evaluator]:
    with LocalSandbox(workers=1) as sandbox:
        yield Evaluator(sandbox)


@pytest.mark.parametrize("name", NAMES)
def test_every_program_is_judged_as_its_label_says(name: str, evaluator: Evaluator) -> None:
    task = find_task(name)
    for exhibit in task.exhibits:
        evaluation = evaluator.evaluate(exhibit.program, task)
        expected = Verdict.ACCEPTED if exhibit.accepted else Verdict.WRONG_ANSWER
        assert evaluation.verdict is expected, (exhibit.name, evaluation.cases)


@pytest.mark.parametrize("name", NAMES)
def test_the_frozen_cases_are_what_the_generator_writes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = data_root() / "tasks" / name
    runpy.run_path(str(folder / "generate.py"), run_name="__main__")
    assert capsys.readouterr().out == (folder / "cases.jsonl").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_a_task_has_room_and_samples_and_a_wrong_program(name: str) -> None:
    task = find_task(name)
    labels = [exhibit.accepted for exhibit in task.exhibits]
    assert labels[0]
    assert labels.count(True) >= 3
    assert labels.count(False) >= 1
    assert 1 <= len(task.samples) <= 2
    assert 6 <= len(task.cases) - len(task.samples) <= 12
    assert all(len(case.input) < 200_000 for case in task.cases)
    assert all(len(case.input) < 200 for case in task.samples)


def test_half_the_tasks_are_functions_and_half_are_scripts() -> None:
    modes = [find_task(name).mode for name in NAMES]
    assert modes.count(Mode.FUNCTION) == modes.count(Mode.SCRIPT) == 8


def tiny_tasks() -> list[Task]:
    return [task for task in map(find_task, NAMES) if "tiny" in task.tags]


def test_at_least_four_tasks_are_small_enough_for_the_smallest_models() -> None:
    assert len(tiny_tasks()) >= 4
    for task in tiny_tasks():
        assert len(task.statement) < 250, task.name
        assert 4 <= task.start.line_count <= 8, task.name


@pytest.mark.parametrize("name", NAMES)
def test_hidden_answers_do_not_stand_in_what_a_prompt_shows(name: str) -> None:
    task = find_task(name)
    shown = task.statement + "".join(exhibit.program.source for exhibit in task.exhibits)
    hidden = [case for case in task.cases if case.group is Group.HIDDEN]
    telling = [case.expected.strip() for case in hidden if len(case.expected.strip()) > 5]
    assert not [answer for answer in telling if answer in shown]
