"""Small true objects that many tests need: tasks, programs, evaluations, scripted times."""

import hashlib
from collections.abc import Callable, Sequence

from workbench.evaluation import CaseResult, Evaluation, Verdict
from workbench.evaluation.conditions import Window
from workbench.evaluation.fitness import fitness
from workbench.evaluation.timing import Seconds
from workbench.population import Candidate
from workbench.programs import Program
from workbench.sandbox import Execution
from workbench.tasks import Case, Exhibit, Group, Mode, Task
from workbench.tasks.structural import Structural

SLOW_DOUBLE = """def double(n):
    total = 0
    for _ in range(n):
        total += 2
    return total
"""
FAST_DOUBLE = "def double(n):\n    return 2 * n\n"
WRONG_DOUBLE = "def double(n):\n    return n + 2\n"


def double_task(largest: int = 20_000) -> Task:
    """Doubling, with one sample and two hidden cases."""
    values = (3, largest // 2, largest)
    cases = tuple(
        Case(
            id=f"case-{value}",
            group=Group.SAMPLE if value == 3 else Group.HIDDEN,
            input=f"[{value}]",
            expected=str(2 * value),
        )
        for value in values
    )
    return Task(
        name="double",
        title="Double",
        statement="Return twice n.",
        mode=Mode.FUNCTION,
        function="double",
        cases=cases,
        checker=Structural(),
        exhibits=(
            Exhibit(name="slow", program=Program(SLOW_DOUBLE), accepted=True),
            Exhibit(name="fast", program=Program(FAST_DOUBLE), accepted=True),
            Exhibit(name="wrong", program=Program(WRONG_DOUBLE), accepted=False),
        ),
    )


def echo_task() -> Task:
    """A script that prints its input's words, one a line."""
    return Task(
        name="echo",
        title="Echo",
        statement="Print each word of the input on its own line.",
        mode=Mode.SCRIPT,
        cases=(
            Case(id="sample-1", group=Group.SAMPLE, input="a b\n", expected="a\nb\n"),
            Case(id="hidden-1", group=Group.HIDDEN, input="c  d e\n", expected="c\nd\ne\n"),
        ),
    )


def evaluation(program: Program, *, seconds: float | None, pass_rate: float = 0.5) -> Evaluation:
    """Accepted with that mean time; or a wrong answer, for None."""
    accepted = seconds is not None
    value = fitness(seconds, all_passed=True) if seconds is not None else 0.0
    verdict = Verdict.ACCEPTED if accepted else Verdict.WRONG_ANSWER
    return Evaluation(
        program_id=program.id,
        task="double",
        verdict=verdict,
        pass_rate=1.0 if accepted else pass_rate,
        fitness=value,
        wall_fitness=value,
        mean_cpu_s=seconds,
        mean_wall_s=seconds,
        cases=(
            CaseResult(case_id="case-3", verdict=verdict, cpu_s=seconds or 0, wall_s=seconds or 0),
        ),
        trust=2,
    )


def candidate(
    number: int,
    *,
    seconds: float | None = 0.01,
    pass_rate: float = 0.5,
    island: int = 0,
    parents: Sequence[int] = (),
) -> Candidate:
    """A candidate with a program of its own."""
    program = Program(f"def double(n):\n    return 2 * n  # {number}\n")
    return Candidate(
        id=number,
        program=program,
        evaluation=evaluation(program, seconds=seconds, pass_rate=pass_rate),
        parents=tuple(parents),
        island=island,
        operator="improve" if parents else "start",
    )


def scripted_time(program: Program, case_id: str, execution: Execution) -> Seconds:  # noqa: ARG001
    """1 to 17 ms, decided by the program's and the case's text alone."""
    digest = hashlib.sha256(f"{program.id}/{case_id}".encode()).digest()
    return Seconds(cpu_s=0.001 + digest[0] / 16_000, wall_s=0.002 + digest[0] / 16_000)


class ScriptedTimer:
    """Times by rule, and nothing about the machine: what is measured differs from run to run."""

    def __init__(self, rule: Callable[[Program, str, Execution], Seconds]) -> None:
        self._rule = rule

    def seconds(self, program: Program, case_id: str, execution: Execution) -> Seconds:
        return self._rule(program, case_id, execution)

    def watch(self, batch: Callable[[], list[Execution]]) -> tuple[list[Execution], Window | None]:
        return batch(), None


def fixed_times(seconds_by_program: dict[str, float]) -> Callable[..., Seconds]:
    """A rule that knows each program's seconds by its id."""

    def rule(program: Program, case_id: str, execution: Execution) -> Seconds:  # noqa: ARG001
        seconds = seconds_by_program[program.id]
        return Seconds(cpu_s=seconds, wall_s=seconds)

    return rule


def fenced(source: str) -> str:
    """A reply that holds the program."""
    return f"Here it is.\n\n```python\n{source}```\n"
