"""What a timing was taken under, on the real machine and on records made by hand."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import psutil
import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    ScriptedTimer,
    double_task,
    echo_task,
    scripted_time,
)
from timing_quality import busy_neighbour

from workbench.evaluation import Conditions, Evaluator, Load
from workbench.evaluation.conditions import (
    REFERENCE,
    Window,
    beside_reference,
    foreign_share,
    recent,
    watched,
    without_reference,
)
from workbench.evaluation.paired import PairedSettings
from workbench.evaluation.timing import KernelTimer
from workbench.programs import Program
from workbench.sandbox import Execution, Job, Limits, LocalSandbox, Script, TrustLevel


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(busy_neighbour())
        yield


@pytest.mark.parametrize(
    ("share", "load"),
    [(0.0, Load.QUIET), (0.09, Load.QUIET), (0.1, Load.SHARED), (0.5, Load.CROWDED), (None, None)],
)
def test_the_load_is_a_class_of_the_share(share: float | None, load: Load | None) -> None:
    found = Conditions(reference_cpu_s=0.005, foreign_share=share, preemptions=0.0)
    assert found.load is load


@pytest.mark.parametrize(
    ("windows", "cores", "share"),
    [
        ([(0.4, 0.3)], 2, 0.375),  # 0.3 of 0.8 CPU seconds
        ([(0.1, 0.1), (0.3, 0.1)], 1, 0.5),  # a short one weighs less
        ([(0.1, -0.01), (0.1, -0.01)], 2, 0.0),  # ticks that fell just outside
        ([(0.2, 0.41)], 2, 1.0),
        ([(0.19, 0.19)], 2, None),  # 19 ticks of 10 ms on each core are too few
        ([], 2, None),
    ],
)
def test_the_share_of_others_in_some_windows(
    windows: list[tuple[float, float]], cores: int, share: float | None
) -> None:
    found = foreign_share([Window(0.0, *window) for window in windows], cores=cores)
    assert found == (None if share is None else pytest.approx(share))


def test_a_short_batch_is_judged_with_those_just_before_it() -> None:
    windows = [Window(100.0 - age_s, wall_s, 0.0) for age_s, wall_s in
               [(0.0, 0.05), (1.0, 0.1), (9.0, 0.1), (9.5, 0.3)]]  # fmt: skip
    assert recent(windows) == windows[:3]
    assert recent(windows[2:]) == windows[2:]
    assert recent(windows[3:]) == windows[3:]


def test_what_others_did_long_ago_says_nothing_about_now() -> None:
    long_ago = Window(89.9, 5.0, 10.0)
    assert recent([Window(100.0, 0.05, 0.0), long_ago]) == [Window(100.0, 0.05, 0.0)]


def test_others_who_use_every_core_are_seen_and_oneself_is_not() -> None:
    cores = psutil.cpu_count() or 1
    with LocalSandbox() as box, neighbours(2 * cores):
        box.run([REFERENCE], Limits())
        executions, window = watched(lambda: box.run([REFERENCE] * 80, Limits()))
    share = foreign_share([window])
    assert share is not None
    assert share > 0.5
    # Nothing is idle: were own work taken for that of others, there would be more than there is.
    own_s = sum(run.cpu_s for run in executions)
    assert own_s > 0.2
    assert window.foreign_s + own_s < window.wall_s * cores + 0.1


def test_what_runs_between_timed_batches_is_nobody_elses_load(sandbox: LocalSandbox) -> None:
    """Only the batches are windows: what the evaluator runs besides is not taken for others."""
    seen: list[Window] = []

    class Noting(KernelTimer):
        def watch(
            self, batch: Callable[[], list[Execution]]
        ) -> tuple[list[Execution], Window | None]:
            executions, window = super().watch(batch)
            assert window is not None
            seen.append(window)
            return executions, window

    program = Program(SLOW_DOUBLE)
    found = Evaluator(sandbox, timer=Noting()).evaluate(program, double_task(largest=5_000_000))
    assert found.conditions is not None
    assert found.conditions.foreign_share is not None
    assert len(seen) == 1
    assert found.conditions.foreign_share == foreign_share(seen)


def test_a_comparison_says_how_busy_others_were(sandbox: LocalSandbox) -> None:
    evaluator = Evaluator(sandbox, paired=PairedSettings(first_pairs=4, max_pairs=4))
    slow, fast = Program(SLOW_DOUBLE), Program(FAST_DOUBLE)
    with neighbours(2 * (psutil.cpu_count() or 1)):
        crowded = evaluator.compare(slow, fast, double_task(largest=3_000_000))
    assert crowded.load is Load.CROWDED
    wrong = evaluator.compare(slow, Program("def double(n): return 1"), double_task())
    assert wrong.load is None


def test_a_scripted_timer_leaves_the_machine_out_of_all_records(sandbox: LocalSandbox) -> None:
    evaluator = Evaluator(sandbox, timer=ScriptedTimer(scripted_time))
    slow, fast = Program(SLOW_DOUBLE), Program(FAST_DOUBLE)
    assert evaluator.compare(slow, fast, double_task(largest=400_000)).load is None
    assert evaluator.evaluate(slow, double_task(largest=400_000)).conditions is None


class Paced:
    """The real sandbox with CPU times by rule: 5 ms for the reference work, 10 for all else.

    Attributes:
        slowness: what all of these are multiplied by.
    """

    def __init__(self, sandbox: LocalSandbox) -> None:
        self.slowness = 1.0
        self._sandbox = sandbox

    @property
    def trust(self) -> TrustLevel:
        return self._sandbox.trust

    def run(self, jobs: Sequence[Job], limits: Limits) -> list[Execution]:
        return [
            replace(
                execution,
                cpu_s=self.slowness * (0.005 if job == REFERENCE else 0.010),
                baseline_cpu_s=0.0,
            )
            for job, execution in zip(jobs, self._sandbox.run(jobs, limits), strict=True)
        ]

    def close(self) -> None:
        pass


def test_times_of_a_slower_moment_are_brought_to_the_first_ones_measure(
    sandbox: LocalSandbox,
) -> None:
    paced = Paced(sandbox)
    evaluator, task = Evaluator(paced), echo_task()
    programs = [Program(f"print(*input().split())  # {number}") for number in range(3)]
    first = evaluator.evaluate(programs[0], task)
    assert first.mean_cpu_s == pytest.approx(0.010)
    paced.slowness = 2.0
    second = evaluator.evaluate(programs[1], task)
    assert second.mean_cpu_s == pytest.approx(0.010)
    assert second.fitness == pytest.approx(first.fitness)
    assert second.conditions is not None
    assert second.conditions.reference_cpu_s == pytest.approx(0.010)
    assert second.conditions.nominal_cpu_s == pytest.approx(0.005)
    assert second.conditions.slowness == pytest.approx(2.0)
    # A run that is resumed measures on by the measure that it began with.
    resumed = Evaluator(paced)
    resumed.remember(programs[0], task, first)
    resumed.remember(programs[1], task, second)
    assert resumed.evaluate(programs[2], task).mean_cpu_s == pytest.approx(0.010)
    assert Evaluator(paced).evaluate(programs[2], task).mean_cpu_s == pytest.approx(0.020)


@pytest.mark.parametrize(
    ("count", "places"), [(0, "RRRR"), (2, "RR.R.R"), (3, "R.R.R.R"), (6, "R..R..R..R")]
)
def test_the_reference_work_is_spread_over_the_batch(count: int, places: str) -> None:
    jobs = [Script(source=str(number)) for number in range(count)]
    batch = beside_reference(jobs)
    assert "".join("R" if job == REFERENCE else "." for job in batch) == places
    assert [job for job in batch if job != REFERENCE] == jobs


def test_executions_are_told_from_those_of_the_reference_work(sandbox: LocalSandbox) -> None:
    jobs = [Script(source=f"print({number})") for number in range(5)]
    references, others = without_reference(sandbox.run(beside_reference(jobs), Limits()))
    assert [run.stdout for run in references] == [b""] * 4
    assert [run.stdout for run in others] == [b"0\n", b"1\n", b"2\n", b"3\n", b"4\n"]


def test_an_accepted_program_is_timed_beside_the_reference(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(Program(FAST_DOUBLE), double_task())
    assert found.conditions is not None
    # Two milliseconds each of Python and numpy, on anything between a laptop and a busy server.
    assert 0.001 < found.conditions.reference_cpu_s < 0.05


def test_what_is_not_timed_has_no_conditions(evaluator: Evaluator) -> None:
    assert evaluator.evaluate(Program("def double(n): return 1"), double_task()).conditions is None
