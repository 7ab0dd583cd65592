"""One case judged: what to run, and what its execution means."""

from workbench.evaluation.consulting import objection
from workbench.evaluation.failure import DETAIL_CHARS, failure_of
from workbench.evaluation.verdict import Verdict
from workbench.programs import Program
from workbench.sandbox import Call, Execution, Job, Limits, Sandbox, Script
from workbench.tasks import Case, Mode, Task
from workbench.tasks.trusted import Assertions, Custom

# A wall limit far above the CPU limit: it is there for programs that wait, not for slow ones.
_WALL_PER_CPU = 3.0
_WALL_EXTRA_S = 1.0


def limits_of(task: Task) -> Limits:
    """The task's limits, the wall limit at three times the CPU limit plus a second."""
    return Limits(
        cpu_s=task.cpu_limit_s,
        wall_s=_WALL_PER_CPU * task.cpu_limit_s + _WALL_EXTRA_S,
        memory_mib=task.memory_mib,
    )


def job_of(program: Program, task: Task, case: Case) -> Job:
    """What runs `program` on `case`; the expected answer stays here."""
    if task.function is None:
        return Script(source=program.source, stdin=case.input.encode())
    return Call(source=program.source, function=task.function, arguments=case.input)


def judge(execution: Execution, task: Task, case: Case, sandbox: Sandbox) -> tuple[Verdict, str]:
    """Verdict on one execution, with a detail for people (empty if accepted).

    Args:
        execution: of `job_of` the case.
        task: whose checker decides, and
        case: with what it compares.
        sandbox: where the checker runs if it is a program.

    Raises:
        TaskError: the task's own checker failed.
        SandboxError: the sandbox failed under it.
    """
    failure = failure_of(execution, task.mode)
    if failure is not None:
        return failure
    if task.mode is Mode.FUNCTION:
        answer = execution.value or ""
    else:
        try:
            answer = execution.stdout.decode("utf-8")
        except UnicodeDecodeError as error:
            return Verdict.WRONG_ANSWER, f"output is not UTF-8: {error.reason}"
    if isinstance(task.checker, Custom):
        difference = objection(task.checker, task, case, answer, sandbox)
    else:
        assert not isinstance(task.checker, Assertions), "assertions have no cases to judge"
        difference = task.checker.difference(case.expected, answer)
    if difference is None:
        return Verdict.ACCEPTED, ""
    return Verdict.WRONG_ANSWER, difference[:DETAIL_CHARS]
