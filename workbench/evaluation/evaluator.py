"""From program and task to evaluation. Whether one program beats another is `paired`'s."""

from collections import deque
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import replace
from statistics import fmean, median

from workbench.errors import ConfigError, TaskError
from workbench.evaluation.assertions import interrogate
from workbench.evaluation.comparison import Comparison, Decision
from workbench.evaluation.conditions import (
    Conditions,
    Window,
    beside_reference,
    foreign_share,
    load_of,
    recent,
    without_reference,
)
from workbench.evaluation.control import Control, control_of
from workbench.evaluation.evaluation import CaseResult, Evaluation
from workbench.evaluation.fitness import fitness
from workbench.evaluation.judging import job_of, judge, limits_of
from workbench.evaluation.paired import PairedSettings, compare_times
from workbench.evaluation.tiebreak import compare_counts
from workbench.evaluation.timing import KernelTimer, Seconds, Timer
from workbench.evaluation.verdict import Verdict
from workbench.programs import Program
from workbench.sandbox import Execution, Job, Sandbox
from workbench.sandbox.instructions import InstructionCounter
from workbench.tasks import Case, Task
from workbench.tasks.trusted import Assertions

# Raise it whenever the same program could be judged or timed differently than before.
EVALUATOR_VERSION = 4

_REPEATS = 3
_TIME_LIMITS_BEFORE_STOP = 2
_WINDOWS_KEPT = 64


