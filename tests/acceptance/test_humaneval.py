"""HumanEval in the real sandbox: every canonical solution is accepted, and no mutant of one.

The mutants are chosen, and their fate is known, without the evaluator: see `choose_mutants`.
"""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import choose_mutants
import pytest
from choose_mutants import Flip, Problem

from workbench.evaluation import Evaluation, Evaluator, Verdict
from workbench.programs import Program
from workbench.sandbox import LocalSandbox
from workbench.tasks import Task, list_tasks

COUNT = 164
WORKERS = 2
EXPECTED = {
    choose_mutants.FAILED_ASSERTION: Verdict.WRONG_ANSWER,
    # Assertions that choke on an answer refuse it as well as those that fail.
    choose_mutants.ASSERTIONS_RAISED: Verdict.WRONG_ANSWER,
    choose_mutants.CANDIDATE_RAISED: Verdict.RUNTIME_ERROR,
    choose_mutants.RAN_OUT_OF_TIME: Verdict.TIME_LIMIT,
}

Evaluate = Callable[[dict[str, Program]], dict[str, Evaluation]]


@pytest.fixture(scope="module")
def record() -> dict[str, dict[str, Any]]:
    return dict(json.loads(choose_mutants.RECORD.read_text()))


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    return {task.name: task for task in list_tasks("humaneval")}


@pytest.fixture(scope="module")
def mutants(tasks: dict[str, Task], record: dict[str, dict[str, Any]]) -> dict[str, Program]:
    """By task, built anew from what is recorded of them."""
    fields = ("line", "column", "kind", "before", "after")
    flips = {name: Flip(**{key: entry[key] for key in fields}) for name, entry in record.items()}
    return {
        name: Program(flip.applied_to(tasks[name].start.source)) for name, flip in flips.items()
    }


@pytest.fixture
def evaluate(tasks: dict[str, Task]) -> Iterator[Evaluate]:
    """Judges many programs by task name, each with an evaluator that no other thread sees."""
    with LocalSandbox(workers=WORKERS) as sandbox, ThreadPoolExecutor(WORKERS) as pool:

        def one(name: str, program: Program) -> Evaluation:
            return Evaluator(sandbox).evaluate(program, tasks[name])

        def many(programs: dict[str, Program]) -> dict[str, Evaluation]:
            return dict(zip(programs, pool.map(one, programs, programs.values()), strict=True))

        yield many


def test_every_task_has_a_mutant_and_it_is_the_one_that_was_chosen(
    tasks: dict[str, Task], record: dict[str, dict[str, Any]], mutants: dict[str, Program]
) -> None:
    assert list(record) == list(tasks)
    assert len(record) == COUNT
    for name, mutant in mutants.items():
        assert choose_mutants.digest(mutant.source) == record[name]["sha256"], name
        assert mutant != tasks[name].start, name


@pytest.mark.slow
def test_the_plain_assertions_pass_the_solutions_and_refuse_the_mutants_as_recorded(
    record: dict[str, dict[str, Any]], mutants: dict[str, Program]
) -> None:
    def both(problem: Problem) -> tuple[str, str]:
        texts = (problem.source, mutants[problem.name].source)
        first, second = (choose_mutants.outcome(problem, text, timeout_s=30) for text in texts)
        return first, second

    problems = choose_mutants.problems()
    with ThreadPoolExecutor(WORKERS) as pool:
        seen = {p.name: fate for p, fate in zip(problems, pool.map(both, problems), strict=True)}
    assert seen == {
        name: (choose_mutants.PASSED, entry["outcome"]) for name, entry in record.items()
    }


@pytest.mark.slow
def test_all_canonical_solutions_are_accepted(tasks: dict[str, Task], evaluate: Evaluate) -> None:
    evaluations = evaluate({name: task.start for name, task in tasks.items()})
    refused = {
        name: (evaluation.verdict.words, evaluation.cases[-1].detail)
        for name, evaluation in evaluations.items()
        if not evaluation.accepted
    }
    assert refused == {}
    assert len(evaluations) == COUNT


@pytest.mark.slow
def test_no_mutant_is_accepted_and_each_fails_as_the_plain_assertions_say(
    record: dict[str, dict[str, Any]], mutants: dict[str, Program], evaluate: Evaluate
) -> None:
    evaluations = evaluate(mutants)
    assert [name for name, evaluation in evaluations.items() if evaluation.accepted] == []
    assert {name: evaluation.verdict for name, evaluation in evaluations.items()} == {
        name: EXPECTED[entry["outcome"]] for name, entry in record.items()
    }
    assert len(evaluations) == COUNT
