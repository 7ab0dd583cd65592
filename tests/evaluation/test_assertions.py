"""Assertions that call the candidate, in the real sandbox: what they cannot decide is no pass."""

from dataclasses import replace

import pytest
from builders import double_task

from workbench.errors import TaskError
from workbench.evaluation import Evaluator, Verdict
from workbench.programs import Program
from workbench.tasks import Task
from workbench.tasks.trusted import Assertions

RIGHT = Program("def double(n):\n    return 2 * n\n")


def asserting(body: str) -> Task:
    source = f"def check(candidate):\n    {body}\n"
    return replace(double_task(), name="asserted", cases=(), checker=Assertions(source, "double"))


def returning(expression: str) -> Program:
    return Program(f"def double(n):\n    return {expression}\n")


def test_each_call_is_a_case(evaluator: Evaluator) -> None:
    task = asserting("assert candidate(2) == 4; assert double(candidate(3)) == 12")
    found = evaluator.evaluate(RIGHT, task)
    assert found.accepted
    assert [case.case_id for case in found.cases] == ["call-1", "call-2", "call-3"]
    assert found.pass_rate == 1.0


def test_the_call_before_the_failed_assertion_carries_its_message(evaluator: Evaluator) -> None:
    task = asserting("assert candidate(2) == 4; assert candidate(3) == 6, 'three fails'")
    found = evaluator.evaluate(returning("4"), task)
    verdicts = [(case.verdict, case.detail) for case in found.cases]
    assert verdicts == [(Verdict.ACCEPTED, ""), (Verdict.WRONG_ANSWER, "three fails")]


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "assert True",
        "undefined_name",
        "raise AssertionError('before any call')",
        "return candidate == double",
    ],
)
def test_assertions_that_never_call_judge_nobody(evaluator: Evaluator, body: str) -> None:
    with pytest.raises(TaskError, match="assertions of task 'asserted' never call double"):
        evaluator.evaluate(RIGHT, asserting(body))


@pytest.mark.parametrize(
    "body",
    [
        "\n    try: assert candidate(2) == 4\n    except: pass",
        "\n    try: assert candidate(2) == 4\n    except BaseException: raise ValueError",
        "\n    try: candidate(2)\n    finally: return",
    ],
)
def test_an_unanswered_call_is_asked_whatever_the_assertions_catch(
    evaluator: Evaluator, body: str
) -> None:
    found = evaluator.evaluate(Program("def double(n):\n    raise KeyError(n)\n"), asserting(body))
    assert found.verdict is Verdict.RUNTIME_ERROR
    assert [case.case_id for case in found.cases] == ["call-1"]


def test_assertions_that_fail_before_the_first_answer_are_the_tasks_fault(
    evaluator: Evaluator,
) -> None:
    task = replace(asserting("pass"), checker=Assertions("check = (\n", "double"))
    with pytest.raises(TaskError, match="checker of task 'asserted' failed: SyntaxError"):
        evaluator.evaluate(RIGHT, task)


@pytest.mark.slow
def test_assertions_that_ask_without_end_are_the_tasks_fault(evaluator: Evaluator) -> None:
    task = asserting("\n    while True: candidate(1)")
    with pytest.raises(TaskError, match="asked for more than 1000 calls"):
        evaluator.evaluate(RIGHT, task)


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def double(n):\n    return float('nan')\n", Verdict.WRONG_ANSWER),
        (
            "def double(n):\n    for _ in range(100):\n        n = [n]\n    return n\n",
            Verdict.WRONG_ANSWER,
        ),
        ("def double(n):\n    return 1 << 33_219_281\n", Verdict.WRONG_ANSWER),
        ("import os\ndef double(n):\n    os.write(3, b'V4],[4')\n    os._exit(0)\n",
         Verdict.WRONG_ANSWER),
        ("import os\ndef double(n):\n    os.write(3, b'V' + b'[' * 303 + b']' * 303)\n"
         "    os._exit(0)\n", Verdict.WRONG_ANSWER),
        ("class E(int):\n    __eq__ = lambda a, b: True\n    __hash__ = None\n"
         "def double(n):\n    return E(1)\n", Verdict.WRONG_ANSWER),
        ("class E:\n    __eq__ = lambda a, b: True\ndef double(n):\n    return E()\n",
         Verdict.RUNTIME_ERROR),
    ],
)  # fmt: skip
def test_a_hostile_answer_passes_no_assertion(
    evaluator: Evaluator, source: str, verdict: Verdict
) -> None:
    found = evaluator.evaluate(Program(source), asserting("assert candidate(2) == 4"))
    assert found.verdict is verdict, found.cases


@pytest.mark.slow
def test_an_answer_on_which_assertions_run_for_ever_is_a_wrong_one(evaluator: Evaluator) -> None:
    task = asserting("\n    answer = candidate(2)\n    while answer != 4: pass")
    found = evaluator.evaluate(returning("5"), task)
    assert found.verdict is Verdict.WRONG_ANSWER
