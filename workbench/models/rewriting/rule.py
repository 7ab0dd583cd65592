"""The rule: one way of rewriting programs. Templates are rules that are written as examples."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from workbench.models.rewriting.names import (
    MODULES,
    Scope,
    blocks,
    bound,
    bring_in,
    fresh,
    is_builtin,
    keeps_meaning,
    leaks,
    scopes,
    used,
)
from workbench.models.rewriting.patterns import (
    Bindings,
    fill,
    is_hole,
    is_variable,
    match,
    match_all,
    matches,
    replace,
    statements,
)

_MOST_SITES = 20
# An initialisation and its loop may stand this many assignments apart.
_GAP = 4


@dataclass(frozen=True)
class Rule:
    """A general rewrite.

    Attributes:
        name: short and unique, with dashes.
        reason: why a program gains by it, as the end of a sentence that starts with "I".
        rewrite: changes a tree in place and says whether it did; may assume that the tree is
            the caller's own and was parsed from text.
    """

    name: str
    reason: str
    rewrite: Callable[[ast.Module], bool]


Given = Callable[[Bindings], Bindings | None]


@dataclass(frozen=True)
class Example:
    """Before and after, as Python text with the placeholders of `patterns`.

    Several statements must follow one another; only assignments that have nothing to do with
    the first may stand after it. Names that are new in `after` are made unique.

    Attributes:
        before: what is looked for.
        after: what is put there.
        given: what else must hold; returns the bindings, to which it may add, or None.
        entangled: placeholders whose expression may use a variable that the pattern changes.
    """

    before: str
    after: str
    given: Given = lambda bindings: bindings
    entangled: str = ""


def only_if(condition: Callable[[Bindings], bool]) -> Given:
    """A `given` that adds nothing."""
    return lambda bindings: bindings if condition(bindings) else None


def apart(hole: str, *variables: str) -> Given:
    """Holds where the expression uses none of the variables."""
    return only_if(lambda found: not used(found[hole]) & {name_of(found[v]) for v in variables})


def template(name: str, reason: str, *examples: Example) -> Rule:
    """A rule that does what its examples do, wherever it can."""

    def rewrite(tree: ast.Module) -> bool:
        applied = [_apply(tree, example) for example in examples]
        return any(applied)

    return Rule(name, reason, rewrite)


def name_of(part: ast.expr) -> str:
    """The identifier of what a variable placeholder is bound to."""
    assert isinstance(part, ast.Name)
    return part.id


def _apply(tree: ast.Module, example: Example) -> bool:
    before, after = statements(example.before), statements(example.after)
    if not _fixed_names(example.before) <= used(tree):
        return False
    fixed = _fixed_names(example.before) | _fixed_names(example.after)
    if not all(keeps_meaning(tree, name) for name in fixed):
        return False
    once = _replace_expression if _is_expression(before) else _replace_statements
    sites = 0
    while sites < _MOST_SITES and once(tree, before, after, example):
        sites += 1
    if sites:
        for name in sorted(_fixed_names(example.after) & MODULES.keys()):
            bring_in(tree, name)
    return sites > 0


@cache
def _fixed_names(text: str) -> frozenset[str]:
    """The names in a pattern that stand for themselves."""
    names = {name for part in statements(text) for name in used(part)}
    return frozenset(name for name in names if is_builtin(name) or name in MODULES)


def _is_expression(before: Sequence[ast.stmt]) -> bool:
    return len(before) == 1 and isinstance(before[0], ast.Expr)


def _replace_expression(
    tree: ast.Module, before: Sequence[ast.stmt], after: Sequence[ast.stmt], example: Example
) -> bool:
    [sought] = before
    assert isinstance(sought, ast.Expr)
    for node, found in matches(sought.value, tree):
        bindings = example.given(found)
        if bindings is not None:
            [put] = _filled(tree, after, bindings)
            assert isinstance(put, ast.Expr)
            replace(tree, node, put.value)
            return True
    return False


def _replace_statements(
    tree: ast.Module, before: Sequence[ast.stmt], after: Sequence[ast.stmt], example: Example
) -> bool:
    for scope in scopes(tree):
        for block in blocks(scope):
            for site in _sites(block, before):
                if not _fits(scope, before, site, example.entangled):
                    continue
                bindings = example.given(site.bindings)
                if bindings is not None:
                    put = _filled(tree, after, bindings)
                    block[site.start : site.end] = [*site.gap, *put]
                    return True
    return False


@dataclass(frozen=True)
class _Site:
    """Statements of a block that match: `gap` are those among them that are kept."""

    start: int
    end: int
    gap: list[ast.stmt]
    matched: list[ast.stmt]
    bindings: Bindings


def _sites(block: list[ast.stmt], before: Sequence[ast.stmt]) -> Iterator[_Site]:
    for start in range(len(block)):
        first = match(before[0], block[start], {})
        if first is None:
            continue
        widest = _GAP if len(before) > 1 and isinstance(before[0], ast.Assign) else 0
        for width in range(widest + 1):
            gap = block[start + 1 : start + 1 + width]
            if not all(_may_swap(part, block[start]) for part in gap):
                break
            rest = block[start + 1 + width : start + width + len(before)]
            found = match_all(before[1:], rest, first)
            if found is not None:
                end = start + width + len(before)
                yield _Site(start, end, gap, [block[start], *rest], found)
                break


def _may_swap(part: ast.stmt, first: ast.stmt) -> bool:
    """Whether an assignment may trade places with the one before it."""
    return (
        isinstance(part, ast.Assign)
        and not bound(first) & used(part)
        and not bound(part) & used(first)
    )


def _fits(scope: Scope, before: Sequence[ast.stmt], site: _Site, entangled: str) -> bool:
    """Whether only the pattern itself touches what it changes, and no loop variable is lost."""
    pattern = ast.Module(body=list(before), type_ignores=[])
    loops = {
        name
        for loop in ast.walk(pattern)
        if isinstance(loop, ast.For)
        for name in bound(loop.target)
    }
    stored = {name for name in bound(pattern) - loops if is_variable(name)}
    own = {name_of(site.bindings[name]) for name in stored}
    for name, part in site.bindings.items():
        if is_hole(name) and (_suspends(part) or (used(part) & own and name not in entangled)):
            return False
    return not any(
        leaks(scope, name_of(site.bindings[name]), site.matched)
        for name in loops
        if is_variable(name)
    )


def _suspends(part: ast.AST) -> bool:
    kinds = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
    return any(isinstance(node, kinds) for node in ast.walk(part))


def _filled(tree: ast.Module, after: Sequence[ast.stmt], bindings: Bindings) -> list[ast.stmt]:
    new = {
        name: ast.Name(fresh(tree, name), ast.Load())
        for part in after
        for name in sorted(used(part) | bound(part))
        if is_variable(name) and name not in bindings
    }
    filled = [fill(part, {**bindings, **new}) for part in after]
    return [part for part in filled if isinstance(part, ast.stmt)]
