"""Conversations on their way to a model, the same for every backend. No model is called here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import ConfigError, ModelError, boundary
from workbench.models.language_model import Conversation, Role

_HEADINGS = {Role.SYSTEM: "System", Role.USER: "User", Role.ASSISTANT: "Assistant"}


@dataclass(frozen=True)
class Rendered:
    """A conversation as a local model reads it.

    Attributes:
        token_ids: the whole prompt.
        thinking: whether the chat template ended it with an opened `<think>`.
    """

    token_ids: tuple[int, ...]
    thinking: bool


def check_request(conversations: Sequence[Conversation], seeds: Sequence[int]) -> None:
    """Refuse a request that no backend could answer.

    Raises:
        ConfigError: there are not as many seeds as conversations, or one says nothing.
    """
    if len(seeds) != len(conversations):
        raise ConfigError(
            f"seeds must be one a conversation, got {len(seeds)} for {len(conversations)}"
        )
    for position, conversation in enumerate(conversations):
        if not conversation:
            raise ConfigError(f"conversations[{position}] must hold at least one message")


def encodable(text: str) -> str:
    """`text` with lone surrogates escaped: neither UTF-8 nor a tokenizer can hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def as_messages(conversation: Conversation) -> list[dict[str, str]]:
    """The conversation as role/content records, the form that servers and templates take."""
    return [
        {"role": message.role.value, "content": encodable(message.content)}
        for message in conversation
    ]


def render(tokenizer: Any, conversation: Conversation) -> Rendered:
    r"""Tokens that ask a local model for the next turn.

    The tokenizer's own chat template is used. A base model has none: there each message is
    written as "### User\n<content>\n\n", and the prompt ends with "### Assistant\n".

    Args:
        tokenizer: a Hugging Face tokenizer.
        conversation: what was said so far.

    Raises:
        ModelError: the template refuses the conversation, as some do with a system message.
    """
    messages = as_messages(conversation)
    with boundary(ModelError, "render the model's chat template"):
        if getattr(tokenizer, "chat_template", None):
            text = tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        else:
            text = _plain(conversation)
            ids = tokenizer(text)["input_ids"]
    return Rendered(tuple(ids), text.rstrip().endswith("<think>"))


def check_room(rendered: Sequence[Rendered], max_tokens: int, window: int | None) -> None:
    """Refuse prompts that leave no room for the reply.

    Args:
        rendered: the prompts.
        max_tokens: completion tokens asked for.
        window: tokens that the model can hold, prompt and reply together; None if unbounded.

    Raises:
        ModelError: the first prompt that is too long, with the lengths.
    """
    for position, prompt in enumerate(rendered):
        length = len(prompt.token_ids)
        if window is not None and length + max_tokens > window:
            raise ModelError(
                f"conversation {position} has {length} tokens and sampling.max_tokens is "
                f"{max_tokens}, but the model holds {window} together: show fewer or shorter "
                "programs, lower max_tokens, or take a model with a longer context"
            )


def _plain(conversation: Conversation) -> str:
    turns = [
        f"### {_HEADINGS[message.role]}\n{encodable(message.content)}\n\n"
        for message in conversation
    ]
    return "".join(turns) + "### Assistant\n"
