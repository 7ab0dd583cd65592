"""Work done again and again in a loop, moved in front of it."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.models.rewriting.names import (
    MODULES,
    Scope,
    aliased,
    blocks,
    bound,
    bring_in,
    changed,
    fresh,
    keeps_meaning,
    scopes,
    used,
)
from workbench.models.rewriting.patterns import fill, make_statements, replace

_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How one expression is looked up in something prepared before the loop.

    Attributes:
        source: the variable that it is prepared from, `xs` in the texts.
        wish: what to call the prepared thing, `ready` in the texts.
        prepare: statements that prepare it.
        use: the expression that takes the place of the one found.
        fixed: names that must not change in the loop either.
        contents: whether the contents of the source must stay the same, or only the variable.
    """

    source: str
    wish: str
    prepare: str
    use: ast.expr
    fixed: frozenset[str] = frozenset()
    contents: bool = True


Finder = Callable[[Scope, ast.AST], Plan | None]


def hoist(tree: ast.Module, find: Finder) -> bool:
    """Apply a finder to all that is repeated; prepare before the outermost loop that allows it."""
    for scope in scopes(tree):
        for block in blocks(scope):
            for position, statement in enumerate(block):
                plans = [
                    (node, plan)
                    for node in _repeated(statement)
                    if (plan := find(scope, node)) and _allows(scope, statement, plan)
                ]
                if plans and _carry_out(tree, block, position, plans):
                    return True
    return False


def _repeated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that run more than once each time that it runs."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return
    seen: set[int] = set()
    for loop in ast.walk(statement):
        for part in _inner(loop):
            for node in ast.walk(part):
                if id(node) not in seen:
                    seen.add(id(node))
                    yield node


def _inner(loop: ast.AST) -> list[ast.AST]:
    match loop:
        case ast.For(body=body):
            return list(body)
        case ast.While(test=test, body=body):
            return [test, *body]
        case ast.Lambda(body=value):
            return [value]
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return [part for part in ast.iter_child_nodes(loop) if part not in loop.generators] + [
                part for comprehension in loop.generators for part in comprehension.ifs
            ]
    return []


def _allows(scope: Scope, statement: ast.stmt, plan: Plan) -> bool:
    names = bound(statement)
    if plan.source in names or plan.fixed & names:
        return False
    same_contents = not changed(plan.source, statement) and not aliased(plan.source, scope)
    return same_contents or not plan.contents


def _carry_out(
    tree: ast.Module, block: list[ast.stmt], position: int, plans: list[tuple[ast.AST, Plan]]
) -> bool:
    """Prepare for the first plan, and use it for all that ask for the same."""
    first = plans[0][1]
    helpers = sorted(
        name for part in make_statements(first.prepare) for name in used(part) if name in MODULES
    )
    if not all(keeps_meaning(tree, name) for name in helpers):
        return False
    ready = ast.Name(fresh(tree, first.wish), ast.Load())
    for node, plan in plans:
        if (plan.source, plan.prepare) == (first.source, first.prepare):
            replace(block[position], node, fill(plan.use, {"ready": ready}))
    others = {
        name: fresh(tree, name)
        for part in make_statements(first.prepare)
        for name in bound(part) - {"ready"}
    }
    block[position:position] = make_statements(
        first.prepare, ready=ready, xs=first.source, **others
    )
    for name in helpers:
        bring_in(tree, name)
    return True
