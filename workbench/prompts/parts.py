"""Parts that several prompts share: the task, and the figures of a program."""

import re

from workbench.evaluation import Evaluation
from workbench.prompts.template import Page
from workbench.tasks import Case, Mode, Task

_SAMPLE_CHARS = 400
_NEWLINE = "\n"
_PYTHON_FENCE = re.compile(r"^(`{3,})python$", re.MULTILINE)


def describe_task(page: Page, task: Task) -> str:
    """Statement, contract and sample cases; hidden cases never enter.

    Python blocks of the statement are tagged "py": the tag "python" marks programs to work on.
    """
    statement = _PYTHON_FENCE.sub(r"\1py", task.statement.strip())
    samples = [_sample(page, case, task.mode) for case in task.samples]
    return "\n\n".join([statement, _contract(page, task), *samples])


def describe_figures(page: Page, evaluation: Evaluation) -> str:
    """Verdict, pass rate and mean run time, as one phrase."""
    verdict, share = evaluation.verdict.words, describe_share(evaluation.pass_rate)
    if evaluation.mean_cpu_s is None:
        return page.render("figures", verdict=verdict, share=share)
    milliseconds = f"{evaluation.mean_cpu_s * 1000:.4g}"
    return page.render("figures_timed", verdict=verdict, share=share, milliseconds=milliseconds)


def describe_share(share: float) -> str:
    """Whole percent; 100% only of all and 0% only of none, however close it comes to them.

    Args:
        share: in [0, 1].
    """
    percent = round(share * 100)
    if 0 < share < 1:
        percent = min(max(percent, 1), 99)
    return f"{percent}%"


def describe_fitness(value: float) -> str:
    """Four significant digits: enough to tell neighbours apart at both ends of the scale."""
    return f"{value:.4g}"


def fence(source: str) -> str:
    """The program as a fenced block, the fence longer than any run of backticks inside."""
    runs = re.findall(r"`{3,}", source)
    ticks = "`" * max([3, *(len(run) + 1 for run in runs)])
    return f"{ticks}python\n{source.rstrip(_NEWLINE)}\n{ticks}"


def _contract(page: Page, task: Task) -> str:
    if task.mode is Mode.SCRIPT:
        return page.render("contract_script")
    return page.render("contract_function", function=str(task.function))


def _sample(page: Page, case: Case, mode: Mode) -> str:
    name = "sample_script" if mode is Mode.SCRIPT else "sample_function"
    expected = _shorten(page, case.expected)
    return page.render(name, input=_shorten(page, case.input), expected=expected)


def _shorten(page: Page, text: str) -> str:
    text = text.rstrip("\n")
    more = len(text) - _SAMPLE_CHARS
    if more <= 0:
        return text
    return page.render("shortened", text=text[:_SAMPLE_CHARS], more=str(more))
