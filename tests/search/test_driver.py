"""The driver with scripted replies, a scripted clock, the real sandbox and a real store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    double_task,
    fenced,
    scripted_time,
)

from workbench.errors import ConfigError, ModelError
from workbench.evaluation import Evaluator, Verdict
from workbench.models import Completion, Conversation, Sampling, ScriptedModel
from workbench.population import IslandSettings
from workbench.programs import EditKind
from workbench.runs import Reply, RunStore, Step
from workbench.sandbox import LocalSandbox
from workbench.search import (
    Budget,
    Driver,
    IslandSearch,
    IslandSearchSettings,
    RunSettings,
    open_run,
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
    search = IslandSearch(
        double_task(), SETTINGS.search, seed=SETTINGS.seed, given=(double_task().start,)
    )
    driver = Driver(
        task=double_task(),
        search=search,
        model=ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=scripted_time),
        store=store,
        sampling=Sampling(),
        budget=Budget(),
        clock=lambda: 1_000.0,
    )
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            driver.run()
    driver.run()
    assert driver.steps == whole.steps
    assert store.steps() == whole.steps


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
