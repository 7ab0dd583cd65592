"""Asking the checkers that are programs, each time in a process of the sandbox of its own.

What such a process is shown never enters the one that runs the program under judgement, and
neither runs here. The verdict is made here, from what the checker said.
"""

from typing import Any, NamedTuple

from workbench.errors import TaskError
from workbench.evaluation.failure import failure_of
from workbench.sandbox import Call, Limits, Sandbox
from workbench.sandbox.codec import check_bounds, decode, encode
from workbench.tasks import Case, Mode, Task
from workbench.tasks.trusted import Assertions, Custom

# A checker's own, whatever the task allows its programs: a verdict must not hang on them.
_LIMITS = Limits(cpu_s=10.0, wall_s=31.0, memory_mib=2048)


class Reply(NamedTuple):
    """What a checker came to.

    Attributes:
        value: what its `judge` returned.
        failure: in words, how it failed instead; empty if it did not.
    """

    value: Any
    failure: str = ""


def consult(checker: Custom | Assertions, arguments: str, sandbox: Sandbox) -> Reply:
    """Call the `judge` of `checker` once.

    Args:
        checker: whom to ask.
        arguments: as `question` makes them.
        sandbox: where it runs.

    Raises:
        SandboxError: the sandbox failed.
    """
    call = Call(source=checker.judge, function="judge", arguments=arguments, apart=True)
    (execution,) = sandbox.run([call], _LIMITS)
    failure = failure_of(execution, Mode.FUNCTION)
    if failure is not None:
        return Reply(None, failure[1])
    return Reply(decode(execution.value or ""))


def question(values: list[str]) -> str:
    """The arguments of a `judge`, from `codec` texts that were decoded before.

    Raises:
        ValueError: together they are too long, or nested too deep, to be put to it.
    """
    text = f"[{','.join(values)}]"
    check_bounds(text)
    return text


def objection(checker: Custom, task: Task, case: Case, answer: str, sandbox: Sandbox) -> str | None:
    """What a task's own checker has against an answer; None if it accepts it.

    Raises:
        TaskError: the checker failed, which is never held against the program.
        SandboxError: the sandbox failed.
    """
    values = [case.input, answer, case.expected]
    try:
        if task.mode is Mode.FUNCTION:
            decode(answer)
        else:
            values = list(map(encode, values))
        arguments = question(values)
    except ValueError as error:
        return f"the answer cannot be put to the checker: {error}"
    reply = consult(checker, arguments, sandbox)
    if reply.failure:
        raise TaskError(
            f"the checker of task {task.name!r} failed on case {case.id!r}: {reply.failure}"
        )
    if reply.value is True:
        return None
    return reply.value or "the task's checker refused it"
