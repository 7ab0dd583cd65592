"""Names in a program: which are bound, used and changed where, and how to add new ones."""

import ast
import builtins
from collections import deque
from collections.abc import Iterator, Sequence

Scope = ast.Module | ast.FunctionDef

MODULES = {
    "Counter": "collections",
    "accumulate": "itertools",
    "bisect_left": "bisect",
    "bisect_right": "bisect",
    "deque": "collections",
    "factorial": "math",
    "gcd": "math",
    "insort": "bisect",
    "isqrt": "math",
    "lru_cache": "functools",
    "prod": "math",
}
"""Where the names that rewrites bring in are imported from."""

_LOOPS = (ast.For, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_MUTATORS = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "update",
    ]
)


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
            case ast.Global(names=listed) | ast.Nonlocal(names=listed):
                names.update(listed)
    return names


def changed(name: str, node: ast.AST) -> bool:
    """Whether a node rebinds a name, or changes in place what it refers to."""
    for part in ast.walk(node):
        match part:
            case ast.Subscript(value=ast.Name(id=target), ctx=ast.Store() | ast.Del()):
                if target == name:
                    return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr=method)):
                if target == name and method in _MUTATORS:
                    return True
    return name in bound(node)


def aliased(name: str, scope: Scope) -> bool:
    """Whether a method that changes the variable's object is handed on without being called."""
    nodes = list(within(scope))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.attr in _MUTATORS
        and id(node) not in called
        for node in nodes
    )


def fresh(tree: ast.AST, wish: str) -> str:
    """A name like `wish` that the program does not use yet."""
    taken = used(tree) | bound(tree)
    name, number = wish, 2
    while name in taken or is_builtin(name):
        name, number = f"{wish}_{number}", number + 1
    return name


def keeps_meaning(tree: ast.Module, name: str) -> bool:
    """Whether a builtin or importable name can be used in a program without clashing."""
    if name in MODULES:
        return name not in bound(tree) or _imported(tree, name)
    return name not in bound(tree)


def bring_in(tree: ast.Module, name: str) -> None:
    """Import a name of `MODULES`, unless that is done already."""
    if not _imported(tree, name):
        statement = ast.ImportFrom(module=MODULES[name], names=[ast.alias(name=name)], level=0)
        tree.body.insert(_after_header(tree), statement)


def bring_in_module(tree: ast.Module, module: str) -> None:
    """Import a module by its name, unless that is done already."""
    for part in tree.body:
        if isinstance(part, ast.Import) and any(
            alias.name == module and alias.asname is None for alias in part.names
        ):
            return
    statement = ast.Import(names=[ast.alias(name=module)])
    tree.body.insert(_after_header(tree), statement)


def scopes(tree: ast.Module) -> Iterator[Scope]:
    """The module and every function in it."""
    yield tree
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            yield part


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of functions and classes defined in it."""
    waiting = deque(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.popleft()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            waiting.extend(ast.iter_child_nodes(node))


def blocks(scope: Scope) -> Iterator[list[ast.stmt]]:
    """The statement lists of a scope, outer ones first."""
    yield scope.body
    for node in within(scope):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def leaks(scope: Scope, name: str, inside: Sequence[ast.AST]) -> bool:
    """Whether a loop variable is read outside some nodes, where no other loop binds it."""
    own = {id(node) for part in inside for node in ast.walk(part)}
    for loop in within(scope):
        if isinstance(loop, _LOOPS) and name in bound(loop):
            own.update(id(node) for node in ast.walk(loop))
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in own
        for node in within(scope)
    )


def _imported(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(part, ast.ImportFrom)
        and part.module == MODULES[name]
        and any(alias.name == name and alias.asname is None for alias in part.names)
        for part in tree.body
    )


def _after_header(tree: ast.Module) -> int:
    """Where a first import may stand: after the docstring and imports from the future."""
    position = 0
    for part in tree.body:
        match part:
            case ast.Expr(value=ast.Constant(value=str())) if position == 0:
                position += 1
            case ast.ImportFrom(module="__future__"):
                position += 1
            case _:
                break
    return position
