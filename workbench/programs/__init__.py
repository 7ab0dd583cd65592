"""Programs as text: identity, edits, and reading them out of a model's reply."""

from workbench.programs.edit import EditKind
from workbench.programs.normal_form import normal_form
from workbench.programs.program import Program
from workbench.programs.reply import Parsed, parse_reply

__all__ = ["EditKind", "Parsed", "Program", "normal_form", "parse_reply"]
