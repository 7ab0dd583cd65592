"""The driver's verbs, whole runs and interrupted ones."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from builders import (
    ScriptedTimer,
    double_task,
    scripted_time,
)
from scripted_driver import REPLIES, SETTINGS, driver_of, interrupt_after, opened

import workbench
from workbench.errors import ModelError, StoreError
from workbench.evaluation import Evaluator
from workbench.models import Completion, Conversation, Sampling, ScriptedModel
from workbench.runs import Reply, RoundOutcome, RunStore, Step
from workbench.sandbox import LocalSandbox
from workbench.search import (
    Driver,
    open_run,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_the_four_verbs_make_the_same_run_as_run(tmp_path: Path, sandbox: LocalSandbox) -> None:
    whole = opened(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    verbs = opened(tmp_path / "verbs.sqlite", sandbox)
    while not verbs.finished:
        verbs.tell(verbs.evaluate(verbs.generate(verbs.ask())))
    assert verbs.steps == whole.steps
    assert verbs.store.outcomes() == whole.store.outcomes()
    assert len(whole.steps) == 1 + 3 * 4


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, sandbox: LocalSandbox) -> None:
    whole = opened(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    for stop_after in (1, 2, 4, 7, 12):
        path = tmp_path / f"stopped-{stop_after}.sqlite"
        stopped = opened(path, sandbox)
        with pytest.raises(KeyboardInterrupt):
            stopped.run(on_step=interrupt_after(stop_after))
        stopped.store.close()
        resumed = opened(path, sandbox)
        assert len(resumed.steps) == stop_after
        resumed.run()
        assert resumed.steps == whole.steps
        assert resumed.store.outcomes() == whole.store.outcomes()


def test_replies_that_were_paid_for_are_not_asked_for_again(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = opened(path, sandbox)
    driver.run(rounds=1)
    driver.generate(driver.ask())
    driver.store.close()
    model = ScriptedModel(REPLIES)
    resumed = opened(path, sandbox, model=model)
    resumed.evaluate(resumed.generate(resumed.ask()))
    assert len(model.asked) == 0


class _Unreliable:
    """Answers `good` requests and then fails, as a server does that goes down."""

    name = "scripted"

    def __init__(self, good: int) -> None:
        self._good = good

    def generate(
        self,
        conversations: list[Conversation],
        sampling: Sampling,
        *,
        seeds: list[int],
    ) -> Iterator[tuple[int, Completion]]:
        replies = ScriptedModel(REPLIES).generate(conversations, sampling, seeds=seeds)
        for number, reply in enumerate(replies):
            if number == self._good:
                raise ModelError("the server went away")
            yield reply

    def close(self) -> None:
        pass


def test_a_model_that_fails_half_way_loses_nothing(path: Path, sandbox: LocalSandbox) -> None:
    driver = opened(path, sandbox, model=_Unreliable(2))  # type: ignore[arg-type]
    driver.run(rounds=1)
    with pytest.raises(ModelError, match="went away"):
        driver.run()
    assert len(driver.steps) == 1 + 2
    driver.store.close()
    resumed = opened(path, sandbox)
    resumed.run()
    assert len(resumed.steps) == 1 + 3 * 4


class _Interrupted(RunStore):
    """A store whose writes number `at` and `at` + 1 end in an interrupt, after the commit."""

    at = 4
    writes = 0

    def record_step(self, step: Step) -> None:
        super().record_step(step)
        self._interrupt()

    def record_reply(self, reply: Reply) -> None:
        super().record_reply(reply)
        self._interrupt()

    def _interrupt(self) -> None:
        self.writes += 1
        if self.at <= self.writes <= self.at + 1:
            raise KeyboardInterrupt


@pytest.mark.parametrize("at", [1, 2, 3, 6, 9])
def test_an_interrupt_during_a_commit_is_gone_on_from(
    tmp_path: Path, sandbox: LocalSandbox, at: int
) -> None:
    whole = opened(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    path = tmp_path / "run.sqlite"
    opened(path, sandbox).store.close()
    store = _Interrupted.open(path, write=True)
    store.at = at
    driver = driver_of(store, sandbox)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            driver.run()
    driver.run()
    assert driver.steps == whole.steps
    assert store.steps() == whole.steps


@pytest.mark.slow
def test_an_interrupt_inside_a_decision_is_gone_on_from_here_and_from_disk(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    whole = opened(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    outcomes = whole.store.outcomes()
    for line in range(1, 10_000, 5):
        path = tmp_path / f"{line}.sqlite"
        stopped = opened(path, sandbox)
        if not _interrupted_at(line, stopped):
            assert line > 60, "hardly any line was interrupted"
            break
        stopped.run()
        assert stopped.steps == whole.steps
        assert stopped.store.outcomes() == outcomes
        stopped.store.close()
        resumed = opened(path, sandbox)
        assert resumed.finished
        assert resumed.best == whole.best
        resumed.store.close()


def _interrupted_at(line: int, driver: Driver) -> bool:
    """Run, with an interrupt before the so-manieth line of all that asks and tells."""
    folder = str(Path(workbench.__file__).parent / "search")
    left = line

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        nonlocal left
        code = frame.f_code
        if code.co_name not in ("ask", "tell", "_tell") or not code.co_filename.startswith(folder):
            return None
        left -= event == "line"
        if left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        driver.run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


class _Hesitant(RunStore):
    """A store that fails once to keep an outcome."""

    failed = False

    def record_outcome(self, outcome: RoundOutcome) -> None:
        if outcome.round == 1 and not self.failed:
            self.failed = True
            raise StoreError("the disk is full")
        super().record_outcome(outcome)


def test_an_outcome_that_could_not_be_kept_is_kept_when_told_again(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    whole = opened(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    path = tmp_path / "run.sqlite"
    opened(path, sandbox).store.close()
    driver = driver_of(_Hesitant.open(path, write=True), sandbox)
    driver.run(rounds=1)
    steps = driver.evaluate(driver.generate(driver.ask()))
    with pytest.raises(StoreError, match="disk is full"):
        driver.tell(steps)
    assert driver.tell(steps) == whole.store.outcomes()[1]
    driver.run()
    assert driver.store.outcomes() == whole.store.outcomes()


def test_telling_the_latest_round_again_changes_nothing(path: Path, sandbox: LocalSandbox) -> None:
    driver = opened(path, sandbox)
    steps = driver.evaluate(driver.generate(driver.ask()))
    assert driver.tell(steps) == driver.tell(steps)
    assert [request.round for request in driver.ask()] == [1] * 4
    with pytest.raises(ValueError, match="asked for steps"):
        driver.tell(steps)


def test_a_wall_clock_that_is_set_back_does_not_lengthen_a_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    ticks = iter(range(1_000_000, 0, -1_000))
    driver = open_run(
        path,
        task=double_task(),
        model=ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=ScriptedTimer(scripted_time)),
        settings=SETTINGS,
        clock=lambda: float(next(ticks)),
    )
    driver.run(max_seconds=0)
    assert not driver.finished
    assert driver.steps == []


def test_start_and_best_are_compared_again_at_the_end(path: Path, sandbox: LocalSandbox) -> None:
    driver = opened(path, sandbox)
    driver.run()
    comparison = driver.confirm()
    assert comparison is not None
    assert driver.best is not None
    assert driver.start is not None
    assert (comparison.first, comparison.second) == (
        driver.start.program.id,
        driver.best.program.id,
    )
    assert driver.store.comparisons() == [comparison]


def test_a_finished_run_has_nothing_to_ask(path: Path, sandbox: LocalSandbox) -> None:
    driver = opened(path, sandbox)
    driver.run()
    with pytest.raises(RuntimeError, match="finished"):
        driver.ask()
