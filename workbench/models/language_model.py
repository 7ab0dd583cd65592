"""The gateway to models: one protocol, behind which every backend stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from workbench.errors import ConfigError


class Role(Enum):
    """Who speaks in a conversation."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    Attributes:
        role: who speaks.
        content: what is said.
    """

    role: Role
    content: str


Conversation = tuple[Message, ...]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How completions are drawn.

    Attributes:
        temperature: 0 is greedy.
        top_p: nucleus mass kept, in (0, 1].
        max_tokens: completion tokens at most.
        timeout_s: seconds a single request may take before it counts as lost.
    """

    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 1024
    timeout_s: float = 600.0

    def __post_init__(self) -> None:
        """Refuse what no backend could honour.

        Raises:
            ConfigError: a value is outside its range.
        """
        if not 0 <= self.temperature <= 5:
            raise ConfigError(f"sampling.temperature must be in [0, 5], got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"sampling.top_p must be in (0, 1], got {self.top_p}")
        if self.max_tokens < 1:
            raise ConfigError(f"sampling.max_tokens must be at least 1, got {self.max_tokens}")
        if not self.timeout_s > 0:
            raise ConfigError(f"sampling.timeout_s must be positive, got {self.timeout_s}")


@dataclass(frozen=True, kw_only=True)
class Completion:
    """One reply.

    Attributes:
        text: the answer, reasoning taken out.
        reasoning: the trace that came before it; empty if the model showed none.
        finish_reason: "stop", "length", or the backend's own word.
        prompt_tokens: tokens read.
        completion_tokens: tokens written, reasoning included.
        seconds: wall seconds this completion took; for a batch, the batch's divided by its size.
    """

    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


class LanguageModel(Protocol):
    """Anything that continues conversations."""

    @property
    def name(self) -> str:
        """What the user typed to get it; stored with the run."""
        ...

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Complete every conversation.

        Args:
            conversations: what was said so far, one tuple of messages each.
            sampling: how to draw, the same for all.
            seeds: one a conversation; equal seeds give equal replies where the backend can.

        Yields:
            (position in `conversations`, completion), each position once, in the order in
            which completions become known, so that evaluation need not wait for the last.

        Raises:
            ModelError: the backend cannot answer, after the retries that make sense for it.
        """
        ...

    def close(self) -> None:
        """Free what the model holds; calling it again does nothing."""
        ...
