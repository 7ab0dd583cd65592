"""One case judged: what to run, and what its execution means."""

from workbench.evaluation.verdict import Verdict
from workbench.programs import Program
from workbench.sandbox import Call, Ending, Execution, Job, Limits, Script
from workbench.tasks import Case, Mode, Task

# A wall limit far above the CPU limit: it is there for programs that wait, not for slow ones.
_WALL_PER_CPU = 3.0
_WALL_EXTRA_S = 1.0
_DETAIL_CHARS = 400

_ENDINGS = {
    Ending.COMPILE_ERROR: Verdict.COMPILE_ERROR,
    Ending.KILLED: Verdict.RUNTIME_ERROR,
    Ending.CPU_LIMIT: Verdict.TIME_LIMIT,
    Ending.WALL_LIMIT: Verdict.TIME_LIMIT,
    Ending.MEMORY_LIMIT: Verdict.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT: Verdict.OUTPUT_LIMIT,
}


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


def failure_of(execution: Execution, task: Task) -> tuple[Verdict, str] | None:
    """Verdict and detail of an execution that came to no answer; None if it came to one."""
    if not execution.succeeded:
        verdict = _ENDINGS.get(execution.ending, Verdict.RUNTIME_ERROR)
        return verdict, _reason(execution)[:_DETAIL_CHARS]
    if task.mode is Mode.FUNCTION and execution.value is None:
        # A program that leaves by the back door has not returned None.
        return Verdict.RUNTIME_ERROR, "the program ended before the call returned"
    return None


def judge(execution: Execution, task: Task, case: Case) -> tuple[Verdict, str]:
    """Verdict on one execution, with a detail for people (empty if accepted)."""
    failure = failure_of(execution, task)
    if failure is not None:
        return failure
    if execution.value is not None:
        answer = execution.value
    else:
        try:
            answer = execution.stdout.decode("utf-8")
        except UnicodeDecodeError as error:
            return Verdict.WRONG_ANSWER, f"output is not UTF-8: {error.reason}"
    difference = task.checker.difference(case.expected, answer)
    if difference is None:
        return Verdict.ACCEPTED, ""
    return Verdict.WRONG_ANSWER, difference[:_DETAIL_CHARS]


def _reason(execution: Execution) -> str:
    lines = execution.stderr.strip().splitlines()
    if lines:
        return lines[-1]
    if execution.signal is not None:
        return f"ended by signal {execution.signal}"
    return f"{execution.ending.value.replace('_', ' ')}, exit code {execution.exit_code}"
