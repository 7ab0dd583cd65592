"""Prompts: one renderer an operator, shared by search and training."""

from workbench.prompts.draft import draft
from workbench.prompts.improve import improve
from workbench.prompts.prompt import Prompt

__all__ = ["Prompt", "draft", "improve"]
