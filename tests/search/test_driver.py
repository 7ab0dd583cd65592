"""The driver with scripted replies, a scripted clock, the real sandbox and a real store."""

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    double_task,
    fenced,
    scripted_time,
)

import workbench
from workbench.errors import ConfigError, ModelError, StoreError
from workbench.evaluation import Evaluator, Verdict
from workbench.evaluation.timing import Seconds
from workbench.models import Completion, Conversation, Message, Role, Sampling, ScriptedModel
from workbench.population import IslandSettings
from workbench.programs import EditKind, Program
from workbench.runs import Reply, Request, RoundOutcome, RunStore, Step
from workbench.sandbox import Execution, LocalSandbox
from workbench.search import (
    Budget,
    Driver,
    IslandSearch,
    IslandSearchSettings,
    RunSettings,
    open_run,
    stored_settings,
)

SETTINGS = RunSettings(
    search=IslandSearchSettings(
        rounds=3, parents=4, keep=2, islands=IslandSettings(count=2, migration_every=2)
    ),
    seed=5,
)
REPLIES = [
    fenced(FAST_DOUBLE),
    fenced(WRONG_DOUBLE),
    "I would rather talk about it.",
    fenced(SLOW_DOUBLE),
    fenced("def double(n):\n    return n + n\n"),
    "",
]


def _open(
    path: Path,
    sandbox: LocalSandbox,
    settings: RunSettings = SETTINGS,
    model: ScriptedModel | None = None,
) -> Driver:
    return open_run(
        path,
        task=double_task(),
        model=model or ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=scripted_time),
        settings=settings,
        clock=lambda: 1_000.0,
    )


