"""What a timing was taken under, on the real machine and on records made by hand."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
from builders import FAST_DOUBLE, double_task

from workbench.evaluation import Conditions, Evaluator, Load
from workbench.evaluation.conditions import REFERENCE, Observer
from workbench.programs import Program
from workbench.sandbox import Limits, LocalSandbox


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    ("share", "load"),
    [(0.0, Load.QUIET), (0.09, Load.QUIET), (0.1, Load.SHARED), (0.5, Load.CROWDED), (None, None)],
)
def test_the_load_is_a_class_of_the_share(share: float | None, load: Load | None) -> None:
    found = Conditions(reference_cpu_s=0.005, foreign_share=share, preemptions=0.0)
    assert found.load is load


def test_others_who_use_every_core_are_seen_and_oneself_is_not() -> None:
    with LocalSandbox() as box:

        def share() -> float:
            observer = Observer()
            executions = box.run([REFERENCE] * 80, Limits())
            found = observer.conditions(executions[:2], executions[2:]).foreign_share
            assert found is not None
            return found

        with neighbours(2 * (psutil.cpu_count() or 1)):
            crowded = share()
        assert crowded > 0.5
        # Others may be at work here, but not more than the test itself has just ended.
        assert share() < crowded - 0.2


def test_a_time_too_short_to_tell_says_so() -> None:
    with LocalSandbox() as box:
        box.run([REFERENCE], Limits())
        observer = Observer()
        executions = box.run([REFERENCE] * 2, Limits())
        assert observer.conditions(executions[:1], executions[1:]).foreign_share is None
        time.sleep(0.25)
        assert observer.conditions(executions[:1], executions[1:]).foreign_share is not None


def test_an_accepted_program_is_timed_beside_the_reference(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(Program(FAST_DOUBLE), double_task())
    assert found.conditions is not None
    # Two milliseconds each of Python and numpy, on anything between a laptop and a busy server.
    assert 0.001 < found.conditions.reference_cpu_s < 0.05


def test_what_is_not_timed_has_no_conditions(evaluator: Evaluator) -> None:
    assert evaluator.evaluate(Program("def double(n): return 1"), double_task()).conditions is None
