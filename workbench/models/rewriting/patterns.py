"""Matching syntax trees against patterns that are Python themselves, and building from them.

In a pattern a name in capitals stands for any expression, a builtin or importable name for
itself, and any other name for a variable; equal names stand for equal things, and different
variables for different ones.
"""

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from workbench.models.rewriting.names import MODULES, is_builtin

Bindings = Mapping[str, ast.expr]

_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_IGNORED_FIELDS = frozenset({"ctx", "type_comment", "kind"})


@cache
def expression(text: str) -> ast.expr:
    """The tree of one expression as a pattern; it is shared, so use `make` to put it anywhere."""
    return ast.parse(text, mode="eval").body


@cache
def statements(text: str) -> tuple[ast.stmt, ...]:
    """As `expression`, for statements."""
    return tuple(ast.parse(text).body)


def is_hole(name: str) -> bool:
    """Whether a name in a pattern stands for any expression."""
    return name.isupper()


def is_variable(name: str) -> bool:
    """Whether a name in a pattern stands for a variable."""
    return not (is_hole(name) or is_builtin(name) or name in MODULES)


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees say the same, whether they read or write."""
    return _shape(one) == _shape(other)


def match(pattern: ast.AST, node: ast.AST, bindings: Bindings) -> Bindings | None:
    """The bindings under which the node is the pattern, or None if there are none."""
    if isinstance(pattern, ast.Name):
        return _match_name(pattern.id, node, bindings)
    if type(pattern) is not type(node):
        return None
    straight = _match_fields(pattern, node, bindings)
    turned = _turned(node)
    if straight is None and turned is not None:
        return _match_fields(pattern, turned, bindings)
    return straight


def match_all(
    patterns: Sequence[ast.AST], nodes: Sequence[ast.AST], bindings: Bindings
) -> Bindings | None:
    """As `match`, for two lists, item by item."""
    if len(patterns) != len(nodes):
        return None
    for pattern, node in zip(patterns, nodes, strict=True):
        found = match(pattern, node, bindings)
        if found is None:
            return None
        bindings = found
    return bindings


def matches(pattern: ast.AST, tree: ast.AST) -> Iterator[tuple[ast.AST, Bindings]]:
    """Every node of a tree that is the pattern, with the bindings that make it so."""
    for node in ast.walk(tree):
        found = match(pattern, node, {})
        if found is not None:
            yield node, found


def fill(pattern: ast.AST, bindings: Bindings) -> ast.AST:
    """A copy of the pattern with the bindings put in."""
    return _Filling(bindings).visit(copy.deepcopy(pattern))  # type: ignore[no-any-return]


def make(text: str, **parts: ast.expr | str) -> ast.expr:
    """An expression from its text, with names replaced by expressions or other names."""
    [statement] = make_statements(text, **parts)
    assert isinstance(statement, ast.Expr)
    return statement.value


def make_statements(text: str, **parts: ast.expr | str) -> list[ast.stmt]:
    """As `make`, for statements."""
    bindings = {
        name: ast.Name(part, ast.Load()) if isinstance(part, str) else part
        for name, part in parts.items()
    }
    filled = [fill(part, bindings) for part in statements(text)]
    return [part for part in filled if isinstance(part, ast.stmt)]


def replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    """Put a node in the place of another, which is found by identity."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list):
                value[:] = [new if item is old else item for item in value]


class _Filling(ast.NodeTransformer):
    """Puts bound expressions where their names stand."""

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        part = self._bindings.get(node.id)
        if part is None:
            return node
        part = copy.deepcopy(part)
        if isinstance(part, ast.Name):
            part.ctx = node.ctx
        return part

    def visit_arg(self, node: ast.arg) -> ast.arg:
        part = self._bindings.get(node.arg)
        if isinstance(part, ast.Name):
            node.arg = part.id
        return node


def _match_name(name: str, node: ast.AST, bindings: Bindings) -> Bindings | None:
    if is_hole(name):
        if not isinstance(node, ast.expr):
            return None
    elif not isinstance(node, ast.Name):
        return None
    elif not is_variable(name):
        return bindings if node.id == name else None
    before = bindings.get(name)
    if before is not None:
        return bindings if same(before, node) else None
    others = (part for key, part in bindings.items() if is_variable(key))
    if is_variable(name) and any(same(part, node) for part in others):
        return None
    assert isinstance(node, ast.expr)
    return {**bindings, name: node}


def _match_fields(pattern: ast.AST, node: ast.AST, bindings: Bindings) -> Bindings | None:
    for field in pattern._fields:
        if field in _IGNORED_FIELDS:
            continue
        wanted, given = getattr(pattern, field, None), getattr(node, field, None)
        found: Bindings | None
        if isinstance(wanted, list) and isinstance(given, list):
            found = match_all(wanted, given, bindings)
        elif isinstance(wanted, ast.AST) and isinstance(given, ast.AST):
            found = match(wanted, given, bindings)
        else:
            found = bindings if type(wanted) is type(given) and wanted == given else None
        if found is None:
            return None
        bindings = found
    return bindings


def _turned(node: ast.AST) -> ast.expr | None:
    """A comparison or product with its sides exchanged."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _MIRRORED:
            return ast.Compare(left=right, ops=[_MIRRORED[type(op)]()], comparators=[left])
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return ast.BinOp(left=right, op=ast.Mult(), right=left)
    return None


def _shape(node: ast.AST) -> str:
    text = ast.dump(node)
    return text.replace("ctx=Store()", "ctx=Load()").replace("ctx=Del()", "ctx=Load()")
