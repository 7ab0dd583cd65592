"""Names in a program: which are used, bound and changed, and how new ones come in."""

import ast
import builtins
from collections.abc import Iterator

IMPORTS = {
    "Counter": "from collections import Counter",
    "accumulate": "from itertools import accumulate",
    "deque": "from collections import deque",
    "isqrt": "from math import isqrt",
    "lru_cache": "from functools import lru_cache",
}
"""The names that rewrites bring in, and how."""

READERS = frozenset({"count", "endswith", "get", "index", "items", "join", "keys", "startswith"})
"""Methods that leave alone what they are called on."""

# They leave alone what they are given, as builtin functions do but for those that consume it.
_SPARING = READERS | {"accumulate", "bisect", "bisect_left", "bisect_right", "Counter", "deque"}
_CONSUMERS = frozenset({"delattr", "exec", "next", "setattr"})
_LIST_MAKERS = frozenset({"list", "sorted"})
_LIST_METHODS = frozenset({"split", "splitlines", "readlines", "most_common"})


def is_builtin(name: str) -> bool:
    """Whether Python itself gives the name its meaning."""
    return hasattr(builtins, name)


def used(node: ast.AST) -> set[str]:
    """Every name that occurs in a node, bound or read."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def bound(node: ast.AST) -> set[str]:
    """Every name that a node binds: by assignment, loop, import, definition or parameter."""
    names: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=alias):
                names.add(alias or name.partition(".")[0])
    return names


def changed(node: ast.AST) -> set[str]:
    """Every name that a node rebinds, or may change in place what it refers to."""
    names = bound(node)
    for part in ast.walk(node):
        match part:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method not in READERS:
                names.add(name)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if _is_sparing(name):
                pass
            case ast.Call(args=given, keywords=named):
                values = [*given, *(keyword.value for keyword in named)]
                names.update(value.id for value in values if isinstance(value, ast.Name))
    return names


def _is_sparing(function: str) -> bool:
    return function in _SPARING or (is_builtin(function) and function not in _CONSUMERS)


def lists(tree: ast.AST, *, parameters: bool = False) -> set[str]:
    """Every variable that is evidently a list wherever it is set.

    Args:
        tree: the program.
        parameters: whether a parameter counts as one unless it is annotated as something else.
    """
    names: set[str] = set()
    others: set[str] = set()
    neutral: set[ast.AST] = set()
    for part in ast.walk(tree):
        match part:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                neutral.add(target)
                (names if makes_list(value) else others).add(name)
            case ast.AnnAssign(target=ast.Name(id=name) as target, annotation=annotation):
                neutral.add(target)
                (names if _says_list(annotation) else others).add(name)
            case ast.AugAssign(target=ast.Name() as target):
                neutral.add(target)  # it stays what it was
            case ast.arg(arg=name, annotation=annotation):
                fits = _says_list(annotation) if annotation is not None else parameters
                (names if fits else others).add(name)
            case ast.Name(id=name, ctx=ast.Store()) if part not in neutral:
                others.add(name)
    return names - others


def makes_list(value: ast.expr) -> bool:
    """Whether an expression evidently gives a list."""
    match value:
        case ast.List() | ast.ListComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _LIST_MAKERS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _LIST_METHODS
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return makes_list(left) or makes_list(right)
    return False


def _says_list(annotation: ast.expr) -> bool:
    return ast.unparse(annotation).lower().startswith("list")


def fresh(tree: ast.AST, wish: str) -> str:
    """A name like `wish` that the program does not use yet."""
    taken = used(tree) | bound(tree)
    name, number = wish, 2
    while name in taken or is_builtin(name):
        name, number = f"{wish}_{number}", number + 1
    return name


def preface(tree: ast.Module, text: str) -> None:
    """Put statements in front of a program, but for those that it has already."""
    present = {ast.unparse(part) for part in tree.body}
    missing = [part for part in ast.parse(text).body if ast.unparse(part) not in present]
    position = 0
    for part in tree.body:
        match part:
            # A docstring and imports from the future must stay the first.
            case ast.Expr(value=ast.Constant(value=str())) | ast.ImportFrom(module="__future__"):
                position += 1
            case _:
                break
    tree.body[position:position] = missing


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statement lists of a program, outer ones first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block
