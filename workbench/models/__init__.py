"""Language models: one protocol, several backends, names that lead to weights."""

from workbench.models.catalog import open_model
from workbench.models.language_model import (
    Completion,
    Conversation,
    LanguageModel,
    Message,
    Role,
    Sampling,
)
from workbench.models.scripted import ScriptedModel

__all__ = [
    "Completion",
    "Conversation",
    "LanguageModel",
    "Message",
    "Role",
    "Sampling",
    "ScriptedModel",
    "open_model",
]
