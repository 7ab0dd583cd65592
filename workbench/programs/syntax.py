"""Reading Python text as a tree, whatever the text is. Nothing is compiled or run."""

import ast
import threading
import warnings

MOST_CHARACTERS = 500_000
"""Longer texts are not parsed: no program worth evaluating is longer, and a parse must end."""

# The filter list is the process's: two threads that restored it in turn would leave it silenced.
_warning_filters = threading.Lock()


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a text, or None if it is no Python, too long or too deeply nested."""
    if len(source) > MOST_CHARACTERS:
        return None
    with _warning_filters, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
