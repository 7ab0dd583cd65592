"""How an execution failed before there was an answer to judge.

Of all that went wrong with it, the verdict names what stands first here: no valid Python, time
(CPU or wall), memory, output, a signal, an exit code; only then a wrong answer, which is judged
elsewhere. What the sandbox or a checker did wrong comes before any of them and is no verdict:
it is raised. The sandbox decides down to the signal (`Execution.ending`), this module the rest.
"""

from workbench.evaluation.verdict import Verdict
from workbench.sandbox import Ending, Execution
from workbench.tasks import Mode

DETAIL_CHARS = 400

_VERDICTS = {
    Ending.COMPILE_ERROR: Verdict.COMPILE_ERROR,
    Ending.CPU_LIMIT: Verdict.TIME_LIMIT,
    Ending.WALL_LIMIT: Verdict.TIME_LIMIT,
    Ending.MEMORY_LIMIT: Verdict.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT: Verdict.OUTPUT_LIMIT,
    Ending.KILLED: Verdict.RUNTIME_ERROR,
    Ending.EXITED: Verdict.RUNTIME_ERROR,
}


def failure_of(execution: Execution, mode: Mode) -> tuple[Verdict, str] | None:
    """Verdict and detail of an execution that came to no answer; None if it came to one."""
    if not execution.succeeded:
        return _VERDICTS[execution.ending], _reason(execution)[:DETAIL_CHARS]
    if mode is Mode.FUNCTION and execution.value is None:
        # A program that leaves by the back door has not returned None.
        return Verdict.RUNTIME_ERROR, "the program ended before the call returned"
    return None


def _reason(execution: Execution) -> str:
    """The last line of the error stream, unless a limit or a signal says it better."""
    lines = execution.stderr.strip().splitlines()
    if lines and execution.ending in (Ending.EXITED, Ending.COMPILE_ERROR):
        return lines[-1]
    if execution.ending is Ending.KILLED:
        return f"ended by signal {execution.signal}"
    if execution.ending is Ending.EXITED:
        return f"exit code {execution.exit_code}"
    return str(execution.ending.value).replace("_", " ")
