"""Matching syntax trees against patterns that are Python themselves, and building from them.

In a pattern a name in capitals stands for any expression, a builtin or importable name for
itself, and any other name for a variable; equal names stand for equal things.
"""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

from workbench.models.rewriting.names import IMPORTS, is_builtin

Bindings = Mapping[str, ast.expr]
_Node = TypeVar("_Node", bound=ast.AST)

_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
# They say what a node is used for or how it was written, not what it is.
_IGNORED_FIELDS = frozenset({"ctx", "type_comment", "kind"})


@cache
def statements(text: str) -> tuple[ast.stmt, ...]:
    """The trees of a pattern; they are shared, so put only what `fill` gives into a program."""
    return tuple(ast.parse(text).body)


def expression(text: str) -> ast.expr:
    """As `statements`, for a single expression."""
    [statement] = statements(text)
    assert isinstance(statement, ast.Expr)
    return statement.value


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees say the same, whether they read or write."""
    return _shape(one) == _shape(other)


def match(pattern: ast.AST, node: ast.AST, bindings: Bindings) -> Bindings | None:
    """The bindings under which the node is the pattern, or None if there are none."""
    if isinstance(pattern, ast.Name):
        return _match_name(pattern.id, node, bindings)
    if type(pattern) is not type(node):
        return None
    found = _match_fields(pattern, node, bindings)
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _MIRRORED:
            if found is None:
                turned = ast.Compare(left=right, ops=[_MIRRORED[type(op)]()], comparators=[left])
                return _match_fields(pattern, turned, bindings)
    return found


def match_all(
    patterns: Sequence[ast.AST], nodes: Sequence[ast.AST], bindings: Bindings
) -> Bindings | None:
    """As `match`, for two lists, item by item."""
    if len(patterns) != len(nodes):
        return None
    found: Bindings | None = bindings
    for pattern, node in zip(patterns, nodes, strict=True):
        if found is not None:
            found = match(pattern, node, found)
    return found


def matches(pattern: ast.AST, nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, Bindings]]:
    """Those of some nodes that are the pattern, with the bindings that make them so."""
    for node in nodes:
        found = match(pattern, node, {})
        if found is not None:
            yield node, found


def fill(pattern: _Node, bindings: Bindings) -> _Node:
    """A copy of the pattern with copies of what is bound put in."""
    filled: _Node = _Filling(bindings).visit(copy.deepcopy(pattern))
    return filled


def replace(tree: ast.AST, new: Mapping[ast.AST, ast.AST]) -> None:
    """Put others in the place of some nodes, which are found by identity."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                value[:] = [new.get(item, item) for item in value]
            elif value in new:
                setattr(parent, field, new[value])


class _Filling(ast.NodeTransformer):
    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        part = copy.deepcopy(self._bindings.get(node.id, node))
        if isinstance(part, ast.Name):
            part.ctx = node.ctx
        return part


def _match_name(name: str, node: ast.AST, bindings: Bindings) -> Bindings | None:
    if not isinstance(node, ast.expr if name.isupper() else ast.Name):
        return None
    assert isinstance(node, ast.expr)
    if isinstance(node, ast.Name) and (is_builtin(name) or name in IMPORTS):
        return bindings if node.id == name else None
    before = bindings.get(name)
    if before is None:
        return {**bindings, name: node}
    return bindings if same(before, node) else None


def _match_fields(pattern: ast.AST, node: ast.AST, bindings: Bindings) -> Bindings | None:
    found: Bindings | None = bindings
    for field in pattern._fields:
        if field in _IGNORED_FIELDS or found is None:
            continue
        wanted, given = getattr(pattern, field, None), getattr(node, field, None)
        if isinstance(wanted, list) and isinstance(given, list):
            found = match_all(wanted, given, found)
        elif isinstance(wanted, ast.AST) and isinstance(given, ast.AST):
            found = match(wanted, given, found)
        elif type(wanted) is not type(given) or wanted != given:
            found = None
    return found


def _shape(node: ast.AST) -> str:
    text = ast.dump(node)
    return text.replace("ctx=Store()", "ctx=Load()").replace("ctx=Del()", "ctx=Load()")
