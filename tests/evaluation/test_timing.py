"""From what the kernel counted to the seconds that count; figures by hand."""

import pytest

from workbench.evaluation import Evaluator, Verdict
from workbench.evaluation.timing import measured
from workbench.programs import Program
from workbench.sandbox import Ending, Execution, TrustLevel
from workbench.tasks import Case, Group, Mode, Task


def execution(*, cpu_s: float, wall_s: float, preemptions: int = 0) -> Execution:
    return Execution(
        ending=Ending.EXITED, exit_code=0, signal=None, stdout=b"", stderr="", value=None,
        cpu_s=cpu_s, wall_s=wall_s, baseline_cpu_s=0.001, baseline_wall_s=0.002, peak_mib=0.0,
        preemptions=preemptions, trust=TrustLevel.L2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("cpu_s", "wall_s", "preemptions", "expected"),
    [
        (0.101, 0.112, 0, (0.100, 0.110)),  # less the empty program's share
        (0.0005, 0.001, 0, (50e-6, 50e-6)),  # below what can be told from nothing
        (0.002, 0.202, 0, (0.200, 0.200)),  # it slept: a fifth of a second is what it takes
        (0.002, 0.020, 0, (0.001, 0.018)),  # too short a wait to say so
        (0.081, 0.142, 0, (0.080, 0.140)),  # it waited for less than half of its time
        (0.011, 0.202, 30, (0.010, 0.200)),  # others had the core meanwhile
    ],
)
def test_seconds_that_count(
    cpu_s: float, wall_s: float, preemptions: int, expected: tuple[float, float]
) -> None:
    found = measured(execution(cpu_s=cpu_s, wall_s=wall_s, preemptions=preemptions))
    assert found == pytest.approx(expected)


def test_a_program_that_sleeps_is_not_fast(evaluator: Evaluator) -> None:
    task = Task(
        name="five",
        title="Five",
        statement="Print 5.",
        mode=Mode.SCRIPT,
        cases=(Case(id="1", group=Group.HIDDEN, input="", expected="5\n"),),
    )
    found = evaluator.evaluate(Program("import time\ntime.sleep(0.4)\nprint(5)"), task)
    assert found.verdict is Verdict.ACCEPTED
    assert found.mean_cpu_s is not None
    # Less what an empty program takes, which is milliseconds on a busy machine.
    assert found.mean_cpu_s > 0.35