def _driver(
    store: RunStore, sandbox: LocalSandbox, search: type[IslandSearch] = IslandSearch
) -> Driver:
    return Driver(
        task=double_task(),
        new_search=partial(
            search, double_task(), SETTINGS.search, seed=SETTINGS.seed, given=(double_task().start,)
        ),
        model=ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=scripted_time),
        store=store,
        sampling=Sampling(),
        budget=Budget(),
        clock=lambda: 1_000.0,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_the_four_verbs_make_the_same_run_as_run(tmp_path: Path, sandbox: LocalSandbox) -> None:
    whole = _open(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    verbs = _open(tmp_path / "verbs.sqlite", sandbox)
    while not verbs.finished:
        verbs.tell(verbs.evaluate(verbs.generate(verbs.ask())))
    assert verbs.steps == whole.steps
    assert verbs.store.outcomes() == whole.store.outcomes()
    assert len(whole.steps) == 1 + 3 * 4


def test_every_kind_of_reply_becomes_the_step_it_should(path: Path, sandbox: LocalSandbox) -> None:
    many = RunSettings(search=IslandSearchSettings(rounds=10, parents=6), seed=5)
    driver = _open(path, sandbox, many)
    driver.run()
    by_text: dict[str, list[Step]] = {}
    for step in driver.steps:
        if step.completion is not None:
            by_text.setdefault(step.completion.text, []).append(step)
    for step in by_text[fenced(WRONG_DOUBLE)]:
        assert step.verdict is Verdict.WRONG_ANSWER
    for step in by_text["I would rather talk about it."] + by_text[""]:
        assert step.verdict is Verdict.UNPARSED
        assert step.edit is EditKind.NONE
        assert step.failure
    first, *again = by_text[fenced(FAST_DOUBLE)]
    assert first.verdict is Verdict.ACCEPTED
    assert all(step.duplicate_of == first.id for step in again if step.evaluation)


def test_a_reply_that_repeats_its_parent_is_no_change(path: Path, sandbox: LocalSandbox) -> None:
    driver = _open(path, sandbox, model=ScriptedModel([fenced(SLOW_DOUBLE)]))
    driver.run(rounds=2)
    replies = [step for step in driver.steps if step.completion is not None]
    assert {step.verdict for step in replies} == {Verdict.NO_CHANGE}
    assert driver.spent.evaluations == 0


def test_a_reply_cut_at_its_token_limit_says_so(path: Path, sandbox: LocalSandbox) -> None:
    cut = Completion(text="```python\ndef double(n):\n    return", finish_reason="length")
    driver = _open(path, sandbox, model=ScriptedModel([cut]))
    driver.run(rounds=2)
    assert "token limit" in driver.steps[-1].failure


def test_lone_surrogates_in_a_reply_do_not_stop_the_run(path: Path, sandbox: LocalSandbox) -> None:
    driver = _open(path, sandbox, model=ScriptedModel(["\ud800 not text"]))
    driver.run(rounds=2)
    assert driver.steps[-1].completion is not None
    assert driver.steps[-1].completion.text == "\\ud800 not text"


def test_evaluations_never_exceed_the_budget(path: Path, sandbox: LocalSandbox) -> None:
    replies = [
        fenced(f"def double(n):\n    return 2 * n + {number} * 0\n") for number in range(997)
    ]
    settings = RunSettings(search=SETTINGS.search, budget=Budget(evaluations=6), seed=5)
    driver = _open(path, sandbox, settings, ScriptedModel(replies))
    driver.run()
    assert driver.finished
    assert driver.spent.evaluations == 6


def test_completions_and_tokens_are_budgeted_too(tmp_path: Path, sandbox: LocalSandbox) -> None:
    for number, budget in enumerate((Budget(completions=5), Budget(tokens=1))):
        settings = RunSettings(search=SETTINGS.search, budget=budget, seed=5)
        driver = _open(tmp_path / f"{number}.sqlite", sandbox, settings)
        driver.run()
        assert driver.spent.completions == (5, 4)[number]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, sandbox: LocalSandbox) -> None:
    whole = _open(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    for stop_after in (1, 2, 4, 7, 12):
        path = tmp_path / f"stopped-{stop_after}.sqlite"
        stopped = _open(path, sandbox)
        with pytest.raises(KeyboardInterrupt):
            stopped.run(on_step=_interrupt_after(stop_after))
        stopped.store.close()
        resumed = _open(path, sandbox)
        assert len(resumed.steps) == stop_after
        resumed.run()
        assert resumed.steps == whole.steps
        assert resumed.store.outcomes() == whole.store.outcomes()


def _interrupt_after(steps: int):  # noqa: ANN202
    left = steps

    def on_step(step: Step) -> None:  # noqa: ARG001
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    return on_step


def test_replies_that_were_paid_for_are_not_asked_for_again(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = _open(path, sandbox)
    driver.run(rounds=1)
    driver.generate(driver.ask())
    driver.store.close()
    model = ScriptedModel(REPLIES)
    resumed = _open(path, sandbox, model=model)
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
    driver = _open(path, sandbox, model=_Unreliable(2))  # type: ignore[arg-type]
    driver.run(rounds=1)
    with pytest.raises(ModelError, match="went away"):
        driver.run()
    assert len(driver.steps) == 1 + 2
    driver.store.close()
    resumed = _open(path, sandbox)
    resumed.run()
    assert len(resumed.steps) == 1 + 3 * 4


class _Reversed(ScriptedModel):
    """Gives the same replies, the last one first."""

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        yield from reversed(list(super().generate(conversations, sampling, seeds=seeds)))


def test_the_order_in_which_replies_arrive_changes_nothing(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    equal = [fenced(FAST_DOUBLE), fenced("def double(n):\n    return n + n\n")]
    forth = _open(tmp_path / "forth.sqlite", sandbox, model=ScriptedModel(equal))
    forth.run()
    assert any(step.duplicate_of is not None for step in forth.steps)
    back = _open(tmp_path / "back.sqlite", sandbox, model=_Reversed(equal))
    back.run()
    assert back.steps == forth.steps
    assert back.store.outcomes() == forth.store.outcomes()


@pytest.mark.parametrize("stop_after", [2, 4, 7])
def test_a_run_whose_replies_arrive_in_another_order_goes_on_where_it_stopped(
    tmp_path: Path, sandbox: LocalSandbox, stop_after: int
) -> None:
    equal = [fenced(FAST_DOUBLE), fenced("def double(n):\n    return n + n\n")]
    whole = _open(tmp_path / "whole.sqlite", sandbox, model=_Reversed(equal))
    whole.run()
    stopped = _open(tmp_path / "stopped.sqlite", sandbox, model=_Reversed(equal))
    with pytest.raises(KeyboardInterrupt):
        stopped.run(on_step=_interrupt_after(stop_after))
    stopped.store.close()
    resumed = _open(tmp_path / "stopped.sqlite", sandbox, model=_Reversed(equal))
    assert [step.id for step in resumed.steps] == list(range(stop_after))
    resumed.run()
    assert resumed.steps == whole.steps


def test_children_are_judged_while_earlier_replies_are_still_awaited(
    path: Path, sandbox: LocalSandbox
) -> None:
    judged: list[str] = []

    class Watching(_Reversed):
        def generate(
            self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
        ) -> Iterator[tuple[int, Completion]]:
            for position, completion in super().generate(conversations, sampling, seeds=seeds):
                if position == 0:
                    before_the_first_reply.extend(judged)
                yield position, completion

    def timer(program: Program, case_id: str, execution: Execution) -> Seconds:
        judged.append(program.id)
        return scripted_time(program, case_id, execution)

    before_the_first_reply: list[str] = []
    unlike = [fenced(f"def double(n):\n    return {k} * 0 + 2 * n\n") for k in range(997)]
    driver = open_run(
        path,
        task=double_task(),
        model=Watching(unlike),
        evaluator=Evaluator(sandbox, timer=timer),
        settings=SETTINGS,
    )
    driver.run(rounds=2)
    children = {step.child.id for step in driver.steps[2:] if step.child}
    assert len(children) == 3
    assert children <= set(before_the_first_reply)


def test_generate_returns_replies_in_the_order_of_their_steps(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = _open(path, sandbox, model=_Reversed(REPLIES))
    driver.run(rounds=1)
    assert [reply.request.step for reply in driver.generate(driver.ask())] == [1, 2, 3, 4]


def test_a_reply_is_not_evaluated_before_those_ahead_of_it(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = _open(path, sandbox)
    driver.run(rounds=1)
    first, second, *others = driver.generate(driver.ask())
    with pytest.raises(ValueError, match="must wait for the reply to step 1"):
        driver.evaluate([second])
    assert [step.id for step in driver.evaluate([second, first])] == [1, 2]
    driver.tell([*driver.evaluate([first, second]), *driver.evaluate(others)])
    with pytest.raises(ValueError, match="answers nothing that was asked"):
        driver.evaluate([replace(first, request=replace(first.request, step=9))])


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
    whole = _open(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    path = tmp_path / "run.sqlite"
    _open(path, sandbox).store.close()
    store = _Interrupted.open(path, write=True)
    store.at = at
    driver = _driver(store, sandbox)
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
    whole = _open(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    outcomes = whole.store.outcomes()
    for line in range(1, 10_000, 5):
        path = tmp_path / f"{line}.sqlite"
        stopped = _open(path, sandbox)
        if not _interrupted_at(line, stopped):
            assert line > 60, "hardly any line was interrupted"
            break
        stopped.run()
        assert stopped.steps == whole.steps
        assert stopped.store.outcomes() == outcomes
        stopped.store.close()
        resumed = _open(path, sandbox)
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
    whole = _open(tmp_path / "whole.sqlite", sandbox)
    whole.run()
    path = tmp_path / "run.sqlite"
    _open(path, sandbox).store.close()
    driver = _driver(_Hesitant.open(path, write=True), sandbox)
    driver.run(rounds=1)
    steps = driver.evaluate(driver.generate(driver.ask()))
    with pytest.raises(StoreError, match="disk is full"):
        driver.tell(steps)
    assert driver.tell(steps) == whole.store.outcomes()[1]
    driver.run()
    assert driver.store.outcomes() == whole.store.outcomes()


def test_telling_the_latest_round_again_changes_nothing(path: Path, sandbox: LocalSandbox) -> None:
    driver = _open(path, sandbox)
    steps = driver.evaluate(driver.generate(driver.ask()))
    assert driver.tell(steps) == driver.tell(steps)
    assert [request.round for request in driver.ask()] == [1] * 4
    with pytest.raises(ValueError, match="asked for steps"):
        driver.tell(steps)


class _Reworded(IslandSearch):
    """The search as a later version of Workbench would have it: with other words in its prompt."""

    def ask(self, at_most: int | None = None) -> list[Request]:
        requests = super().ask(at_most)
        self._asked = {request.step: _reworded(request) for request in requests}
        return list(self._asked.values())


def _reworded(request: Request) -> Request:
    if request.prompt is None:
        return request
    conversation = (Message(Role.USER, f"Please! {request.prompt.text}"),)
    return replace(request, prompt=replace(request.prompt, conversation=conversation))


def test_replies_to_other_words_are_not_taken_for_replies_to_these(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = _open(path, sandbox)
    driver.run(rounds=1)
    driver.generate(driver.ask())
    driver.store.close()
    with (
        RunStore.open(path, write=True) as store,
        pytest.raises(StoreError, match=r"step 1 in .* asked differently"),
    ):
        _driver(store, sandbox, _Reworded)


def test_a_store_with_steps_that_the_search_never_asks_for_is_refused(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = _open(path, sandbox)
    driver.run()
    driver.store.close()
    for where in (999, 14):
        connection = sqlite3.connect(path)
        connection.execute(
            "INSERT INTO completions SELECT ?, body FROM completions WHERE step = 1", (where,)
        )
        connection.commit()
        connection.close()
        for _ in range(2):  # the refusal left no lock behind
            with pytest.raises(StoreError, match="asked differently"):
                _open(path, sandbox)


def test_an_open_that_fails_leaves_neither_a_lock_nor_a_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    nothing = RunSettings(search=IslandSearchSettings(rounds=1), starts_from="drafts")
    with pytest.raises(ConfigError, match="nothing to start"):
        _open(path, sandbox, nothing)
    assert list(path.parent.iterdir()) == []
    _open(path, sandbox).store.close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO steps VALUES (0, '{')")
    connection.commit()
    connection.close()
    for _ in range(2):
        with pytest.raises(StoreError, match="read run store"):
            _open(path, sandbox)


def test_drafts_without_a_budget_for_them_are_a_finished_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    settings = RunSettings(
        search=IslandSearchSettings(rounds=1, parents=2, drafts=3),
        starts_from="drafts",
        budget=Budget(completions=0),
    )
    driver = _open(path, sandbox, settings)
    assert driver.run() is None
    assert driver.finished
    assert driver.steps == []


def test_drafts_are_evaluations_of_the_budget(path: Path, sandbox: LocalSandbox) -> None:
    unlike = [fenced(f"def double(n):\n    return {k} * 0 + 2 * n\n") for k in range(997)]
    settings = RunSettings(
        search=IslandSearchSettings(rounds=2, parents=4, drafts=3),
        starts_from="exhibits",
        budget=Budget(evaluations=4),
    )
    driver = _open(path, sandbox, settings, ScriptedModel(unlike))
    driver.run()
    operators = [step.request.operator for step in driver.steps]
    assert operators == ["start"] * 3 + ["draft"] * 3 + ["improve"]


def test_a_run_judged_by_another_evaluator_is_not_carried_on(
    path: Path, sandbox: LocalSandbox
) -> None:
    _open(path, sandbox).store.close()
    connection = sqlite3.connect(path)
    (text,) = connection.execute("SELECT value FROM meta WHERE key = 'manifest'").fetchone()
    manifest = json.loads(text)
    manifest["evaluator_version"] -= 1
    connection.execute("UPDATE meta SET value = ? WHERE key = 'manifest'", (json.dumps(manifest),))
    connection.commit()
    connection.close()
    with pytest.raises(ConfigError, match="evaluator_version"):
        _open(path, sandbox)


def test_a_wall_clock_that_is_set_back_does_not_lengthen_a_run(
    path: Path, sandbox: LocalSandbox
) -> None:
    ticks = iter(range(1_000_000, 0, -1_000))
    driver = open_run(
        path,
        task=double_task(),
        model=ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=scripted_time),
        settings=SETTINGS,
        clock=lambda: float(next(ticks)),
    )
    driver.run(max_seconds=0)
    assert not driver.finished
    assert driver.steps == []


@pytest.mark.parametrize(
    "changed", [{"temprature": 1}, {"budget": {"evaluatoins": 3}}, {"search": {"round": 3}}]
)
def test_stored_settings_that_nobody_knows_are_refused(
    path: Path, sandbox: LocalSandbox, changed: dict[str, Any]
) -> None:
    manifest = _open(path, sandbox).store.manifest
    assert stored_settings(manifest) == SETTINGS
    (name,) = {**changed, **changed.get("budget", {}), **changed.get("search", {})}.keys() - {
        "budget",
        "search",
    }
    with pytest.raises(ConfigError, match=name):
        stored_settings(replace(manifest, settings=manifest.settings | changed))


@pytest.mark.parametrize("bound", [float("nan"), -1, 2.5])
@pytest.mark.parametrize("name", ["evaluations", "completions", "tokens"])
def test_bounds_of_the_budget_are_checked_by_name(name: str, bound: float) -> None:
    with pytest.raises(ConfigError, match=name):
        Budget(**{name: bound})  # type: ignore[arg-type]


def test_a_run_is_not_carried_on_under_other_settings(path: Path, sandbox: LocalSandbox) -> None:
    _open(path, sandbox).store.close()
    other = RunSettings(search=SETTINGS.search, seed=6)
    with pytest.raises(ConfigError, match="seed: 5 -> 6"):
        _open(path, sandbox, other)
    with RunStore.open(path, write=True):
        pass  # the refusal left no lock behind


def test_start_and_best_are_compared_again_at_the_end(path: Path, sandbox: LocalSandbox) -> None:
    driver = _open(path, sandbox)
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
    driver = _open(path, sandbox)
    driver.run()
    with pytest.raises(RuntimeError, match="finished"):
        driver.ask()
