"""From replies to steps: what each becomes, whatever the order of arrival."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    ScriptedTimer,
    double_task,
    fenced,
    scripted_time,
)
from scripted_driver import REPLIES, SETTINGS, Reversed, interrupt_after, opened

from workbench.evaluation import Evaluator, Verdict
from workbench.evaluation.timing import Seconds
from workbench.models import Completion, Conversation, Sampling, ScriptedModel
from workbench.programs import EditKind, Program
from workbench.runs import Step
from workbench.sandbox import Execution, LocalSandbox
from workbench.search import (
    IslandSearchSettings,
    RunSettings,
    open_run,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_every_kind_of_reply_becomes_the_step_it_should(path: Path, sandbox: LocalSandbox) -> None:
    many = RunSettings(search=IslandSearchSettings(rounds=10, parents=6), seed=5)
    driver = opened(path, sandbox, many)
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
    driver = opened(path, sandbox, model=ScriptedModel([fenced(SLOW_DOUBLE)]))
    driver.run(rounds=2)
    replies = [step for step in driver.steps if step.completion is not None]
    assert {step.verdict for step in replies} == {Verdict.NO_CHANGE}
    assert driver.spent.evaluations == 0


def test_a_reply_cut_at_its_token_limit_says_so(path: Path, sandbox: LocalSandbox) -> None:
    cut = Completion(text="```python\ndef double(n):\n    return", finish_reason="length")
    driver = opened(path, sandbox, model=ScriptedModel([cut]))
    driver.run(rounds=2)
    assert "token limit" in driver.steps[-1].failure


def test_lone_surrogates_in_a_reply_do_not_stop_the_run(path: Path, sandbox: LocalSandbox) -> None:
    driver = opened(path, sandbox, model=ScriptedModel(["\ud800 not text"]))
    driver.run(rounds=2)
    assert driver.steps[-1].completion is not None
    assert driver.steps[-1].completion.text == "\\ud800 not text"


def test_the_order_in_which_replies_arrive_changes_nothing(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    equal = [fenced(FAST_DOUBLE), fenced("def double(n):\n    return n + n\n")]
    forth = opened(tmp_path / "forth.sqlite", sandbox, model=ScriptedModel(equal))
    forth.run()
    assert any(step.duplicate_of is not None for step in forth.steps)
    back = opened(tmp_path / "back.sqlite", sandbox, model=Reversed(equal))
    back.run()
    assert back.steps == forth.steps
    assert back.store.outcomes() == forth.store.outcomes()


@pytest.mark.parametrize("stop_after", [2, 4, 7])
def test_a_run_whose_replies_arrive_in_another_order_goes_on_where_it_stopped(
    tmp_path: Path, sandbox: LocalSandbox, stop_after: int
) -> None:
    equal = [fenced(FAST_DOUBLE), fenced("def double(n):\n    return n + n\n")]
    whole = opened(tmp_path / "whole.sqlite", sandbox, model=Reversed(equal))
    whole.run()
    stopped = opened(tmp_path / "stopped.sqlite", sandbox, model=Reversed(equal))
    with pytest.raises(KeyboardInterrupt):
        stopped.run(on_step=interrupt_after(stop_after))
    stopped.store.close()
    resumed = opened(tmp_path / "stopped.sqlite", sandbox, model=Reversed(equal))
    assert [step.id for step in resumed.steps] == list(range(stop_after))
    resumed.run()
    assert resumed.steps == whole.steps


def test_children_are_judged_while_earlier_replies_are_still_awaited(
    path: Path, sandbox: LocalSandbox
) -> None:
    judged: list[str] = []

    class Watching(Reversed):
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
        evaluator=Evaluator(sandbox, timer=ScriptedTimer(timer)),
        settings=SETTINGS,
    )
    driver.run(rounds=2)
    children = {step.child.id for step in driver.steps[2:] if step.child}
    assert len(children) == 3
    assert children <= set(before_the_first_reply)


def test_generate_returns_replies_in_the_order_of_their_steps(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = opened(path, sandbox, model=Reversed(REPLIES))
    driver.run(rounds=1)
    assert [reply.request.step for reply in driver.generate(driver.ask())] == [1, 2, 3, 4]


def test_a_reply_is_not_evaluated_before_those_ahead_of_it(
    path: Path, sandbox: LocalSandbox
) -> None:
    driver = opened(path, sandbox)
    driver.run(rounds=1)
    first, second, *others = driver.generate(driver.ask())
    with pytest.raises(ValueError, match="must wait for the reply to step 1"):
        driver.evaluate([second])
    assert [step.id for step in driver.evaluate([second, first])] == [1, 2]
    driver.tell([*driver.evaluate([first, second]), *driver.evaluate(others)])
    with pytest.raises(ValueError, match="answers nothing that was asked"):
        driver.evaluate([replace(first, request=replace(first.request, step=9))])
