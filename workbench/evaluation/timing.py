"""From an execution to the seconds that count. The only place where the clock can be replaced."""

from typing import NamedTuple, Protocol

from workbench.programs import Program
from workbench.sandbox import Execution

# Below this, what remains after the empty program's share is taken off is noise.
_FLOOR_S = 50e-6


class Seconds(NamedTuple):
    """CPU and wall seconds of one execution, the empty program's share removed."""

    cpu_s: float
    wall_s: float


class Timer(Protocol):
    """Reads an execution's time; handed to the evaluator so that a test can script it."""

    def __call__(self, program: Program, case_id: str, execution: Execution) -> Seconds:
        """The seconds that `program` took on the case."""
        ...


def measured(program: Program, case_id: str, execution: Execution) -> Seconds:  # noqa: ARG001
    """The kernel's figures less the worker's baseline, at least 50 microseconds each."""
    return Seconds(
        cpu_s=max(execution.cpu_s - execution.baseline_cpu_s, _FLOOR_S),
        wall_s=max(execution.wall_s - execution.baseline_wall_s, _FLOOR_S),
    )
