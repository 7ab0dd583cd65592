"""Programs as text: identity, edits, and reading them out of a model's reply."""

from workbench.programs.program import Program
from workbench.programs.reply import Parsed, parse_reply

__all__ = ["Parsed", "Program", "parse_reply"]
