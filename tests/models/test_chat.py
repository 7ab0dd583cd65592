from typing import Any

import pytest

from workbench.errors import ConfigError, ModelError
from workbench.models.chat import Rendered, as_messages, check_request, check_room, render
from workbench.models.language_model import Message, Role

ASK = (Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Two plus two?"))


class Characters:
    """A tokenizer whose tokens are code points."""

    def __init__(self, template: str | None) -> None:
        self.chat_template = template

    def apply_chat_template(
        self, messages: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool
    ) -> str:
        assert not tokenize
        assert add_generation_prompt
        if self.chat_template == "no system" and messages[0]["role"] == "system":
            raise ValueError("System role not supported")
        assert self.chat_template is not None
        return "".join(f"[{m['role']}]{m['content']}" for m in messages) + self.chat_template

    def __call__(self, text: str, *, add_special_tokens: bool = True) -> dict[str, Any]:
        return {"input_ids": [0] * add_special_tokens + [ord(letter) for letter in text]}


def text_of(rendered: Rendered) -> str:
    return "".join(map(chr, rendered.token_ids))


def test_template_writes_the_special_tokens_alone() -> None:
    rendered = render(Characters("[assistant]"), ASK)
    assert text_of(rendered) == "[system]Be brief.[user]Two plus two?[assistant]"
    assert not rendered.thinking


def test_template_that_opens_the_reasoning_is_noticed() -> None:
    assert render(Characters("[assistant]<think>\n"), ASK).thinking


def test_base_model_gets_the_documented_plain_form() -> None:
    rendered = render(Characters(None), ASK)
    expected = "### System\nBe brief.\n\n### User\nTwo plus two?\n\n### Assistant\n"
    assert text_of(rendered) == "\0" + expected


def test_template_that_refuses_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="System role not supported"):
        render(Characters("no system"), ASK)


def test_lone_surrogates_are_escaped_before_they_reach_a_model() -> None:
    (message,) = as_messages((Message(Role.USER, "a\ud800b"),))
    assert message == {"role": "user", "content": "a\\ud800b"}


def test_seeds_must_match_conversations() -> None:
    check_request([ASK], [1])
    with pytest.raises(ConfigError, match="got 2 for 1"):
        check_request([ASK], [1, 2])


def test_conversation_must_say_something() -> None:
    with pytest.raises(ConfigError, match=r"conversations\[1\]"):
        check_request([ASK, ()], [1, 2])


def test_room_is_the_window_less_the_reply() -> None:
    prompt = Rendered((1,) * 90, thinking=False)
    check_room([prompt], 10, 100)
    check_room([prompt], 11, None)
    with pytest.raises(ModelError, match=r"90 tokens.*11.*100"):
        check_room([prompt], 11, 100)
