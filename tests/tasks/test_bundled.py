import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import TaskError
from workbench.sandbox.codec import decode
from workbench.tasks import Group, Mode
from workbench.tasks.bundled import bundled_names, data_root, read_task
from workbench.tasks.checker import Floats
from workbench.tasks.structural import Structural
from workbench.tasks.trusted import Custom

SPEC: dict[str, Any] = {
    "title": "Doubled",
    "mode": "function",
    "function": "double",
    "checker": {"rule": "structural"},
    "limits": {"cpu_s": 1.5, "memory_mib": 128},
    "tags": ["tiny"],
    "programs": {"add": "accepted", "wrong_same": "wrong"},
}
CASES: list[dict[str, Any]] = [
    {"id": "hidden-1", "group": "hidden", "arguments": [[1, "a"]], "returns": None},
    {"id": "sample-1", "group": "sample", "arguments": [2], "returns": 4},
]
PROGRAMS = {
    "add": "def double(n):\n    return n + n\n",
    "wrong_same": "def double(n):\n    return n\n",
}

EVEN = "def check(given, answer, expected):\n    return answer % 2 == 0\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(
        spec: dict[str, Any] | str = SPEC,
        cases: list[dict[str, Any]] | str = CASES,
        name: str = "doubled",
        programs: dict[str, str] = PROGRAMS,
    ) -> Path:
        folder = tmp_path / name
        (folder / "programs").mkdir(parents=True)
        (folder / "task.json").write_text(
            spec if isinstance(spec, str) else json.dumps(spec, indent=2)
        )
        (folder / "statement.md").write_text("Write `double(n)`.\n")
        (folder / "cases.jsonl").write_text(
            cases if isinstance(cases, str) else "".join(json.dumps(case) + "\n" for case in cases)
        )
        for program, source in programs.items():
            (folder / "programs" / f"{program}.py").write_text(source)
        return folder

    return write


def test_a_folder_becomes_a_task(write: Write) -> None:
    task = read_task(write())
    assert (task.name, task.title, task.statement) == ("doubled", "Doubled", "Write `double(n)`.")
    assert (task.mode, task.function) == (Mode.FUNCTION, "double")
    assert task.checker == Structural()
    assert (task.cpu_limit_s, task.memory_mib, task.tags) == (1.5, 128, ("tiny",))
    assert [(item.name, item.accepted) for item in task.exhibits] == [
        ("add", True),
        ("wrong_same", False),
    ]
    assert task.start.source == PROGRAMS["add"]


def test_samples_come_first_and_values_are_encoded(write: Write) -> None:
    task = read_task(write())
    assert [case.group for case in task.cases] == [Group.SAMPLE, Group.HIDDEN]
    assert decode(task.cases[1].input) == [[1, "a"]]
    assert decode(task.cases[1].expected) is None


def test_a_checker_takes_its_options(write: Write) -> None:
    spec = SPEC | {"mode": "script", "checker": {"rule": "floats", "atol": 0.5}}
    del spec["function"]
    cases = [{"id": "sample-1", "group": "sample", "input": "", "expected": "1.0"}]
    assert read_task(write(spec, cases)).checker == Floats(atol=0.5)


def test_a_task_may_bring_a_checker_of_its_own(write: Write) -> None:
    folder = write(SPEC | {"checker": {"rule": "custom"}})
    (folder / "checker.py").write_text(EVEN)
    first = read_task(folder)
    assert first.checker == Custom(EVEN)
    (folder / "checker.py").write_text(EVEN + "\n")
    assert read_task(folder).digest != first.digest


def test_a_checker_that_no_rule_names_is_refused(write: Write) -> None:
    folder = write()
    (folder / "checker.py").write_text(EVEN)
    message = "task.json, line 6: field 'rule' must be 'custom', as there is a checker.py"
    with pytest.raises(TaskError, match=message):
        read_task(folder)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ndef check(a, b, c:\n", r"checker\.py, line 2: not valid Python: '\(' was never"),
        ("def check(answer):\n    pass\n", r"checker\.py, line 1: check takes 1 positional"),
        ("def checker(a, b, c):\n    pass\n", r"checker\.py, line 1: no function check\(given"),
    ],
)
def test_a_checker_that_cannot_work_is_refused_with_its_line(
    write: Write, source: str, message: str
) -> None:
    folder = write(SPEC | {"checker": {"rule": "custom"}})
    (folder / "checker.py").write_text(source)
    with pytest.raises(TaskError, match=message):
        read_task(folder)


