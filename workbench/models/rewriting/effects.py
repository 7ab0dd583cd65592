"""Which functions may be called once instead of twice: what else they do, and what they hand on."""

import ast
from collections.abc import Iterator

from workbench.models.rewriting.names import READERS, lists, makes_list

_EFFECTIVE_CALLS = frozenset({"exec", "input", "next", "open", "print", "setattr"})
_HASHABLE = ("bool", "bytes", "float", "frozenset", "int", "str", "tuple")


def has_effects(function: ast.FunctionDef, modules: set[str]) -> bool:
    """Whether a function may do something besides giving a result, or be a generator.

    Args:
        function: what is looked at; functions that it calls are not.
        modules: names of modules whose functions have no effects.
    """
    own = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(function):
        match node:
            case ast.Global() | ast.Nonlocal() | ast.Yield() | ast.YieldFrom():
                return True
            case ast.Call(func=ast.Name(id=name)) if name in _EFFECTIVE_CALLS:
                return True
            case ast.Call(func=ast.Attribute(value=value, attr=method)):
                if method not in READERS and _root(value) not in own | modules | {""}:
                    return True
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store()):
                if _root(node) not in own:
                    return True
    return False


def may_hold_lists(function: ast.FunctionDef) -> bool:
    """Whether a list may be among its arguments, which then have no hash, or be its result."""
    if _takes_lists(function.args, _collections(function)):
        return True
    known = lists(function)
    for node in ast.walk(function):
        match node:
            case ast.Return(value=ast.Name(id=name)) if name in known:
                return True
            case ast.Return(value=ast.expr() as value) if makes_list(value):
                return True
            case ast.Call(func=ast.Name(id=function.name), args=given):
                if any(map(makes_list, given)):
                    return True
    return False


def _takes_lists(parameters: ast.arguments, collections: set[str]) -> bool:
    for parameter in [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]:
        if parameter.annotation is None:
            if parameter.arg in collections:
                return True
        elif not ast.unparse(parameter.annotation).lower().startswith(_HASHABLE):
            return True
    defaults = [*parameters.defaults, *parameters.kw_defaults]
    return any(isinstance(default, ast.List | ast.Dict | ast.Set) for default in defaults)


def _collections(function: ast.FunctionDef) -> set[str]:
    """The variables that are used as only a collection can be."""
    return {name for node in ast.walk(function) for name in _used_as_collection(node)}


def _used_as_collection(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Subscript(value=ast.Name(id=name)):
            yield name
        case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
            yield name
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            yield name
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            yield name


def _root(node: ast.expr) -> str:
    """The variable that an attribute or an element is of; empty if it is of no variable."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
