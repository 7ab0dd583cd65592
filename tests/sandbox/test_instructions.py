"""Counts of instructions, in the real valgrind behind the real layers."""

import os
from collections.abc import Iterator

import pytest
from builders import double_task

from workbench.errors import ConfigError, SandboxError
from workbench.evaluation import Comparison, Decision, Evaluator
from workbench.evaluation.comparison import Measure
from workbench.programs import Program
from workbench.sandbox import Ending, Limits, Script, TrustLevel
from workbench.sandbox.instructions import InstructionCounter

LOOP = "total = 0\nfor i in range({}):\n    total += i\nprint(total)"
LIMITS = Limits(cpu_s=2, wall_s=6)


@pytest.fixture(scope="module")
def counter() -> Iterator[InstructionCounter]:
    if not InstructionCounter.available():
        pytest.skip("valgrind is not installed here")
    with InstructionCounter(allow=TrustLevel.L2) as started:
        yield started


def count(counter: InstructionCounter, source: str) -> int:
    execution, counted = counter.count(Script(source=source), LIMITS)
    assert execution.succeeded, execution
    assert counted is not None
    return counted


@pytest.mark.slow
def test_work_counts_in_proportion_and_alike_every_time(counter: InstructionCounter) -> None:
    count(counter, LOOP.format(100))
    base = [count(counter, LOOP.format(100_000)) for _ in range(3)]
    more = count(counter, LOOP.format(105_000))
    assert max(base) / min(base) < 1.005
    assert more / base[1] == pytest.approx(1.05, abs=0.006)
    assert count(counter, "") < base[0] / 100


@pytest.mark.slow
def test_behind_the_count_stand_the_usual_layers(counter: InstructionCounter) -> None:
    # Its root is mounted as on kernels before 5.12: valgrind does not know the newer call.
    library = "import os\nopen(os.path.dirname(os.__file__) + '/planted', 'w')"
    for attempt in ("import os\nos.fork()", "open('/etc/passwd')", "open('/x', 'w')", library):
        execution, _ = counter.count(Script(source=attempt), LIMITS)
        assert execution.exit_code == 1, execution
        assert execution.trust >= TrustLevel.L2


@pytest.mark.slow
def test_what_does_not_end_by_itself_has_no_count(counter: InstructionCounter) -> None:
    endless = Limits(cpu_s=0.01, wall_s=1)
    execution, counted = counter.count(Script(source="while True: pass"), endless)
    assert (execution.ending, counted) == (Ending.CPU_LIMIT, None)
    assert count(counter, LOOP.format(1000)) > 0


@pytest.mark.slow
def test_instructions_decide_what_time_leaves_open(
    counter: InstructionCounter, evaluator: Evaluator
) -> None:
    task = double_task(largest=200_000)
    loop = (
        "def double(n):\n    total = 0\n"
        "    for _ in range({}):\n        total += 2\n    return {}\n"
    )
    first = Program(loop.format("n", "total"))
    second = Program(loop.format("n - n // 20", "2 * n"))  # five per cent less work
    found = evaluator.break_tie(first, second, task, counter)
    assert (found.decision, found.by) == (Decision.FASTER, Measure.INSTRUCTIONS)
    assert found.speedup == pytest.approx(1 / 0.95, abs=0.012)
    same = evaluator.break_tie(first, first, task, counter)
    assert same.decision is Decision.TIE
    with pytest.raises(ConfigError, match="solve 'double'"):
        evaluator.break_tie(first, Program("def double(n): return 1"), task, counter)


def test_without_valgrind_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(SandboxError, match="install your system's package"):
        InstructionCounter()


def test_comparisons_of_earlier_versions_are_by_time() -> None:
    assert Comparison(first="a", second="b", decision=Decision.TIE).by is Measure.CPU_TIME
