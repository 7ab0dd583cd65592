"""Wording that several prompts share: the task, and the figures of a program."""

import re

from workbench.evaluation import Evaluation
from workbench.tasks import Case, Mode, Task

_SAMPLE_CHARS = 400
_NEWLINE = "\n"


def describe_task(task: Task) -> str:
    """Statement, contract and sample cases; hidden cases never enter."""
    parts = [task.statement.strip(), _contract(task)]
    parts += [_sample(case, task.mode) for case in task.samples]
    return "\n\n".join(parts)


def describe_figures(evaluation: Evaluation) -> str:
    """Verdict, pass rate and mean run time, as one phrase."""
    phrase = f"{evaluation.verdict.words}, passes {evaluation.pass_rate:.0%} of the cases"
    if evaluation.mean_cpu_s is not None:
        phrase += f", mean {evaluation.mean_cpu_s * 1000:.4g} ms a case"
    return phrase


def describe_fitness(value: float) -> str:
    """Four significant digits: enough to tell neighbours apart at both ends of the scale."""
    return f"{value:.4g}"


def fence(source: str) -> str:
    """The program as a fenced block, the fence longer than any run of backticks inside."""
    runs = re.findall(r"`{3,}", source)
    ticks = "`" * max([3, *(len(run) + 1 for run in runs)])
    return f"{ticks}python\n{source.rstrip(_NEWLINE)}\n{ticks}"


def _contract(task: Task) -> str:
    if task.mode is Mode.SCRIPT:
        return "The program reads standard input and writes standard output."
    return f"The program defines the function `{task.function}`, which is called directly."


def _sample(case: Case, mode: Mode) -> str:
    if mode is Mode.SCRIPT:
        return f"Input:\n{_shorten(case.input)}\nOutput:\n{_shorten(case.expected)}"
    return f"Arguments: {_shorten(case.input)}\nReturns: {_shorten(case.expected)}"


def _shorten(text: str) -> str:
    text = text.rstrip("\n")
    if len(text) <= _SAMPLE_CHARS:
        return text
    return f"{text[:_SAMPLE_CHARS]} [{len(text) - _SAMPLE_CHARS} more characters]"
