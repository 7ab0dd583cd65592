"""From an execution to the seconds that count. The only place where the clock can be replaced."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from workbench.evaluation.conditions import Window, watched
from workbench.programs import Program
from workbench.sandbox import Execution

# Below this, what remains after the empty program's share is taken off is noise.
_FLOOR_S = 50e-6
# A program that waits instead of computing: for longer, and for a larger share of its time, than
# being sent off the core explains.
_WAIT_S, _WAIT_SHARE = 0.02, 0.5
_PER_PREEMPTION_S = 0.01


class Seconds(NamedTuple):
    """CPU and wall seconds of one execution, the empty program's share removed."""

    cpu_s: float
    wall_s: float


class Timer(Protocol):
    """All that is measured; handed to the evaluator so that a test can script it."""

    def seconds(self, program: Program, case_id: str, execution: Execution) -> Seconds:
        """The seconds that `program` took on the case."""
        ...

    def watch(self, batch: Callable[[], list[Execution]]) -> tuple[list[Execution], Window | None]:
        """Run a batch, and see what others did meanwhile.

        Returns:
            What it came to, and its window; None leaves all about the machine out of records.
        """
        ...


class KernelTimer:
    """What the kernel counted."""

    def seconds(self, program: Program, case_id: str, execution: Execution) -> Seconds:  # noqa: ARG002
        """See `measured`."""
        return measured(execution)

    def watch(self, batch: Callable[[], list[Execution]]) -> tuple[list[Execution], Window | None]:
        """See `conditions.watched`."""
        return watched(batch)


def measured(execution: Execution) -> Seconds:
    """The kernel's figures less the worker's baseline, at least 50 microseconds each.

    A program that mostly waits has its wall time for CPU time: sleeping is not being fast.
    """
    wall_s = max(execution.wall_s - execution.baseline_wall_s, _FLOOR_S)
    cpu_s = max(execution.cpu_s - execution.baseline_cpu_s, _FLOOR_S)
    waited_s = wall_s - cpu_s - execution.preemptions * _PER_PREEMPTION_S
    if waited_s > max(_WAIT_S, _WAIT_SHARE * wall_s):
        cpu_s = wall_s
    return Seconds(cpu_s=cpu_s, wall_s=wall_s)
