import math
import random

import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    ScriptedTimer,
    double_task,
    fixed_times,
)

from workbench.errors import ConfigError
from workbench.evaluation import Comparison, Decision, Evaluator
from workbench.evaluation.control import control_of
from workbench.evaluation.paired import PairedSettings
from workbench.evaluation.timing import Seconds
from workbench.programs import Program
from workbench.sandbox import Execution, LocalSandbox


def compared(speedup: float, decision: Decision = Decision.TIE) -> Comparison:
    return Comparison(first="a", second="a", decision=decision, speedup=speedup)


def test_a_control_counts_claims_and_measures_the_spread() -> None:
    found = control_of(
        [
            compared(1.0),
            compared(math.exp(0.1), Decision.FASTER),
            compared(math.exp(-0.1), Decision.SLOWER),
            compared(1.0),
        ]
    )
    assert (found.comparisons, found.faster, found.slower) == (4, 1, 1)
    assert found.false_rate == 0.25
    # Sample standard deviation of 0, 0.1, -0.1, 0: the root of 0.02 / 3.
    assert found.sd == pytest.approx(math.sqrt(0.02 / 3))
    assert found.margin == pytest.approx(math.exp(2 * math.sqrt(0.02 / 3)) - 1)


def test_one_comparison_has_no_spread() -> None:
    with pytest.raises(ConfigError, match="at least 2, got 1"):
        control_of([compared(1.0)])


def test_a_program_that_solves_nothing_controls_nothing(evaluator: Evaluator) -> None:
    with pytest.raises(ConfigError, match="solves 'double'"):
        evaluator.control(Program(WRONG_DOUBLE), double_task())


def test_a_control_on_the_real_machine_claims_next_to_nothing(evaluator: Evaluator) -> None:
    found = evaluator.control(Program(SLOW_DOUBLE), double_task(), repeats=6)
    assert found.comparisons == 6
    assert found.faster + found.slower <= 1
    assert 0 < found.sd < 0.2


def test_what_the_machine_makes_up_widens_the_tie_zone(sandbox: LocalSandbox) -> None:
    slow, fast = Program(SLOW_DOUBLE), Program(FAST_DOUBLE)
    times = fixed_times({slow.id: 0.0105, fast.id: 0.01})
    settings = PairedSettings(first_pairs=4, max_pairs=4)
    steady = Evaluator(sandbox, timer=ScriptedTimer(times), paired=settings)
    first = steady.compare(slow, fast, double_task())
    assert (first.decision, first.margin) == (Decision.FASTER, 0.03)
    # The same five per cent where every run may be a tenth off.
    noise = random.Random(0)

    def noisy(program: Program, case_id: str, execution: Execution) -> Seconds:
        cpu_s, wall_s = times(program, case_id, execution)
        return Seconds(cpu_s=cpu_s * math.exp(noise.gauss(0, 0.1)), wall_s=wall_s)

    unsteady = Evaluator(sandbox, timer=ScriptedTimer(noisy), paired=settings)
    control = unsteady.control(slow, double_task(), repeats=8)
    assert control.margin > 0.05
    second = unsteady.compare(slow, fast, double_task())
    assert second.margin == pytest.approx(control.margin)
    assert second.decision is Decision.TIE
