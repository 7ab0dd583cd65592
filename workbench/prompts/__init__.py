"""Prompts: one renderer an operator, shared by search and training."""

from workbench.prompts.draft import draft
from workbench.prompts.improve import ReplyForm, improve
from workbench.prompts.prompt import Prompt

__all__ = ["Prompt", "ReplyForm", "draft", "improve"]