def test_text_that_is_no_utf_8_is_refused_with_its_line(write: Write) -> None:
    spec = SPEC | {"mode": "script", "checker": {"rule": "tokens"}}
    del spec["function"]
    good = {"id": "a", "group": "hidden", "input": "", "expected": "1"}
    bad = {"id": "b", "group": "hidden", "input": "", "expected": "x\ud800"}
    with pytest.raises(TaskError, match=r"cases\.jsonl, line 2: case 'b': expected cannot be"):
        read_task(write(spec, [good, bad]))


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in SPEC.items() if name != key}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ('{"title": "x",\n}', "task.json, line 2: not valid JSON"),
        ("[1]", r"task.json, line 1: expected a JSON object, got \[1\]"),
        ('{"title": "x", "title": "y"}', "field 'title' is repeated"),
        ('{"title": NaN}', "NaN is not JSON"),
        (without("title"), "line 1: field 'title' is missing; expected a text"),
        (SPEC | {"title": ""}, "line 2: field 'title' must be a text that is not empty, got \"\""),
        (
            SPEC | {"mode": "both"},
            "line 3: field 'mode' must be 'script' or 'function', got \"both\"",
        ),
        (SPEC | {"mode": ["script"]}, "field 'mode' must be"),
        (SPEC | {"function": 3}, "line 4: field 'function' must be a text"),
        (
            SPEC | {"mode": "script", "checker": {"rule": "tokens"}},
            "line 4: unknown field 'function'",
        ),
        (SPEC | {"limits": 2}, "field 'limits' must be an object, got 2"),
        (
            SPEC | {"limits": {"cpu_s": 0, "memory_mib": 1}},
            "line 9: field 'cpu_s' must be a number greater than zero, got 0",
        ),
        (SPEC | {"limits": {"cpu_s": 1, "memory_mib": 1.5}}, "'memory_mib' must be a whole number"),
        (SPEC | {"limits": {"cpu_s": 1, "memory_mib": 1, "gpu": 1}}, "unknown field 'gpu'"),
        (
            SPEC | {"checker": {"rule": "tokens"}},
            "field 'rule' must be 'structural' or 'custom', got \"tokens",
        ),
        (SPEC | {"checker": {"rule": "custom", "atol": 1}}, "line 7: unknown field 'atol'"),
        (SPEC | {"checker": {"rule": "custom"}}, "read .*checker.py: FileNotFoundError"),
        (SPEC | {"checker": {"rule": "structural", "eps": 1}}, "line 7: unknown field 'eps'"),
        (
            SPEC | {"checker": {"rule": "structural", "atol": -1}},
            "field 'checker': atol must be finite and not negative, got -1",
        ),
        (
            SPEC | {"checker": {"rule": "structural", "atol": "1"}},
            "line 7: field 'atol' must be a number, got \"1\"",
        ),
        (SPEC | {"checker": {"rule": "structural", "rtol": True}}, "'rtol' must be a number, got"),
        (
            SPEC | {"checker": {"rule": "structural", "unordered": "false"}},
            "'unordered' must be true or false, got \"false\"",
        ),
        (SPEC | {"checker": {"rule": "structural", "unordered": 1}}, "must be true or false"),
        (
            json.dumps(SPEC).replace('"cpu_s": 1.5', '"cpu_s": 1e999'),
            "field 'cpu_s' must be a finite number, got Infinity",
        ),
        (SPEC | {"function": "f(x)"}, "line 4: field 'function' must be a name that Python can"),
        (SPEC | {"function": "class"}, "must be a name that Python can call"),
        (SPEC | {"tags": ["a", 1]}, "field 'tags' must be a list of texts"),
        (SPEC | {"extra": 1}, "line 19: unknown field 'extra'"),
        (SPEC | {"programs": {"add": "good"}}, "must be 'accepted' or 'wrong', got \"good\""),
        (SPEC | {"programs": {"add": "accepted"}}, "has no label for wrong_same"),
        (SPEC | {"programs": {"missing": "accepted"}}, "read .*missing.py: FileNotFoundError"),
        (SPEC | {"programs": {"../add": "accepted"}}, "field '../add' must be named with small"),
    ],
)
def test_a_malformed_description_is_refused_with_its_place(
    write: Write, spec: dict[str, Any] | str, message: str
) -> None:
    with pytest.raises(TaskError, match=message):
        read_task(write(spec))


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("", "has no cases"),
        (json.dumps(CASES[0]) + "\n{", "cases.jsonl, line 2: not valid JSON"),
        ([CASES[0], CASES[1] | {"group": "secret"}], "line 2: field 'group' must be"),
        ([CASES[0] | {"arguments": 2}], "line 1: field 'arguments' must be a list, got 2"),
        ([CASES[0] | {"expected": "4"}], "line 1: unknown field 'expected'"),
        ([{"id": "sample-1", "group": "sample", "arguments": []}], "field 'returns' is missing"),
        ([CASES[0], CASES[0]], "repeated case id"),
        (
            [CASES[0], CASES[1] | {"arguments": [json.loads("[" * 101 + "]" * 101)]}],
            "line 2: field 'arguments': cannot encode a value nested deeper",
        ),
    ],
)
def test_malformed_cases_are_refused_with_their_line(
    write: Write, cases: list[dict[str, Any]] | str, message: str
) -> None:
    with pytest.raises(TaskError, match=message):
        read_task(write(cases=cases))


def test_a_folder_name_that_is_no_task_name_is_refused(write: Write) -> None:
    with pytest.raises(TaskError, match="small letters, digits and dashes"):
        read_task(write(name="My Task"))


def test_text_that_is_not_utf_8_is_refused(write: Write) -> None:
    folder = write()
    (folder / "statement.md").write_bytes(b"\xff")
    with pytest.raises(TaskError, match=r"statement\.md: UnicodeDecodeError"):
        read_task(folder)


def test_every_folder_under_data_is_a_bundled_task() -> None:
    folders = sorted(path.name for path in (data_root() / "tasks").iterdir() if path.is_dir())
    assert bundled_names() == folders
