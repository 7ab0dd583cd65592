"""Every exception that Workbench raises on purpose.

    WorkbenchError
    ├── ConfigError (also ValueError)   a caller's mistake: names the field, the value, the remedy
    ├── TaskError                       a task that cannot be loaded or judged
    ├── SandboxError                    the sandbox could not start, or broke under a program
    ├── ModelError                      a model could not be reached, loaded or understood
    ├── StoreError                      a run store could not be read or written
    └── TrainingError                   a trainer could not start or go on

What a *program* did is never an exception: it is an `Execution` and a `Verdict`.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class WorkbenchError(Exception):
    """Base of all errors below; its message is written for the person who must act on it."""


class ConfigError(WorkbenchError, ValueError):
    """A setting that cannot be right; raised where the setting is made, not where it is used."""


class TaskError(WorkbenchError):
    """A task that is unknown, malformed, or has nothing to be judged by."""


class SandboxError(WorkbenchError):
    """The sandbox failed, not the program in it; such a result is never scored."""


class ModelError(WorkbenchError):
    """A model failed to load or to answer."""


class StoreError(WorkbenchError):
    """A run store cannot be opened, read or written."""


class TrainingError(WorkbenchError):
    """Training cannot start or go on."""


@contextmanager
def boundary(error: type[WorkbenchError], action: str) -> Iterator[None]:
    """Name the boundary that a foreign exception crosses; typed errors pass through unchanged.

    Args:
        error: the type that callers are promised.
        action: what was being done, as it should read before a colon ("open run store x").

    Raises:
        WorkbenchError: `error`, chained to the original exception.
    """
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as failure:
        raise error(f"{action}: {type(failure).__name__}: {failure}") from failure
