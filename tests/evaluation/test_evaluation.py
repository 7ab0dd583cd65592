from dataclasses import replace

import pytest
from builders import evaluation
from pydantic import TypeAdapter

from workbench.evaluation import Comparison, Conditions, Decision, Evaluation, Load, Verdict
from workbench.programs import Program

PROGRAM = Program("x = 1\n")


def _with(**changes: object) -> Evaluation:
    fields = {
        "program_id": PROGRAM.id,
        "task": "t",
        "verdict": Verdict.ACCEPTED,
        "pass_rate": 1.0,
        "fitness": 0.5,
        "wall_fitness": 0.5,
        "mean_cpu_s": 0.002,
        "mean_wall_s": 0.002,
        "cases": (),
        "trust": 2,
    }
    return Evaluation(**(fields | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["pass_rate", "fitness", "wall_fitness"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_refuses_numbers_that_would_win_every_comparison(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=field):
        _with(**{field: value})


def test_a_failure_cannot_have_fitness() -> None:
    with pytest.raises(ValueError, match="cannot have fitness"):
        _with(verdict=Verdict.TIME_LIMIT)


def test_the_slowest_solution_outranks_the_best_failure() -> None:
    solved = evaluation(PROGRAM, seconds=1000.0)
    failed = evaluation(PROGRAM, seconds=None, pass_rate=0.99)
    assert solved.rank > failed.rank


def test_failures_are_ordered_by_cases_passed_then_by_kind() -> None:
    many = _with(verdict=Verdict.RUNTIME_ERROR, fitness=0.0, pass_rate=0.9)
    few = _with(verdict=Verdict.WRONG_ANSWER, fitness=0.0, pass_rate=0.1)
    crash = _with(verdict=Verdict.RUNTIME_ERROR, fitness=0.0, pass_rate=0.1)
    assert many.rank > few.rank > crash.rank


def test_records_that_know_nothing_of_the_machine_can_still_be_read() -> None:
    judged, compared = TypeAdapter(Evaluation), TypeAdapter(Comparison)
    conditions = Conditions(reference_cpu_s=0.005, foreign_share=0.25, preemptions=1.5)
    evaluated = replace(evaluation(PROGRAM, seconds=0.01), conditions=conditions)
    comparison = Comparison(first="a", second="b", decision=Decision.TIE, load=Load.SHARED)
    assert judged.validate_json(judged.dump_json(evaluated)) == evaluated
    assert compared.validate_json(compared.dump_json(comparison)) == comparison
    old = judged.dump_python(evaluated, mode="json")
    del old["conditions"]
    assert judged.validate_python(old) == replace(evaluated, conditions=None)
    old = compared.dump_python(comparison, mode="json")
    del old["load"], old["by"]
    assert compared.validate_python(old) == replace(comparison, load=None)
