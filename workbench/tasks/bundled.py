"""Tasks from folders: those that come with Workbench, and a user's own in the same layout.

A folder `<name>/` holds `task.json` (title, mode, function, checker, limits, tags, programs with
their labels), `statement.md`, `programs/<program>.py`, `cases.jsonl`, `checker.py` if the task's
checker is its own, and `generate.py`, which made the cases and is not read here.
`data/README.md` describes each field.
"""

import re
from dataclasses import Field, fields
from keyword import iskeyword
from pathlib import Path
from typing import Any

import workbench
from workbench.errors import ConfigError, TaskError
from workbench.programs import Program
from workbench.sandbox.codec import encode
from workbench.tasks.case import Case, Group
from workbench.tasks.checker import Checker, Exact, Floats, Lines, Tokens
from workbench.tasks.record import Record, read_text
from workbench.tasks.structural import Structural
from workbench.tasks.task import Exhibit, Mode, Task
from workbench.tasks.trusted import Custom

_RULES: dict[Mode, dict[str, type[Any]]] = {
    Mode.SCRIPT: {"tokens": Tokens, "floats": Floats, "lines": Lines, "exact": Exact},
    Mode.FUNCTION: {"structural": Structural},
}
_CUSTOM = "custom"
_LABELS = ("accepted", "wrong")
_TASK_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PROGRAM_NAME = re.compile(r"[a-z][a-z0-9_]*")


def data_root() -> Path:
    """The folder `data`: inside the package if installed from a wheel, beside it in a clone."""
    package = Path(workbench.__file__).parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


def bundled_names() -> list[str]:
    """Names of the tasks that come with Workbench, sorted; nothing is parsed."""
    return sorted(path.parent.name for path in (data_root() / "tasks").glob("*/task.json"))


def read_task(folder: Path) -> Task:
    """Read the task in `folder`; its name is the folder's.

    Raises:
        TaskError: a file is missing or malformed; names file, line, field, what was expected
            and what came.
    """
    name = folder.resolve().name
    if not _TASK_NAME.fullmatch(name):
        raise TaskError(f"{folder}: a task's folder has small letters, digits and dashes only")
    record = Record.parse(read_text(folder / "task.json"), path=folder / "task.json")
    mode = Mode(record.choice("mode", tuple(mode.value for mode in Mode)))
    limits = record.record("limits")
    described: dict[str, Any] = {
        "title": record.string("title"),
        "function": _read_function(record) if mode is Mode.FUNCTION else None,
        "checker": _read_checker(record.record("checker"), mode, folder / "checker.py"),
        "cpu_limit_s": limits.number("cpu_s"),
        "memory_mib": limits.integer("memory_mib"),
        "tags": record.strings("tags"),
        "exhibits": _read_exhibits(folder / "programs", record.record("programs")),
    }
    limits.finish()
    record.finish()
    statement = read_text(folder / "statement.md").strip()
    cases = _read_cases(folder / "cases.jsonl", mode)
    return Task(name=name, statement=statement, mode=mode, cases=cases, **described)


def _read_function(record: Record) -> str:
    name = record.string("function")
    if not name.isidentifier() or iskeyword(name):
        raise record.wrong("function", "a name that Python can call", name)
    return name


def _read_checker(record: Record, mode: Mode, own: Path) -> Checker:
    """The rule that is named; or the checker in the file `own`, which nothing else may name."""
    rules = _RULES[mode]
    rule = record.choice("rule", (*rules, _CUSTOM))
    if rule == _CUSTOM:
        record.finish()
        return _read_custom(own)
    if own.exists():
        raise record.wrong("rule", f"{_CUSTOM!r}, as there is a {own.name}", rule)
    kind = rules[rule]
    options = {
        option.name: _read_option(record, option)
        for option in fields(kind)
        if option.name in record.values
    }
    record.finish()
    try:
        checker: Checker = kind(**options)
    except ConfigError as error:
        raise TaskError(f"{record.path}, line {record.line}: field 'checker': {error}") from error
    return checker


def _read_option(record: Record, option: Field[Any]) -> Any:
    """A value of the option's own type; nothing is taken for a truth value but one."""
    kind: Any = option.type
    words = "true or false" if kind is bool else "a number"
    value = record.take(option.name, words)
    whole = type(value) is int and kind is not bool  # as good as a float
    if not whole and not isinstance(value, kind):
        raise record.wrong(option.name, words, value)
    return value


def _read_custom(path: Path) -> Custom:
    source = read_text(path)
    try:
        return Custom(source)
    except ConfigError as error:
        raise TaskError(f"{path}, {error}") from error


def _read_exhibits(folder: Path, record: Record) -> tuple[Exhibit, ...]:
    """The programs in the order of `task.json`; every file must be labelled there."""
    exhibits = []
    for name in list(record.values):
        accepted = record.choice(name, _LABELS) == "accepted"
        if not _PROGRAM_NAME.fullmatch(name):
            raise record.wrong(name, "named with small letters, digits and underscores", name)
        program = Program(read_text(folder / f"{name}.py"))
        exhibits.append(Exhibit(name=name, program=program, accepted=accepted))
    unlabelled = {path.stem for path in folder.glob("*.py")} - {item.name for item in exhibits}
    if unlabelled:
        raise TaskError(
            f"{record.path}, line {record.line}: field 'programs' has no label for "
            f"{', '.join(sorted(unlabelled))}; expected accepted or wrong"
        )
    return tuple(exhibits)


def _read_cases(path: Path, mode: Mode) -> tuple[Case, ...]:
    text = read_text(path)
    # An empty file is a task without cases, which the task itself refuses by that name.
    lines = enumerate(text.removesuffix("\n").split("\n"), 1) if text else ()
    cases = [_read_case(Record.parse(line, path=path, line=number), mode) for number, line in lines]
    return tuple(sorted(cases, key=lambda case: case.group is Group.HIDDEN))


def _read_case(record: Record, mode: Mode) -> Case:
    """A line of `cases.jsonl`; a function's arguments and value are plain JSON there."""
    identity = record.string("id")
    group = Group(record.choice("group", tuple(group.value for group in Group)))
    if mode is Mode.SCRIPT:
        given, expected = record.string("input", empty=True), record.string("expected", empty=True)
    else:
        arguments = record.take("arguments", "a list")
        if not isinstance(arguments, list):
            raise record.wrong("arguments", "a list", arguments)
        given = _encoded(record, "arguments", arguments)
        expected = _encoded(record, "returns", record.take("returns", "a value"))
    record.finish()
    try:
        return Case(id=identity, group=group, input=given, expected=expected)
    except TaskError as error:
        raise TaskError(f"{record.path}, line {record.line}: {error}") from error


def _encoded(record: Record, key: str, value: Any) -> str:
    try:
        return encode(value)
    except TypeError as error:  # it nests too deep; JSON has nothing else that is refused
        raise TaskError(f"{record.path}, line {record.line}: field {key!r}: {error}") from error
