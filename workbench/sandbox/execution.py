"""What the sandbox saw. A record of facts: no verdict, no score."""

from dataclasses import dataclass
from enum import Enum

from workbench.sandbox.trust import TrustLevel


class Ending(Enum):
    """Why an execution stopped, as seen from outside the program."""

    EXITED = "exited"
    KILLED = "killed"
    COMPILE_ERROR = "compile_error"
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"


@dataclass(frozen=True, kw_only=True)
class Execution:
    """One run of one job.

    Attributes:
        ending: what stopped it.
        exit_code: the process's exit code, or None if a signal ended it.
        signal: the number of the signal that ended it, or None.
        stdout: what a script wrote, up to the output limit; for a call what it printed.
        stderr: the last 8 KiB of the error stream, a traceback at best.
        value: for a call, the returned value as `codec` JSON text; None if there is none, which
            exit code 0 does not rule out (`os._exit(0)`). A program can write anything here, so
            `codec.decode` may refuse it: then it is a wrong answer.
        cpu_s: user plus system seconds, as the kernel counted them.
        wall_s: seconds from start to death, by the worker's clock.
        baseline_cpu_s: what an empty program costs in the same worker; subtract it to compare.
        baseline_wall_s: the same by the wall clock.
        peak_mib: resident memory above the worker's own.
        preemptions: how often the kernel took the core away from it; many mean a busy machine.
        trust: how well the host was shielded meanwhile.
    """

    ending: Ending
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: str
    value: str | None
    cpu_s: float
    wall_s: float
    baseline_cpu_s: float
    baseline_wall_s: float
    peak_mib: float
    preemptions: int
    trust: TrustLevel

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.ending is Ending.EXITED and self.exit_code == 0
