"""The one fake: a model whose replies are written down beforehand."""

import re
from collections.abc import Callable, Iterator, Sequence

from workbench.errors import ConfigError
from workbench.models.chat import check_request
from workbench.models.language_model import Completion, Conversation, Sampling
from workbench.models.reasoning import split_reasoning

Script = Callable[[Conversation, int], str | Completion] | Sequence[str | Completion]


class ScriptedModel:
    """Replies from a script, as a function of conversation and seed alone.

    Because no reply depends on how often or in which order the model was asked, a resumed run
    gets the replies that the uninterrupted one would have got.

    Args:
        script: a function of (conversation, seed), or replies of which the one at `seed` modulo
            their number is given. A string is cut after `max_tokens` words; a Completion is
            given as it is.
        name: what the run records.

    Attributes:
        asked: every (conversation, seed) so far, in the order of asking.

    Raises:
        ConfigError: the script holds no reply.
    """

    def __init__(self, script: Script, name: str = "scripted") -> None:
        if isinstance(script, str) or (not callable(script) and not script):
            raise ConfigError("script must be a function or a non-empty list of replies")
        self._script = script
        self._name = name
        self.asked: list[tuple[Conversation, int]] = []

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Reply in order; tokens are words, and no time passes."""
        check_request(conversations, seeds)
        for position, (conversation, seed) in enumerate(zip(conversations, seeds, strict=True)):
            self.asked.append((conversation, seed))
            reply = self._reply(conversation, seed)
            if isinstance(reply, str):
                reply = _completion(conversation, reply, sampling.max_tokens)
            yield position, reply

    def close(self) -> None:
        """Nothing is held."""

    def _reply(self, conversation: Conversation, seed: int) -> str | Completion:
        if callable(self._script):
            return self._script(conversation, seed)
        return self._script[seed % len(self._script)]


def _completion(conversation: Conversation, reply: str, max_tokens: int) -> Completion:
    ends = [word.end() for word in re.finditer(r"\S+", reply)]
    cut = len(ends) > max_tokens
    text, reasoning = split_reasoning(reply[: ends[max_tokens - 1]] if cut else reply)
    return Completion(
        text=text,
        reasoning=reasoning,
        finish_reason="length" if cut else "stop",
        prompt_tokens=sum(len(message.content.split()) for message in conversation),
        completion_tokens=min(len(ends), max_tokens),
    )
