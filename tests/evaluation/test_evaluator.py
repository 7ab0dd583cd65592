"""Programs judged in the real sandbox."""

import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    ScriptedTimer,
    double_task,
    echo_task,
    fixed_times,
)

from workbench.evaluation import Decision, Evaluator, Verdict
from workbench.evaluation.timing import Seconds
from workbench.programs import Program
from workbench.sandbox import Execution, LocalSandbox


@pytest.mark.parametrize(
    ("source", "verdict", "pass_rate"),
    [
        (FAST_DOUBLE, Verdict.ACCEPTED, 1.0),
        (WRONG_DOUBLE, Verdict.WRONG_ANSWER, 0.0),
        ("def double(n):\n    return 6\n", Verdict.WRONG_ANSWER, 1 / 3),
        ("def double(n):\n    return 1 / 0\n", Verdict.RUNTIME_ERROR, 0.0),
        ("def triple(n):\n    return 3 * n\n", Verdict.RUNTIME_ERROR, 0.0),
        ("def double(n:\n", Verdict.COMPILE_ERROR, 0.0),
        ("def double(n):\n    return float(2 * n)\n", Verdict.WRONG_ANSWER, 0.0),
        ("def double(n):\n    return True\n", Verdict.WRONG_ANSWER, 0.0),
        ("def double(n):\n    while True: pass\n", Verdict.TIME_LIMIT, 0.0),
        ("import os\ndef double(n):\n    os._exit(0)\n", Verdict.RUNTIME_ERROR, 0.0),
        ("def double(n):\n    raise SystemExit(0)\n", Verdict.RUNTIME_ERROR, 0.0),
    ],
)
def test_function_mode_verdicts(
    evaluator: Evaluator, source: str, verdict: Verdict, pass_rate: float
) -> None:
    found = evaluator.evaluate(Program(source), double_task())
    assert found.verdict is verdict
    assert found.pass_rate == pytest.approx(pass_rate)


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("print('\\n'.join(input().split()))", Verdict.ACCEPTED),
        ("import sys\nprint(*sys.stdin.read().split())", Verdict.ACCEPTED),  # tokens, not lines
        ("print(input())\nprint('x')", Verdict.WRONG_ANSWER),
        ("print('a b')\nraise SystemExit(3)", Verdict.RUNTIME_ERROR),
        ("", Verdict.WRONG_ANSWER),
        ("import sys\nsys.stdout.buffer.write(b'\\xff')", Verdict.WRONG_ANSWER),
    ],
)
def test_script_mode_verdicts(evaluator: Evaluator, source: str, verdict: Verdict) -> None:
    assert evaluator.evaluate(Program(source), echo_task()).verdict is verdict


def test_fitness_is_eq_3_of_the_mean_of_case_times(sandbox: LocalSandbox) -> None:
    program = Program(FAST_DOUBLE)
    evaluator = Evaluator(sandbox, timer=ScriptedTimer(fixed_times({program.id: 0.004})))
    found = evaluator.evaluate(program, double_task())
    assert found.fitness == pytest.approx(1 / 4.001)
    assert found.mean_cpu_s == pytest.approx(0.004)


def test_a_program_is_run_once_and_remembered(sandbox: LocalSandbox) -> None:
    program = Program(FAST_DOUBLE)
    runs = []

    def counting(timed: Program, case_id: str, execution: Execution) -> Seconds:
        runs.append(case_id)
        return fixed_times({program.id: 0.004})(timed, case_id, execution)

    evaluator = Evaluator(sandbox, timer=ScriptedTimer(counting))
    first = evaluator.evaluate(program, double_task())
    count = len(runs)
    assert count == 3 * 3  # three cases, three runs each
    assert evaluator.evaluate(program, double_task()) is first
    assert len(runs) == count


def test_another_version_of_a_task_is_judged_anew(evaluator: Evaluator) -> None:
    program = Program("def double(n):\n    return {3: 6, 10: 20, 20: 40}[n]\n")
    assert evaluator.evaluate(program, double_task(largest=20)).accepted
    assert not evaluator.evaluate(program, double_task(largest=40)).accepted


def test_a_faster_program_is_found_faster(evaluator: Evaluator) -> None:
    found = evaluator.compare(
        Program(SLOW_DOUBLE), Program(FAST_DOUBLE), double_task(largest=400_000)
    )
    assert found.decision is Decision.FASTER
    assert found.low is not None
    assert found.low > 1.5


def test_a_program_is_not_faster_than_itself(evaluator: Evaluator) -> None:
    found = evaluator.compare(
        Program(SLOW_DOUBLE), Program(SLOW_DOUBLE + "\n"), double_task(largest=100_000)
    )
    assert found.speedup == pytest.approx(1.0, abs=0.5)


def test_a_first_solution_is_an_improvement_without_a_ratio(evaluator: Evaluator) -> None:
    found = evaluator.compare(Program(WRONG_DOUBLE), Program(FAST_DOUBLE), double_task())
    assert found.decision is Decision.NEWLY_ACCEPTED
    assert found.speedup is None
    assert found.improved


def test_a_wrong_program_never_improves(evaluator: Evaluator) -> None:
    found = evaluator.compare(Program(SLOW_DOUBLE), Program(WRONG_DOUBLE), double_task())
    assert not found.improved
