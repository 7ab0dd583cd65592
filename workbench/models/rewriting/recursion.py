"""Rules for functions that call themselves."""

import ast
import copy
from collections.abc import Iterator

from workbench.models.rewriting.names import (
    bound,
    bring_in,
    bring_in_module,
    changed,
    fresh,
    keeps_meaning,
    used,
)
from workbench.models.rewriting.patterns import make, make_statements
from workbench.models.rewriting.rule import Rule

_DEPTH = 1_000_000


def _self_calls(function: ast.FunctionDef) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == function.name
    ]


def _recursive(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for part in tree.body:
        if isinstance(part, ast.FunctionDef) and _self_calls(part):
            yield part


def _pure(function: ast.FunctionDef) -> bool:
    """Whether a function does nothing but compute, as far as its text shows."""
    arguments = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        match node:
            case ast.Global() | ast.Nonlocal() | ast.Yield() | ast.YieldFrom():
                return False
            case ast.Call(func=ast.Name(id="print" | "input")):
                return False
    outside = used(function) - bound(function)
    return not any(changed(name, part) for name in outside | arguments for part in function.body)


def _memoise(tree: ast.Module) -> bool:
    done = False
    for function in list(_recursive(tree)):
        plain = not (function.decorator_list or function.args.kwarg or function.args.vararg)
        if plain and len(_self_calls(function)) > 1 and _pure(function):
            if not keeps_meaning(tree, "lru_cache"):
                return False
            function.decorator_list = [make("lru_cache(maxsize=None)")]
            bring_in(tree, "lru_cache")
            done = True
    return done


def _deepen(tree: ast.Module) -> bool:
    if not any(_recursive(tree)) or "setrecursionlimit" in ast.dump(tree):
        return False
    bring_in_module(tree, "sys")
    position = next(
        (
            number
            for number, part in enumerate(tree.body)
            if not isinstance(part, ast.Import | ast.ImportFrom)
            and not (number == 0 and _is_docstring(part))
        ),
        len(tree.body),
    )
    tree.body[position:position] = make_statements(f"sys.setrecursionlimit({_DEPTH})")
    return True


def _is_docstring(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _tabulate(tree: ast.Module) -> bool:
    """Compute f(0), f(1), ... in a loop where f(n) needs only f(n - 1), f(n - 2), ..."""
    for function in _recursive(tree):
        steps = _steps(function)
        if steps and _pure(function):
            first = _first_argument(function, max(steps))
            if first is not None:
                _fill_table(tree, function, first)
                return True
    return False


def _steps(function: ast.FunctionDef) -> list[int]:
    """How far back the calls reach, if every one is of the form f(n - constant)."""
    if len(function.args.args) != 1 or function.args.kwonlyargs:
        return []
    steps = []
    for call in _self_calls(function):
        match call:
            case ast.Call(
                args=[
                    ast.BinOp(
                        left=ast.Name(id=name), op=ast.Sub(), right=ast.Constant(value=int(step))
                    )
                ],
                keywords=[],
            ) if name == function.args.args[0].arg and step > 0:
                steps.append(step)
            case _:
                return []
    return steps


def _first_argument(function: ast.FunctionDef, reach: int) -> int | None:
    """The smallest argument to start the table from, read off the conditions at the top."""
    argument = function.args.args[0].arg
    starts: list[int] = []
    for part in function.body[:-1]:
        match part:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=int(value))]
                ),
                body=[ast.Return(value=ast.expr())],
                orelse=[],
            ) if name == argument:
                match op:
                    case ast.Eq():
                        starts.append(value)
                    case ast.Lt():
                        starts.append(value - reach)
                    case ast.LtE():
                        starts.append(value + 1 - reach)
                    case _:
                        return None
            case _:
                return None
    return min(starts, default=None)


def _fill_table(tree: ast.Module, function: ast.FunctionDef, first: int) -> None:
    argument = function.args.args[0].arg
    limit, known = fresh(tree, "limit"), fresh(tree, "known")
    body = [_stored(part, function.name, argument, known) for part in function.body]
    for position in reversed(range(len(body) - 1)):
        branch = body[position]
        assert isinstance(branch, ast.If)
        branch.orelse = body[position + 1 :]
        del body[position + 1 :]
    loop = make_statements(
        f"limit = n\nknown = {{}}\nfor n in range(min({first}, limit), limit + 1):\n    pass\n"
        "return known[limit]",
        n=argument,
        limit=limit,
        known=known,
    )
    assert isinstance(loop[2], ast.For)
    loop[2].body = body
    function.body = loop


def _stored(part: ast.stmt, name: str, argument: str, known: str) -> ast.stmt:
    """The statement with results kept in the table, and calls looked up there."""

    class Keeper(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> ast.stmt:
            assert node.value is not None
            value = self.visit(node.value)
            return make_statements("known[n] = VALUE", known=known, n=argument, VALUE=value)[0]

        def visit_Call(self, node: ast.Call) -> ast.expr:
            if isinstance(node.func, ast.Name) and node.func.id == name:
                return make("known[KEY]", known=known, KEY=node.args[0])
            self.generic_visit(node)
            return node

    kept = Keeper().visit(copy.deepcopy(part))
    assert isinstance(kept, ast.stmt)
    return kept


RULES: tuple[Rule, ...] = (
    Rule("memoise", "remembered the results of the recursive function", _memoise),
    Rule("tabulate", "filled a table from the bottom instead of recursing", _tabulate),
    Rule("deep-recursion", "raised the recursion limit", _deepen),
)
