"""The rule: one way of rewriting programs. Most are written as examples, before and after."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.models.rewriting.names import (
    IMPORTS,
    blocks,
    bound,
    changed,
    fresh,
    is_builtin,
    lists,
    preface,
    used,
)
from workbench.models.rewriting.patterns import (
    Bindings,
    expression,
    fill,
    match_all,
    matches,
    replace,
    statements,
)

# What these stand for may use the loop variable of the pattern; nothing else may.
_OF_EACH = frozenset({"C", "E", "F"})
_LOOKUPS = frozenset({"Counter", "defaultdict", "dict", "frozenset", "set"})


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


@dataclass(frozen=True)
class Example:
    """Before and after, as Python text with the placeholders of `patterns`.

    Attributes:
        before: what is looked for, one expression or statements that follow one another.
            What C, E or F stands for may use the variable that the pattern's loop runs over.
        after: what is put there.
        prepare: if given, `before` is looked for where it is done again and again, and this
            assignment is put in front of the outermost loop in which `xs` stays the same.
        of_list: whether `xs` must evidently be a list, since texts, views or iterators differ.
        of_parameter: whether a parameter may be taken for one then.
    """

    before: str
    after: str
    prepare: str = ""
    of_list: bool = False
    of_parameter: bool = False


def template(name: str, reason: str, *examples: Example) -> Rule:
    """A rule that does what its examples do, wherever it can."""

    def rewrite(tree: ast.Module) -> bool:
        taken = bound(tree)
        applied = [_apply(tree, example, taken) for example in examples]
        return any(applied)

    return Rule(name, reason, rewrite)


def name_of(part: ast.expr) -> str:
    """The identifier of what a variable placeholder is bound to."""
    assert isinstance(part, ast.Name)
    return part.id


def _apply(tree: ast.Module, example: Example, taken: set[str]) -> bool:
    text = "\n".join((example.before, example.prepare, example.after))
    names = {name for part in statements(text) for name in used(part)}
    if taken & {name for name in names if is_builtin(name)}:
        return False
    if example.prepare:
        done = _prepare(tree, example)
    elif isinstance(statements(example.before)[0], ast.Expr):
        done = _replace_expressions(tree, example)
    else:
        done = _replace_statements(tree, example)
    if done:
        for name in sorted(names & IMPORTS.keys()):
            preface(tree, IMPORTS[name])
    return done


def _replace_expressions(tree: ast.Module, example: Example) -> bool:
    before, after = expression(example.before), expression(example.after)
    suits = _suiting(tree, example)
    found = matches(before, ast.walk(tree))
    new = {
        node: fill(after, parts) for node, parts in found if _fits([before], parts) and suits(parts)
    }
    replace(tree, new)
    return bool(new)


def _replace_statements(tree: ast.Module, example: Example) -> bool:
    before, after = statements(example.before), statements(example.after)
    done = False
    suits = _suiting(tree, example)
    for block in blocks(tree):
        for start in range(len(block)):
            end = start + len(before)
            found = match_all(before, block[start:end], {})
            if found is not None and _fits(before, found) and suits(found):
                block[start:end] = [fill(part, found) for part in after]
                done = True
    return done


def _suiting(tree: ast.Module, example: Example) -> Callable[[Bindings], bool]:
    """Whether what `xs` stands for is the list that an example asks for."""
    if not example.of_list:
        return lambda _: True
    known = lists(tree, parameters=example.of_parameter)
    return lambda found: name_of(found["xs"]) in known


def _fits(before: Sequence[ast.AST], found: Bindings) -> bool:
    """Whether what placeholders stand for is free of the variables that the pattern sets."""
    pattern = [node for part in before for node in ast.walk(part)]
    variables = {name for part in before for name in bound(part)}
    loops = {
        name
        for node in pattern
        if isinstance(node, ast.For | ast.comprehension)
        for name in bound(node.target)
    }
    for hole, part in found.items():
        own = variables - loops if hole in _OF_EACH else variables
        if hole.isupper() and used(part) & {name_of(found[name]) for name in own}:
            return False
    return True


def _prepare(tree: ast.Module, example: Example) -> bool:
    before, after = expression(example.before), expression(example.after)
    [prepare] = statements(example.prepare)
    [ready] = bound(prepare)
    lookups = set(_lookups(tree))
    suits = _suiting(tree, example)
    for block in blocks(tree):
        for position, statement in enumerate(block):
            sites = [
                site
                for site in matches(before, _repeated(statement))
                if suits(site[1]) and not _from_the_end(site[1])
            ]
            unfit = lookups | changed(statement) if sites else lookups
            sources = [name for _, found in sites if (name := name_of(found["xs"])) not in unfit]
            if not sources:
                continue
            source = sources[0]
            name = fresh(tree, ready.replace("xs", source))
            new = {"xs": ast.Name(source, ast.Load()), ready: ast.Name(name, ast.Load())}
            same_source = [site for site in sites if name_of(site[1]["xs"]) == source]
            replace(statement, {node: fill(after, {**found, **new}) for node, found in same_source})
            block.insert(position, fill(prepare, new))
            return True
    return False


def _from_the_end(found: Bindings) -> bool:
    """Whether a slice's bound counts from the end, where what is prepared has other places."""
    return any(isinstance(found.get(bound), ast.UnaryOp) for bound in ("A", "B"))


def _repeated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that may run more than once each time that it runs."""
    seen: set[ast.AST] = set()
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return
    for loop in ast.walk(statement):
        parts: list[ast.AST] = []
        match loop:
            case ast.For(body=body):
                parts = [*body]
            case ast.While(test=test, body=body):
                parts = [test, *body]
            case ast.Lambda(body=value):
                parts = [value]
            case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each) | ast.SetComp(elt=each):
                parts = [each, *(test for part in loop.generators for test in part.ifs)]
        # Outer loops come first, and what they repeat holds all that inner ones do.
        new = [node for part in parts if part not in seen for node in ast.walk(part)]
        seen.update(new)
        yield from new


def _lookups(tree: ast.Module) -> Iterator[str]:
    """The variables that are set to something that is fast to search already."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                match value:
                    case ast.Dict() | ast.Set() | ast.DictComp() | ast.SetComp():
                        yield name
                    case ast.Call(func=ast.Name(id=maker)) if maker in _LOOKUPS:
                        yield name