class Evaluator:
    """Judges programs in a sandbox and remembers what it judged.

    Correctness comes first: each case runs once, in the task's order; a second case at its
    time limit ends the evaluation, for what follows would cost the same and tell nothing.
    Only a program that is right everywhere runs again, and each case's time is the median of
    three runs; CPU time as a multiple of the reference work's, so that evaluations of different
    moments agree (see `conditions` for how well).

    Evaluations are kept by program content, task content and evaluator version, in memory:
    times of another session are not comparable, and a run's own past is handed back by its
    driver (`remember`).
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        timer: Timer | None = None,
        paired: PairedSettings | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._timer = timer or KernelTimer()
        self._paired = paired or PairedSettings()
        self._margin = self._paired.margin
        self._nominal_s: float | None = None
        self._windows: deque[Window] = deque(maxlen=_WINDOWS_KEPT)
        self._known: MutableMapping[tuple[str, str, int], Evaluation] = {}

    @property
    def sandbox(self) -> Sandbox:
        """Where programs run."""
        return self._sandbox

    def remember(self, program: Program, task: Task, evaluation: Evaluation) -> None:
        """Take an earlier evaluation for granted, so that the program is not run again.

        What the reference work took then is nominal from now on, unless something is already.
        """
        if evaluation.conditions is not None:
            self._nominal_s = self._nominal_s or evaluation.conditions.nominal_cpu_s
        self._known[(program.id, task.digest, EVALUATOR_VERSION)] = evaluation

    def evaluate(self, program: Program, task: Task) -> Evaluation:
        """Judge `program` on every case of `task`.

        Raises:
            SandboxError: the sandbox failed; the program is not to blame and not scored.
            TaskError: the task's own checker failed.
        """
        key = (program.id, task.digest, EVALUATOR_VERSION)
        if key not in self._known:
            self._known[key] = self._judge(program, task)
        return self._known[key]

    def compare(self, first: Program, second: Program, task: Task) -> Comparison:
        """Decide whether `second` is better than `first`, with times taken in pairs.

        Raises:
            SandboxError: the sandbox failed.
        """
        parent, child = self.evaluate(first, task), self.evaluate(second, task)
        if not child.accepted:
            decision = Decision.SLOWER if parent.accepted else Decision.TIE
            return Comparison(first=first.id, second=second.id, decision=decision)
        if not parent.accepted:
            return Comparison(first=first.id, second=second.id, decision=Decision.NEWLY_ACCEPTED)
        return self._timed_comparison(first, second, parent, task)

    def control(self, program: Program, task: Task, *, repeats: int = 20) -> Control:
        """Compare `program` with itself, and widen the tie zone of what follows accordingly.

        Each session should do so once, on a program like those that it will compare: what
        differs between sessions is the machine.

        Args:
            program: one that solves the task.
            task: on whose slowest cases it is timed.
            repeats: how many comparisons; 20 take some 10 s for a program of 5 ms.

        Raises:
            ConfigError: the program does not solve the task, or `repeats` is less than 2.
            SandboxError: the sandbox failed.
        """
        known = self.evaluate(program, task)
        if not known.accepted:
            raise ConfigError(f"a control needs a program that solves {task.name!r}")
        found = control_of(
            [
                self._timed_comparison(program, program, known, task, draw=number)
                for number in range(1, repeats + 1)
            ]
        )
        self._margin = max(self._paired.margin, found.margin)
        return found

    def break_tie(
        self, first: Program, second: Program, task: Task, counter: InstructionCounter
    ) -> Comparison:
        """Compare two programs that solve the task by the instructions that they take.

        For finalists, and for claims that are doubted: it takes some 40 times as long as a run,
        and instructions are not time.

        Args:
            first: the parent.
            second: the child.
            task: on the cases that are slowest for the parent.
            counter: where the instructions are counted.

        Returns:
            A decision on the instructions of these cases together, outside a margin of one per
            cent; the interval is what the counter's own jitter allows. `TIE`, without figures,
            if a run came to no count.

        Raises:
            ConfigError: one of the two does not solve the task.
            SandboxError: the sandbox failed.
        """
        known = self.evaluate(first, task)
        if not (known.accepted and self.evaluate(second, task).accepted):
            raise ConfigError(f"a tie is between programs that solve {task.name!r}")
        cases = self._cases_to_time(first, known, task)
        totals = [
            [counter.count(job_of(program, task, case), limits_of(task))[1] for case in cases]
            for program in (first, second)
        ]
        return compare_counts(first, second, *totals)

    def _timed_comparison(
        self, first: Program, second: Program, known: Evaluation, task: Task, *, draw: int = 0
    ) -> Comparison:
        cases = self._cases_to_time(first, known, task)
        windows: list[Window] = []

        def time_block(case: Case, order: list[Program]) -> list[Seconds]:
            jobs = [job_of(program, task, case) for program in order]
            executions, window = self._run_watched(jobs, task)
            if window is not None:
                windows.append(window)
            return [
                self._timer.seconds(program, case.id, execution)
                for program, execution in zip(order, executions, strict=True)
            ]

        settings = replace(self._paired, margin=self._margin)
        found = compare_times(first, second, cases, time_block, settings, draw=draw)
        return replace(found, load=load_of(foreign_share(windows)))

    def _cases_to_time(self, program: Program, known: Evaluation, task: Task) -> list[Case]:
        """The slowest cases: the mean of Eq. 3 is theirs, and they stand out of the noise."""
        cases = {case.id: case for case in task.cases}
        if isinstance(task.checker, Assertions):
            asked = interrogate(program, task, self._sandbox, self._timer)
            cases = {case.id: case for case, _ in asked}
        slowest = sorted(known.cases, key=lambda result: -result.cpu_s)
        return [cases[result.case_id] for result in slowest[: self._paired.cases]]

    def _judge(self, program: Program, task: Task) -> Evaluation:
        if isinstance(task.checker, Assertions):
            results = list(interrogate(program, task, self._sandbox, self._timer))
        else:
            results = list(self._first_runs(program, task))
        conditions = None
        if results and all(result.verdict is Verdict.ACCEPTED for _, result in results):
            results, conditions = self._time(program, task, results)
        return self._summarise(program, task, [result for _, result in results], conditions)

    def _first_runs(self, program: Program, task: Task) -> Iterator[tuple[Case, CaseResult]]:
        limits = limits_of(task)
        over_time = 0
        for case in task.cases:
            (execution,) = self._sandbox.run([job_of(program, task, case)], limits)
            verdict, detail = judge(execution, task, case, self._sandbox)
            seconds = self._timer.seconds(program, case.id, execution)
            yield (
                case,
                CaseResult(case_id=case.id, verdict=verdict, detail=detail, **seconds._asdict()),
            )
            over_time += verdict is Verdict.TIME_LIMIT
            # A program that does not compile fails every case alike.
            if over_time == _TIME_LIMITS_BEFORE_STOP or verdict is Verdict.COMPILE_ERROR:
                return

    def _time(
        self, program: Program, task: Task, accepted: list[tuple[Case, CaseResult]]
    ) -> tuple[list[tuple[Case, CaseResult]], Conditions | None]:
        """Run accepted cases again; medians take the place of the single times.

        All in one batch on one worker, with the reference work among them.
        """
        jobs = [job_of(program, task, case) for case, _ in accepted for _ in range(_REPEATS - 1)]
        executions, window = self._run_watched(beside_reference(jobs), task)
        references, runs = without_reference(executions)
        conditions = self._conditions(references, runs) if window is not None else None
        slowness = conditions.slowness if conditions is not None else 1.0
        left = iter(runs)
        timed = []
        for case, result in accepted:
            more = [self._timer.seconds(program, case.id, next(left)) for _ in range(_REPEATS - 1)]
            cpu_s = median([result.cpu_s, *(seconds.cpu_s for seconds in more)]) / slowness
            wall_s = median([result.wall_s, *(seconds.wall_s for seconds in more)])
            timed.append((case, replace(result, cpu_s=cpu_s, wall_s=wall_s)))
        return timed, conditions

    def _conditions(
        self, references: Sequence[Execution], runs: Sequence[Execution]
    ) -> Conditions | None:
        """Of the batch that has just ended; None if the task's limits forbid the reference work."""
        if not all(run.succeeded for run in references):
            return None
        reference_s = median(run.cpu_s - run.baseline_cpu_s for run in references)
        self._nominal_s = self._nominal_s or reference_s
        return Conditions(
            reference_cpu_s=reference_s,
            foreign_share=foreign_share(recent(tuple(self._windows))),
            preemptions=fmean(run.preemptions for run in runs),
            nominal_cpu_s=self._nominal_s,
        )

    def _run_watched(
        self, jobs: Sequence[Job], task: Task
    ) -> tuple[list[Execution], Window | None]:
        executions, window = self._timer.watch(lambda: self._sandbox.run(jobs, limits_of(task)))
        if window is not None:
            self._windows.appendleft(window)
        return executions, window

    def _summarise(
        self,
        program: Program,
        task: Task,
        results: list[CaseResult],
        conditions: Conditions | None,
    ) -> Evaluation:
        if not results:
            raise TaskError(f"task {task.name!r} judged {program!r} by no case at all")
        verdict = min(result.verdict for result in results)
        accepted = verdict is Verdict.ACCEPTED
        passed = sum(result.verdict is Verdict.ACCEPTED for result in results)
        total = len(task.cases) or len(results)
        cpu_s = fmean(result.cpu_s for result in results)
        wall_s = fmean(result.wall_s for result in results)
        return Evaluation(
            program_id=program.id,
            task=task.name,
            verdict=verdict,
            pass_rate=passed / total,
            fitness=fitness(cpu_s, all_passed=accepted),
            wall_fitness=fitness(wall_s, all_passed=accepted),
            mean_cpu_s=cpu_s if accepted else None,
            mean_wall_s=wall_s if accepted else None,
            cases=tuple(results),
            trust=int(self._sandbox.trust),
            conditions=conditions,
        )
