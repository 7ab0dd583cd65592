"""Rules that turn explicit loops into the builtin that does the same."""

import ast
from collections.abc import Iterator, Sequence

from workbench.models.rewriting.names import (
    Scope,
    blocks,
    bound,
    changed,
    fresh,
    leaks,
    scopes,
    used,
)
from workbench.models.rewriting.patterns import Bindings, fill, make, replace, same
from workbench.models.rewriting.rule import Example, Rule, name_of, only_if, template


def _number(bindings: Bindings) -> bool:
    value = getattr(bindings["A"], "value", None)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(bindings: Bindings) -> bool:
    return isinstance(getattr(bindings["A"], "value", None), str)


def _same_key(bindings: Bindings) -> bool:
    """Whether the two sides of a comparison are one function of two variables."""
    return same(fill(bindings["E"], {name_of(bindings["item"]): bindings["best"]}), bindings["F"])


def _folds(start: str, step: str, result: str) -> tuple[Example, Example]:
    """A loop that folds E into a variable, with and without a condition."""
    given = only_if(_text if "join" in result else _number)
    return (
        Example(
            f"{start}\nfor item in XS:\n    {step}",
            f"{result.format('E for item in XS')}",
            given,
        ),
        Example(
            f"{start}\nfor item in XS:\n    if C:\n        {step}",
            f"{result.format('E for item in XS if C')}",
            given,
        ),
    )


def _extremes(word: str, sign: str) -> tuple[Example, ...]:
    """A loop that keeps the largest or smallest, with or without a key."""
    result = f"best = {word}(A, {word}((E for item in XS), default=A))"
    return (
        Example(
            f"best = XS[0]\nfor item in XS:\n    if item {sign} best:\n        best = item",
            f"best = {word}(XS)",
        ),
        Example(
            f"best = XS[0]\nfor item in XS:\n    if E {sign} F:\n        best = item",
            f"best = {word}(XS, key=lambda item: E)",
            only_if(_same_key),
            entangled="F",
        ),
        Example(f"best = A\nfor item in XS:\n    if E {sign} best:\n        best = E", result),
        Example(f"best = A\nfor item in XS:\n    best = {word}(best, E)", result),
    )


def _flags(value: bool, result: str) -> tuple[Example, ...]:
    """A loop that sets a flag or returns as soon as a condition holds."""
    start = f"flag = {not value}\nfor item in XS:\n    if C:\n        flag = {value}"
    returning = f"for item in XS:\n    if C:\n        return {value}\nreturn {not value}"
    return (
        Example(f"{start}\n        break", f"flag = {result}"),
        Example(start, f"flag = {result}"),
        Example(returning, f"return {result}"),
    )


def _iterate_directly(tree: ast.Module) -> bool:
    done = False
    for scope in scopes(tree):
        for loop, body in list(_loops_with_bodies(scope)):
            done = _direct(tree, scope, loop, body) or done
    return done


def _loops_with_bodies(
    scope: Scope,
) -> Iterator[tuple[ast.For | ast.comprehension, list[ast.AST]]]:
    for block in blocks(scope):
        for statement in block:
            if isinstance(statement, ast.For):
                yield statement, list(statement.body)
            for node in ast.walk(statement):
                match node:
                    case (
                        ast.GeneratorExp(elt=elt, generators=[only])
                        | ast.ListComp(elt=elt, generators=[only])
                    ):
                        yield only, [elt, *only.ifs]


def _direct(
    tree: ast.Module, scope: Scope, loop: ast.For | ast.comprehension, body: list[ast.AST]
) -> bool:
    if not isinstance(loop.target, ast.Name):
        return False
    index = loop.target.id
    nodes = [node for part in body for node in ast.walk(part)]
    reads = [node for node in nodes if isinstance(node, ast.Subscript) and _reads(node, index)]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == index]
    if not reads or len(reads) != len(uses):
        return False
    source = reads[0].value
    if any(not same(node.value, source) for node in reads):
        return False
    elements = _elements(loop.iter, source)
    if elements is None or used(source) & {name for part in body for name in bound(part)}:
        return False
    if any(changed(name, part) for part in body for name in used(source)):
        return False
    if isinstance(loop, ast.For) and leaks(scope, index, [loop]):
        return False
    item = ast.Name(fresh(tree, "item"), ast.Load())
    holder: ast.AST = loop if isinstance(loop, ast.For) else tree
    for node in reads:
        replace(holder, node, item)
    loop.target = ast.Name(item.id, ast.Store())
    loop.iter = elements
    return True


