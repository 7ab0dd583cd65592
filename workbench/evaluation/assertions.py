"""Judging by assertions that call the candidate themselves, as HumanEval's do.

The assertions run in a checker process of their own, also in the sandbox, that knows the
candidate only by its answers: it is played the answers so far and stops at the first call
that has none. That call then runs on the candidate, like any function-mode case. Neither
process ever holds the other's code.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workbench.errors import TaskError
from workbench.evaluation.consulting import Reply, consult, question
from workbench.evaluation.evaluation import CaseResult
from workbench.evaluation.failure import failure_of
from workbench.evaluation.judging import job_of, limits_of
from workbench.evaluation.timing import Timer
from workbench.evaluation.verdict import Verdict
from workbench.programs import Program
from workbench.sandbox import Sandbox
from workbench.sandbox.codec import decode, encode
from workbench.tasks import Case, Group, Task
from workbench.tasks.trusted import Assertions

_MOST_CALLS = 1000


def interrogate(
    program: Program, task: Task, sandbox: Sandbox, timer: Timer
) -> Iterator[tuple[Case, CaseResult]]:
    """Put the checker's questions to `program`, one after another.

    Yields:
        Each call as a case ("call-1", ...) with its result. The last result carries the
        checker's verdict: accepted, a wrong answer, or the failure that ended it.

    Raises:
        TaskError: the checker itself failed, or asks without end.
        SandboxError: the sandbox failed.
    """
    assert isinstance(task.checker, Assertions)
    answers: list[str] = []
    pending: tuple[Case, CaseResult] | None = None
    for number in range(1, _MOST_CALLS + 1):
        said = _consult(task.checker, answers, task, sandbox)
        if "ask" not in said:
            yield _concluded(pending, said, task)
            return
        if pending is not None:
            yield pending
        case = Case(id=f"call-{number}", group=Group.HIDDEN, input=encode(said["ask"]), expected="")
        (execution,) = sandbox.run([job_of(program, task, case)], limits_of(task))
        failure = failure_of(execution, task.mode)
        if failure is None:
            try:
                answers.append(execution.value or "")
                decode(answers[-1])
            except ValueError as error:
                # The program wrote to its own result: text that no value encodes to.
                failure = Verdict.WRONG_ANSWER, f"the answer cannot be read: {error}"
        verdict, detail = failure or (Verdict.ACCEPTED, "")
        seconds = timer.seconds(program, case.id, execution)
        pending = (
            case,
            CaseResult(case_id=case.id, verdict=verdict, detail=detail, **seconds._asdict()),
        )
        if failure is not None:
            yield pending
            return
    raise TaskError(f"the checker of task {task.name!r} asked for more than {_MOST_CALLS} calls")


def _consult(
    checker: Assertions, answers: list[str], task: Task, sandbox: Sandbox
) -> dict[str, Any]:
    """What the checker says to the answers so far: a question, or its conclusion."""
    try:
        reply = consult(checker, question([question(answers)]), sandbox)
    except ValueError as error:
        reply = Reply(None, str(error))
    if not reply.failure:
        return dict(reply.value)
    if answers:
        # Before any answer the checker works, so it is the answer that was too much for it.
        return {"passed": False, "message": f"the checker could not take it: {reply.failure}"}
    raise TaskError(f"the checker of task {task.name!r} failed: {reply.failure}")


def _concluded(
    last: tuple[Case, CaseResult] | None, said: dict[str, Any], task: Task
) -> tuple[Case, CaseResult]:
    """The last call with the conclusion written on it."""
    if last is None:
        raise TaskError(
            f"the assertions of task {task.name!r} never call {task.function}, so they would "
            f"judge every program alike: {said}"
        )
    case, result = last
    if said.get("passed") is True:
        return case, result
    detail = str(said.get("message", ""))
    return case, replace(result, verdict=Verdict.WRONG_ANSWER, detail=detail)
