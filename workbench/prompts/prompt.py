"""The prompt as it is sent, with what it was made from."""

from dataclasses import dataclass

from workbench.models import Conversation


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A rendered conversation. Search and training both get theirs from the same renderer.

    Attributes:
        conversation: the messages.
        operator: name of the operator that rendered it.
        template: digest of the template text, so that "apart from" claims can be checked.
        shown: ids of the candidates whose programs it shows, the current one last.
    """

    conversation: Conversation
    operator: str
    template: str
    shown: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """All messages as one text, for reading."""
        return "\n\n".join(message.content for message in self.conversation)
