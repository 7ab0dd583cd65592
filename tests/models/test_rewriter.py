import ast
import heapq
import inspect
import statistics
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import ConfigError
from workbench.evaluation import Evaluator
from workbench.models import Completion, Message, Role, Sampling
from workbench.models.rewriter import Rewriter, apply_rule, rewritten
from workbench.models.rewriting import RULES
from workbench.programs import Program, parse_reply
from workbench.sandbox import LocalSandbox
from workbench.tasks import find_task
from workbench.tasks.bundled import bundled_names

SAMPLING = Sampling()
START = "n = int(input())\ntotal = 0\nfor i in range(1, n + 1):\n    total += i\nprint(total)\n"


def ask(*texts: str, seed: int = 0) -> Completion:
    conversation = tuple(Message(Role.USER, text) for text in texts)
    [(position, completion)] = Rewriter().generate([conversation], SAMPLING, seeds=[seed])
    assert position == 0
    return completion


def show(source: str) -> str:
    return f"# Task\n\nSum up.\n\n```\n3\n```\n\n```python\n{source}```\n\nImprove it."


def program_of(completion: Completion) -> Program:
    parsed = parse_reply(completion.text, None)
    assert parsed.program is not None
    return parsed.program


def test_reply_names_what_was_done_and_holds_the_rewritten_program() -> None:
    completion = ask(show(START))
    source, reasons = rewritten(START, 0)
    assert program_of(completion).source == source
    assert reasons
    assert all(reason in completion.text for reason in reasons)
    assert completion.finish_reason == "stop"


def test_equal_seeds_give_equal_replies_and_others_explore() -> None:
    replies = [ask(show(START), seed=seed).text for seed in range(30)]
    assert replies == [ask(show(START), seed=seed).text for seed in range(30)]
    assert len(set(replies)) >= 8


def test_one_to_three_rules_are_applied() -> None:
    counts = {len(rewritten(START, seed)[1]) for seed in range(60)}
    assert counts == {1, 2, 3}


def test_the_closed_form_is_reached_within_a_few_seeds() -> None:
    assert any("n * (n + 1) // 2" in rewritten(START, seed)[0] for seed in range(30))


def test_the_first_python_block_of_the_last_user_message_counts() -> None:
    history = f"{show(START)}\n\n```python\nprint('an earlier attempt')\n```\n"
    completion = ask(show("print('an old message')\n"), history)
    assert "total" in program_of(completion).source
    assert "earlier attempt" not in completion.text


def test_longer_fences_are_read_and_given_back() -> None:
    source = 'text = """\n```\n"""\nfor i in range(9):\n    print(text)\n'
    completion = ask(f"````python\n{source}````")
    assert "````python" in completion.text
    assert '"""' in program_of(completion).source or "'\\n```\\n'" in program_of(completion).source


@pytest.mark.parametrize("source", ["x = 1\n", "def f(:\n", "", "x = '\0'\n"])
def test_where_nothing_applies_the_program_comes_back_unchanged(source: str) -> None:
    completion = ask(show(source))
    assert "unchanged" in completion.text
    assert f"```python\n{source.rstrip()}\n```" in completion.text


def test_question_without_a_program() -> None:
    assert parse_reply(ask("What is a sieve?").text, None).program is None


def test_seeds_must_be_one_a_conversation() -> None:
    with pytest.raises(ConfigError):
        list(Rewriter().generate([(Message(Role.USER, "x"),)], SAMPLING, seeds=[1, 2]))


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "-" * 20_000 + "1\n",
        "x = " + "+".join("1" * 9_000) + "\n",
        "(" * 20_000,
        "x = 1\n" * 9_000,
    ],
)
def test_hostile_programs_come_back_unchanged(source: str) -> None:
    assert rewritten(source, 1) == (source, [])


def test_real_modules_come_back_as_programs_again() -> None:
    changes = 0
    for module in (ast, heapq, inspect, statistics, textwrap):
        source = inspect.getsource(module)[:29_000].rpartition("\n\n\n")[0]
        for text in [apply_rule(rule, source) for rule in RULES]:
            if text is not None:
                compile(text, module.__name__, "exec")
                changes += 1
    assert changes


@pytest.mark.slow
def test_single_rules_speed_most_bundled_programs_up_and_break_none() -> None:
    gained = []
    with LocalSandbox() as sandbox:
        evaluator = Evaluator(sandbox)
        for name in bundled_names():
            task = find_task(name)
            start = evaluator.evaluate(task.exhibits[0].program, task)
            texts = [apply_rule(rule, task.exhibits[0].program.source) for rule in RULES]
            found = [evaluator.evaluate(Program(text), task) for text in texts if text]
            assert all(evaluation.accepted for evaluation in found), name
            assert start.mean_cpu_s is not None
            times = [item.mean_cpu_s for item in found if item.mean_cpu_s is not None]
            gained += [name] * (min(times) < start.mean_cpu_s / 1.5)
    assert len(gained) >= 12, gained


@given(st.lists(st.sampled_from(range(len(RULES))), max_size=2), st.integers(0, 9))
@settings(deadline=None, max_examples=30)
def test_what_is_rewritten_still_parses(chosen: list[int], seed: int) -> None:
    pieces = [
        "for i in range(len(xs)):\n    total += xs[i]\n",
        "while xs:\n    ys.append(xs.pop(0))\n",
        "def f(n):\n    return f(n - 1) + f(n - 2)\n",
        "class A:\n    def m(self):\n        return [x for x in self.xs if x in self.ys]\n",
        "async def g():\n    return [await x async for x in y]\n",
        "match xs:\n    case [1, *rest]:\n        total = sum(rest)\n",
    ]
    source = "".join(pieces[number % len(pieces)] for number in chosen)
    assert bool(ast.parse(rewritten(source, seed)[0]).body) == bool(chosen)
