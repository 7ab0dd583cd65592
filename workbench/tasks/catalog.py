"""From a name to a task. Names cost nothing; a task is read when it is asked for."""

from difflib import get_close_matches
from pathlib import Path

from workbench.errors import TaskError
from workbench.tasks.bundled import bundled_names, data_root, read_task
from workbench.tasks.humaneval import PREFIX, humaneval_task, humaneval_tasks
from workbench.tasks.task import Task

SOURCES = ("bundled", "humaneval")
_MOST_DIGITS = 9  # thousands of them would be no number for Python


def list_tasks(source: str = "bundled") -> list[Task]:
    """All tasks of a source, sorted by name or number.

    Args:
        source: "bundled" or "humaneval".

    Raises:
        TaskError: the source is unknown or one of its tasks malformed.
    """
    if source == "bundled":
        return [find_task(name) for name in bundled_names()]
    if source == "humaneval":
        return humaneval_tasks()
    raise TaskError(f"no task source {source!r}; there are {', '.join(SOURCES)}")


def find_task(name: str) -> Task:
    """The task with that name.

    Args:
        name: of a bundled task, "humaneval-<number>", or the path of a task folder (anything
            with a slash, or a folder that is there).

    Raises:
        TaskError: there is no such task, or it is malformed.
    """
    names = bundled_names()
    if name in names:
        return read_task(data_root() / "tasks" / name)
    number = name.removeprefix(PREFIX)
    if number != name and number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS:
        return humaneval_task(int(number))
    if _is_folder(name):
        return read_task(Path(name))
    close = get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise TaskError(
        f"no task {name!r}; {hint}list_tasks() lists the bundled ones, humaneval-0 to "
        "humaneval-163 are HumanEval's, and the path of a task folder is a name too"
    )


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:
        return False  # too long to be the name of anything
