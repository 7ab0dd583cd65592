"""When two programs are the same but for how they are written down. Names are kept as they are."""

import ast
import hashlib

from workbench.programs.program import Program
from workbench.programs.syntax import parse

_DIGITS = 16


def normal_form(program: Program) -> str | None:
    """Digest of what the program says: its tree without comments, docstrings and layout.

    Equal digests mean equal behaviour, apart from programs that read their own docstrings or
    line numbers. Renaming a variable changes the digest.

    Returns:
        16 hexadecimal digits, or None if the text does not parse, is nested too deeply, or holds
        an integer that Python does not write out.
    """
    tree = parse(program.source)
    if tree is None:
        return None
    for node in ast.walk(tree):
        _drop_docstring(node)
    try:
        text = ast.dump(tree)
    except (RecursionError, MemoryError, ValueError):  # the last for integers of 4,300 digits
        return None
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]


def _drop_docstring(node: ast.AST) -> None:
    """Take the docstring off a module, class or function; a body is never left empty."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            node.body = rest or ([] if isinstance(node, ast.Module) else [ast.Pass()])
