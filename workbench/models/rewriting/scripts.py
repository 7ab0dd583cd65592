"""Rules for scripts: input, output, fast locals, and work hoisted out of loops."""

import ast

from workbench.models.rewriting.hoist import Plan, hoist
from workbench.models.rewriting.names import (
    Scope,
    bound,
    bring_in_module,
    fresh,
    keeps_meaning,
    scopes,
    used,
)
from workbench.models.rewriting.patterns import expression, make, make_statements, matches, replace
from workbench.models.rewriting.rule import Rule

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def _reads_plainly(tree: ast.Module) -> bool:
    """Whether all input comes from `input()` without a prompt and no end of input is caught."""
    calls = _calls(tree, "input")
    if not calls or any(call.args for call in calls):
        return False
    return keeps_meaning(tree, "input") and not {"EOFError", "stdin"} & _words(tree)


def _words(tree: ast.AST) -> set[str]:
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return used(tree) | attributes


def _read_lines(tree: ast.Module) -> bool:
    if not _reads_plainly(tree) or not keeps_meaning(tree, "sys"):
        return False
    for call in _calls(tree, "input"):
        replace(tree, call, make("sys.stdin.readline().rstrip('\\n')"))
    for text in ("int({})", "{}.split()"):
        before = expression(text.format("sys.stdin.readline().rstrip('\\n')"))
        for node, _ in list(matches(before, tree)):
            replace(tree, node, make(text.format("sys.stdin.readline()")))
    bring_in_module(tree, "sys")
    return True


def _read_all(tree: ast.Module) -> bool:
    if not _reads_plainly(tree) or not keeps_meaning(tree, "sys"):
        return False
    name = fresh(tree, "next_line")
    for call in _calls(tree, "input"):
        replace(tree, call.func, ast.Name(name, ast.Load()))
        call.func = ast.Name(name, ast.Load())
    bring_in_module(tree, "sys")
    start = make_statements("line = iter(sys.stdin.read().split('\\n')).__next__", line=name)
    position = next(number for number, part in enumerate(tree.body) if not _is_header(part, number))
    tree.body[position:position] = start
    return True


def _is_header(part: ast.stmt, number: int) -> bool:
    if number == 0 and isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
        return True
    return isinstance(part, ast.Import | ast.ImportFrom)


def _print_once(tree: ast.Module) -> bool:
    """Collect what an outermost loop prints, and print it joined."""
    if not (keeps_meaning(tree, "print") and keeps_meaning(tree, "str")):
        return False
    for scope in scopes(tree):
        for position, loop in enumerate(scope.body):
            if isinstance(loop, ast.For | ast.While) and _prints_lines(tree, scope, loop):
                output = fresh(tree, "output")
                for call in _calls(loop, "print"):
                    replace(loop, call, _collected(call, output))
                scope.body[position + 1 : position + 1] = make_statements(
                    "if output:\n    print('\\n'.join(output))", output=output
                )
                scope.body[position:position] = make_statements("output = []", output=output)
                return True
    return False


def _prints_lines(tree: ast.Module, scope: Scope, loop: ast.For | ast.While) -> bool:
    """Whether a loop prints whole lines and cannot be left but by its end."""
    calls = _calls(loop, "print")
    plain = all(
        call.args
        and not call.keywords
        and not any(isinstance(part, ast.Starred) for part in call.args)
        for call in calls
    )
    if not calls or not plain or _words(loop) & {"exit", "quit", "stdout"}:
        return False
    if any(isinstance(node, ast.Return | ast.FunctionDef | ast.Try) for node in ast.walk(loop)):
        return False
    others = [
        part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef) and part is not scope
    ]
    return not any(_calls(function, "print") for function in others)


def _collected(call: ast.Call, output: str) -> ast.expr:
    if len(call.args) == 1:
        return make("output.append(str(E))", output=output, E=call.args[0])
    parts = ast.Tuple(elts=call.args, ctx=ast.Load())
    return make("output.append(' '.join(map(str, E)))", output=output, E=parts)


def _wrap(tree: ast.Module) -> bool:
    """Move the statements of a script into a function, whose variables are faster."""
    script = [part for number, part in enumerate(tree.body) if not _stays(part, number)]
    if not any(isinstance(part, ast.For | ast.While) for part in script) and not any(
        isinstance(node, ast.comprehension) for part in script for node in ast.walk(part)
    ):
        return False
    variables = {name for part in script for name in bound(part)}
    definitions = [part for number, part in enumerate(tree.body) if _stays(part, number)]
    if any(variables & used(part) for part in definitions if not isinstance(part, ast.Import)):
        return False
    name = fresh(tree, "main")
    [function, call] = make_statements(f"def {name}():\n    pass\n{name}()")
    assert isinstance(function, ast.FunctionDef)
    function.body = script
    tree.body = [*definitions, function, call]
    return True


def _stays(part: ast.stmt, number: int) -> bool:
    if isinstance(part, _DEFINITIONS) or _is_header(part, number):
        return True
    # Settings must be made before the functions that follow them are used.
    return isinstance(part, ast.Expr) and "setrecursionlimit" in ast.dump(part)


def _length(_: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return Plan(source=name, wish="size", prepare="ready = len(xs)", use=make("ready"))
    return None


def _method(_: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="append" | "popleft" | "add" as attr)
        ):
            use = ast.Call(func=make("ready"), args=node.args, keywords=node.keywords)
            return Plan(
                source=name,
                wish=f"{name}_{attr}",
                prepare=f"ready = xs.{attr}",
                use=use,
                contents=False,
            )
    return None


RULES: tuple[Rule, ...] = (
    Rule("read-lines", "read lines from sys.stdin, which is faster than input()", _read_lines),
    Rule("read-all", "read the whole input at once", _read_all),
    Rule("print-once", "collected the lines and printed them at once", _print_once),
    Rule("main", "moved the script into a function, whose variables are faster", _wrap),
    Rule("hoist-len", "took the length once, before the loop", lambda tree: hoist(tree, _length)),
    Rule(
        "hoist-method",
        "looked the method up once, before the loop",
        lambda tree: hoist(tree, _method),
    ),
)
