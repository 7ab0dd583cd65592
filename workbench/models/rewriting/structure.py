"""The rules that no example shows, for they look at a whole loop, function or program."""

import ast
from collections.abc import Iterator, Sequence

from workbench.models.rewriting.effects import has_effects, may_hold_lists
from workbench.models.rewriting.names import bound, changed, fresh, preface, used
from workbench.models.rewriting.patterns import expression, fill, match, matches, replace, same
from workbench.models.rewriting.rule import Rule, name_of

_FAST_INPUT = "import sys\ninput = iter(sys.stdin.read().split('\\n')).__next__"
_PURE_MODULES = frozenset({"bisect", "functools", "itertools", "math", "operator", "string"})
_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def _iterate_directly(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.For():
                done = not _read_outside(tree, node) and _direct(tree, node, node.body)
            case ast.GeneratorExp(generators=[loop]) | ast.ListComp(generators=[loop]):
                done = _direct(tree, loop, [node.elt, *loop.ifs])
            case _:
                done = False
        if done:
            return True
    return False


def _read_outside(tree: ast.Module, loop: ast.For) -> bool:
    """Whether the loop's variable is read where no loop has set it anew, as after a search."""
    names = bound(loop.target)
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.For(target=target, body=body) if bound(target) >= names:
                inside.update(part for statement in body for part in ast.walk(statement))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                if names <= {name for each in node.generators for name in bound(each.target)}:
                    inside.update(ast.walk(node))
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
        for node in ast.walk(tree)
        if node not in inside
    )


def _direct(tree: ast.Module, loop: ast.For | ast.comprehension, body: Sequence[ast.AST]) -> bool:
    """Let a loop run over the elements if its index serves to read them and nothing else."""
    found = match(expression("range(len(xs))"), loop.iter, {})
    if found is None or not isinstance(loop.target, ast.Name):
        return False
    wanted = fill(expression("xs[i]"), {**found, "i": loop.target})
    nodes = [node for part in body for node in ast.walk(part)]
    reads = [node for node in nodes if isinstance(node, ast.Subscript) and same(node, wanted)]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == loop.target.id]
    if not reads or len(reads) != len(uses):
        return False
    if any(name_of(found["xs"]) in changed(part) for part in body):
        return False
    item = fresh(tree, "item")
    replace(tree, {node: ast.Name(item, ast.Load()) for node in reads})
    loop.target, loop.iter = ast.Name(item, ast.Store()), found["xs"]
    return True


def _queue(tree: ast.Module) -> bool:
    """Turn lists that are popped at the front into deques."""
    pops = list(matches(expression("xs.pop(0)"), ast.walk(tree)))
    popped = {name_of(found["xs"]) for _, found in pops}
    made = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in popped:
                node.value = fill(expression("deque(E)"), {"E": value})
                made.add(name)
    new = {
        pop: fill(expression("xs.popleft()"), found)
        for pop, found in pops
        if name_of(found["xs"]) in made
    }
    if new:
        replace(tree, new)
        preface(tree, "from collections import deque")
    return bool(new)


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def _memoise(tree: ast.Module) -> bool:
    every = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    modules = {name for node in ast.walk(tree) for name in _pure_modules(node)}
    effective = {function.name for function in every if has_effects(function, modules)}
    functions = [
        node
        for node in every
        if not node.decorator_list
        and len(_calls(node, node.name)) > 1
        and not any(_calls(node, name) for name in effective)
        and not may_hold_lists(node)
    ]
    for function in functions:
        function.decorator_list = [fill(expression("lru_cache(maxsize=None)"), {})]
    if functions:
        preface(tree, "from functools import lru_cache")
    return bool(functions)


def _pure_modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name in _PURE_MODULES:
                yield alias.asname or alias.name


def _read_at_once(tree: ast.Module) -> bool:
    calls = _calls(tree, "input")
    if not calls or any(call.args for call in calls) or "input" in bound(tree):
        return False
    # Others may read as well, or wait for the end of the input.
    if "stdin" in ast.dump(tree) or "EOFError" in used(tree):
        return False
    preface(tree, _FAST_INPUT)
    return True


def _wrap(tree: ast.Module) -> bool:
    """Move the statements of a script into a function, whose variables are faster."""
    stays = [
        isinstance(part, _DEFINITIONS) or (position == 0 and isinstance(part, ast.Expr))
        for position, part in enumerate(tree.body)
    ]
    script = [part for part, stay in zip(tree.body, stays, strict=True) if not stay]
    kept = [part for part, stay in zip(tree.body, stays, strict=True) if stay]
    loops = (ast.For, ast.While, ast.comprehension)
    if not any(isinstance(node, loops) for part in script for node in ast.walk(part)):
        return False
    variables = {name for part in script for name in bound(part)}
    if any(variables & used(part) for part in kept):
        return False
    name = fresh(tree, "main")
    [function, call] = ast.parse(f"def {name}():\n    pass\n{name}()").body
    assert isinstance(function, ast.FunctionDef)
    function.body = script
    tree.body = [*kept, function, call]
    return True


STRUCTURE: tuple[Rule, ...] = (
    Rule(
        "elements",
        "went through the elements themselves instead of through their indices",
        _iterate_directly,
    ),
    Rule("deque", "used a deque, whose front can be popped without moving the rest", _queue),
    Rule("memoise", "remembered the results of the recursive function", _memoise),
    Rule("read-at-once", "read the whole input at once", _read_at_once),
    Rule("main", "moved the script into a function, whose variables are faster", _wrap),
)
"""The rules that look at a whole loop, function or program."""