def _reads(node: ast.Subscript, index: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Name(id=name), ctx=ast.Load()):
            return name == index
    return False


def _elements(indices: ast.expr, source: ast.expr) -> ast.expr | None:
    """The elements that a range of indices selects from a sequence."""
    match indices:
        case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
            if same(stop, make("len(XS)", XS=source)):
                return source
            return make("XS[:STOP]", XS=source, STOP=stop)
        case ast.Call(func=ast.Name(id="range"), args=[start, stop], keywords=[]):
            return make("XS[START:STOP]", XS=source, START=start, STOP=stop)
    return None


def _count_with_range(tree: ast.Module) -> bool:
    for scope in scopes(tree):
        for block in blocks(scope):
            for position in range(1, len(block)):
                loop = _as_for(scope, block[position - 1], block[position])
                if loop is not None:
                    block[position - 1 : position + 1] = [loop]
                    return True
    return False


def _as_for(scope: Scope, start: ast.stmt, loop: ast.stmt) -> ast.For | None:
    """The `for` loop that an assignment and a counting `while` loop amount to."""
    match start, loop:
        case (
            ast.Assign(targets=[ast.Name(id=index)], value=first),
            ast.While(
                test=ast.Compare(
                    left=ast.Name(id=tested), ops=[ast.Lt() | ast.LtE() as op], comparators=[stop]
                ),
                body=[
                    *body,
                    ast.AugAssign(
                        target=ast.Name(id=stepped),
                        op=ast.Add(),
                        value=ast.Constant(value=int(step)),
                    ),
                ],
                orelse=[],
            ),
        ) if index == tested == stepped and body and step > 0:
            pass
        case _:
            return None
    nodes = [node for part in body for node in ast.walk(part)]
    fixed = {index} | used(stop)
    if any(isinstance(node, ast.Continue) for node in nodes):
        return None
    if any(changed(name, part) for name in fixed for part in body):
        return None
    if leaks(scope, index, [start, loop]):
        return None
    end = make("STOP + 1", STOP=stop) if isinstance(op, ast.LtE) else stop
    arguments: Sequence[ast.expr] = [first, end, ast.Constant(step)]
    if step == 1:
        arguments = arguments[:2]
    call = ast.Call(func=ast.Name("range", ast.Load()), args=list(arguments), keywords=[])
    return ast.For(target=ast.Name(index, ast.Store()), iter=call, body=body, orelse=[])


RULES: tuple[Rule, ...] = (
    template(
        "sum",
        "replaced an adding loop by sum(), which loops in C",
        *_folds("total = A", "total += E", "total = A + sum({})"),
    ),
    template(
        "product",
        "replaced a multiplying loop by math.prod(), which loops in C",
        *_folds("total = A", "total *= E", "total = A * prod({})"),
    ),
    template(
        "join",
        "joined the pieces of a text at once instead of copying it for every piece",
        *_folds("total = A", "total += E", 'total = A + "".join({})'),
    ),
    template(
        "reverse-pieces",
        "reversed the pieces and joined them once instead of putting each in front",
        Example(
            "total = A\nfor item in XS:\n    total = item + total",
            'total = "".join(reversed(XS)) + A',
            only_if(_text),
        ),
    ),
    template(
        "reverse-slice",
        "reversed the text with a slice instead of putting each character in front",
        Example(
            "total = ''\nfor item in XS:\n    total = item + total",
            "total = XS[::-1]",
        ),
        Example("''.join(reversed(XS))", "XS[::-1]"),
    ),
    template(
        "comprehension",
        "built the list in a comprehension instead of appending to it",
        Example("xs = []\nfor item in XS:\n    xs.append(E)", "xs = [E for item in XS]"),
        Example(
            "xs = []\nfor item in XS:\n    if C:\n        xs.append(E)",
            "xs = [E for item in XS if C]",
        ),
    ),
    template("max", "let max() find the largest", *_extremes("max", ">")),
    template("min", "let min() find the smallest", *_extremes("min", "<")),
    template(
        "any",
        "let any() stop at the first hit",
        *_flags(True, "any(C for item in XS)"),
        *_flags(False, "not any(C for item in XS)"),
    ),
    Rule(
        "elements",
        "went through the elements themselves instead of through their indices",
        _iterate_directly,
    ),
    Rule(
        "range",
        "counted with a range instead of by hand",
        _count_with_range,
    ),
)
