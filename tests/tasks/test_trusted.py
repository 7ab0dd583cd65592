"""Checkers that are programs, as text: what is refused without running, and what is promised."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import double_task, echo_task

from workbench.errors import ConfigError, TaskError
from workbench.tasks import Case, Group
from workbench.tasks.bundled import data_root
from workbench.tasks.checker import Checker
from workbench.tasks.trusted import Assertions, Custom

CHECK = "def check(given, answer, expected):\n    return {}\n"


def judge(checker: Custom, *arguments: object) -> Any:
    names: dict[str, Any] = {}
    exec(checker.judge, names)
    return names["judge"](*arguments)


@pytest.mark.parametrize(
    ("said", "passed_on"),
    [
        ("True", True),
        ("False", False),
        ("'too long'", "too long"),
        ("answer", "b"),
        ("given + answer + expected", "abc"),
    ],
)
def test_the_judge_passes_on_what_check_says(said: str, passed_on: object) -> None:
    assert judge(Custom(CHECK.format(said)), "a", "b", "c") == passed_on


@pytest.mark.parametrize("said", ["None", "0", "1", "0.5", "''", "' '", "[]", "(True, 'x')"])
def test_what_is_no_verdict_is_refused(said: str) -> None:
    with pytest.raises(TypeError, match="not True, False or a message"):
        judge(Custom(CHECK.format(said)), "a", "b", "c")


def test_a_long_number_is_a_value_error_to_a_checker_and_no_work() -> None:
    with pytest.raises(ValueError, match="4300"):
        judge(Custom(CHECK.format("int(answer) == 0")), "", "9" * 10**7, "")


def test_a_checker_rolls_the_same_dice_each_time() -> None:
    checker = Custom("import random\n" + CHECK.format("str(random.random())"))
    assert judge(checker, "", "", "") == judge(checker, "", "", "")


@pytest.mark.parametrize("text", ["'''", '"""', "{braces}", "\\n", "é ∑ \U0001f600", "%s {0}"])
def test_any_text_survives_in_the_judge(text: str) -> None:
    checker = Custom(f"TEXT = {text!r}\n" + CHECK.format("TEXT"))
    assert judge(checker, "", "", "") == text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "line 1: no function check"),
        ("check = 3", "line 1: no function check"),
        ("class check: pass", "line 1: no function check"),
        ("\n\ndef check(answer): return True", "line 3: check takes 1 positional parameters"),
        ("def check(a, b, c, d): return True", "check takes 4 positional parameters"),
        ("\nif 1:\nx", "line 3: not valid Python: expected an indented block"),
        ("x = '\0'", "line 1: not valid Python"),
    ],
)
def test_a_checker_that_cannot_work_is_refused_with_its_line(source: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Custom(source)


def test_a_checker_is_not_run_to_be_refused(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    Custom(f"open({str(mark)!r}, 'w')\n" + CHECK.format("True"))
    assert not mark.exists()


def test_another_checker_is_another_task() -> None:
    source = CHECK.format("True")
    checkers = (echo_task().checker, Custom(source), Custom(source + "\n"))
    digests = {replace(echo_task(), checker=checker).digest for checker in checkers}
    assert len(digests) == 3


def test_the_checker_in_the_documentation_works() -> None:
    text = (data_root() / "README.md").read_text()
    found = re.search(r"^    def check.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    checker = Custom(re.sub("^    ", "", found.group(), flags=re.MULTILINE))
    assert judge(checker, "", "3 1\n2", "1 2 3") is True
    assert judge(checker, "", "3 1", "1 2 3") is False
    assert judge(checker, "", "3 x", "1 2 3") == "not all words are whole numbers"


ASSERTIONS = Assertions("def check(candidate):\n    assert candidate(1) == 2\n", "double")


def test_cases_beside_assertions_are_refused() -> None:
    with pytest.raises(TaskError, match="the cases would never run"):
        replace(double_task(), checker=ASSERTIONS)
    assert not replace(double_task(), cases=(), checker=ASSERTIONS).cases


def test_assertions_of_a_script_are_refused() -> None:
    with pytest.raises(TaskError, match="assertions call a function; a script has none"):
        replace(echo_task(), cases=(), checker=ASSERTIONS)


@pytest.mark.parametrize("checker", [Custom(CHECK.format("True")), echo_task().checker])
def test_any_other_checker_needs_cases(checker: Checker) -> None:
    with pytest.raises(TaskError, match="an empty suite would accept every program"):
        replace(echo_task(), cases=(), checker=checker)


@pytest.mark.parametrize("field", ["input", "expected"])
def test_a_case_of_half_a_character_is_refused(field: str) -> None:
    texts = {"input": "", "expected": ""} | {field: "ab\ud800"}
    with pytest.raises(TaskError, match=f"case 'x': {field} cannot be written as UTF-8"):
        Case(id="x", group=Group.HIDDEN, **texts)
