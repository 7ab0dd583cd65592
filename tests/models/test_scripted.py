from typing import Any

import pytest

from workbench.errors import ConfigError, ModelError
from workbench.models import Completion, Conversation, Message, Role, Sampling, ScriptedModel

HELLO = (Message(Role.USER, "hello there"),)
BYE = (Message(Role.USER, "bye"),)


def test_reply_depends_on_the_seed_and_not_on_the_order() -> None:
    model = ScriptedModel(["a", "b", "c"])
    forwards = dict(model.generate([HELLO] * 4, Sampling(), seeds=[0, 1, 2, 3]))
    backwards = dict(model.generate([HELLO] * 4, Sampling(), seeds=[3, 2, 1, 0]))
    assert [forwards[place].text for place in range(4)] == ["a", "b", "c", "a"]
    assert [backwards[place].text for place in range(4)] == ["a", "c", "b", "a"]


def test_function_sees_conversation_and_seed() -> None:
    model = ScriptedModel(lambda conversation, seed: f"{conversation[-1].content} {seed}")
    replies = dict(model.generate([HELLO, BYE], Sampling(), seeds=[7, 8]))
    assert replies[0].text == "hello there 7"
    assert replies[1].text == "bye 8"
    assert model.asked == [(HELLO, 7), (BYE, 8)]


def test_tokens_are_words_and_no_time_passes() -> None:
    model = ScriptedModel(["<think>one two</think>three"])
    ((_, completion),) = model.generate([HELLO], Sampling(), seeds=[0])
    assert completion == Completion(
        text="three", reasoning="one two", prompt_tokens=2, completion_tokens=2, seconds=0.0
    )


def test_reply_is_cut_at_the_limit_with_its_layout_kept() -> None:
    model = ScriptedModel(["a\n  b c"])
    ((_, completion),) = model.generate([HELLO], Sampling(max_tokens=2), seeds=[0])
    assert completion.text == "a\n  b"
    assert completion.finish_reason == "length"


def test_completion_is_given_as_written() -> None:
    written = Completion(text="x", finish_reason="content_filter", seconds=3.0)
    ((_, completion),) = ScriptedModel([written]).generate([HELLO], Sampling(), seeds=[5])
    assert completion is written


def test_script_may_fail_as_a_server_would() -> None:
    def script(_: Conversation, seed: int) -> str:
        if seed == 2:
            raise ModelError("gone")
        return "here"

    arrived: list[int] = []
    replies = ScriptedModel(script).generate([HELLO] * 3, Sampling(), seeds=[1, 2, 3])
    with pytest.raises(ModelError, match="gone"):
        arrived.extend(position for position, _ in replies)
    assert arrived == [0]


@pytest.mark.parametrize("script", [[], (), "text"])
def test_script_without_replies_is_refused(script: Any) -> None:
    with pytest.raises(ConfigError, match="script"):
        ScriptedModel(script)
