import ast
from typing import Any

import pytest

from workbench.errors import TaskError
from workbench.evaluation import Evaluator, Verdict
from workbench.programs import Program
from workbench.sandbox import LocalSandbox
from workbench.sandbox.codec import decode, encode
from workbench.tasks import Mode, Task, find_task, list_tasks


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return list_tasks("humaneval")


def test_there_are_164_tasks_named_by_their_number(tasks: list[Task]) -> None:
    assert [task.name for task in tasks] == [f"humaneval-{number}" for number in range(164)]
    assert {task.source for task in tasks} == {"humaneval"}
    assert {task.mode for task in tasks} == {Mode.FUNCTION}


def test_one_task_is_found_without_the_others(tasks: list[Task]) -> None:
    assert find_task("humaneval-12") == tasks[12]
    assert find_task("humaneval-12").function == "longest"


@pytest.mark.parametrize("name", ["humaneval-164", "humaneval-99999999999"])
def test_a_number_beyond_the_last_is_refused(name: str) -> None:
    with pytest.raises(TaskError, match="humaneval-0 to humaneval-163"):
        find_task(name)


def test_no_assertion_is_shown(tasks: list[Task]) -> None:
    for task in tasks:
        assert "candidate(" not in task.statement, task.name
        assert "def check(" not in task.statement, task.name
        assert task.samples == (), task.name


def test_the_statement_holds_the_function_and_not_its_solution(tasks: list[Task]) -> None:
    for task in tasks:
        shown = task.statement.split("```\n", 1)[1].removesuffix("\n```")
        solution = task.start.source.removeprefix(shown)
        assert f"def {task.function}(" in shown, task.name
        assert solution.strip() not in shown, task.name
        ast.parse(shown)


# The assertions and the canonical solutions are trusted text from an installed package: here they
# run in this process, so that all 164 are seen. That the sandbox agrees has its own test below.
def namespace(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "trusted"}
    exec(source, names)
    return names


def replay(task: Task, source: str) -> tuple[dict[str, Any], int]:
    judge = namespace(task.checker.judge)["judge"]  # type: ignore[attr-defined]
    candidate = namespace(source)[str(task.function)]
    answers: list[Any] = []
    while True:
        reply = decode(encode(judge(decode(encode(answers)))))
        if "ask" not in reply:
            return reply, len(answers)
        answers.append(candidate(*reply["ask"]))


def test_replayed_assertions_accept_every_canonical_solution(tasks: list[Task]) -> None:
    for task in tasks:
        reply, calls = replay(task, task.start.source)
        assert reply == {"passed": True}, task.name
        assert 1 <= calls <= 105, task.name


def test_replayed_assertions_refuse_a_constant(tasks: list[Task]) -> None:
    for task in tasks:
        reply, _ = replay(task, f"def {task.function}(*arguments):\n    return 'constant'\n")
        # Task 33 compares the candidate with itself, but a text cannot be one of its answers.
        assert reply["passed"] is False, task.name


def test_a_question_is_the_same_each_time_it_is_asked() -> None:
    task = find_task("humaneval-53")
    judge = task.checker.judge  # type: ignore[attr-defined]
    assert namespace(judge)["judge"]([]) == namespace(judge)["judge"]([])
    first = namespace(judge)["judge"]([5, 5, 5])
    assert first == namespace(judge)["judge"]([5, 5, 5])


def test_the_sandbox_and_the_evaluator_come_to_the_same_verdicts() -> None:
    helper, repeated, own_name = (find_task(f"humaneval-{number}") for number in (10, 32, 33))
    with LocalSandbox(workers=1) as sandbox:
        evaluator = Evaluator(sandbox)
        for task in (helper, repeated, own_name):
            assert evaluator.evaluate(task.start, task).verdict is Verdict.ACCEPTED, task.name
            constant = Program(f"def {task.function}(*arguments):\n    return 7\n")
            assert evaluator.evaluate(constant, task).verdict is Verdict.WRONG_ANSWER, task.name
