"""Language models: one protocol, several backends, names that lead to weights."""

from workbench.models.catalog import best_local, list_models, open_model
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
    "best_local",
    "list_models",
    "open_model",
]
