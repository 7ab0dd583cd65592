"""Rules about runs of a sequence: prefix sums, running and sliding extremes, best stretches."""

import ast

from workbench.models.rewriting.hoist import Plan, hoist
from workbench.models.rewriting.names import Scope, used
from workbench.models.rewriting.patterns import expression, make, match
from workbench.models.rewriting.rule import Example, Rule, template

_WINDOW = """
ready = []
queue = deque()
for position, value in enumerate(xs):
    while queue and xs[queue[-1]] {sign} value:
        queue.pop()
    queue.append(position)
    if queue[0] <= position - {width}:
        queue.popleft()
    ready.append(xs[queue[0]])
"""


def _slice_sum(_: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Call(
            func=ast.Name(id="sum"),
            args=[ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(step=None) as part)],
        ):
            upper = part.upper or ast.Constant(-1)
            use = make("ready[B]", B=upper)
            if part.lower is not None:
                use = make("USE - ready[A]", USE=use, A=part.lower)
            prepare = "ready = [0, *accumulate(xs)]"
            return Plan(source=name, wish=f"{name}_sums", prepare=prepare, use=use)
    return None


def _prefix_extreme(_: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Call(
            func=ast.Name(id="max" | "min" as word),
            args=[ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(step=None) as part)],
            keywords=[],
        ):
            pass
        case _:
            return None
    match part:
        case ast.Slice(lower=None, upper=ast.expr() as upper):
            prepare, use = f"ready = list(accumulate(xs, {word}))", make("ready[B - 1]", B=upper)
        case ast.Slice(lower=ast.expr() as lower, upper=None):
            prepare = f"ready = list(accumulate(reversed(xs), {word}))[::-1]"
            use = make("ready[A]", A=lower)
        case _:
            return None
    return Plan(source=name, wish=f"{name}_{word}", prepare=prepare, use=use)


def _window_extreme(_: Scope, node: ast.AST) -> Plan | None:
    for word, sign in (("max", "<="), ("min", ">=")):
        for text, last in (("xs[i:i + K]", "i + K - 1"), ("xs[i - K + 1:i + 1]", "i")):
            found = match(expression(f"{word}({text})"), node, {})
            if found is None or not isinstance(found["xs"], ast.Name):
                continue
            width = found["K"]
            if used(width) & (used(found["xs"]) | used(found["i"])):
                continue
            return Plan(
                source=found["xs"].id,
                wish=f"window_{word}",
                prepare=_WINDOW.format(sign=sign, width=ast.unparse(width)),
                use=make(f"ready[{last}]", i=found["i"], K=width),
                fixed=frozenset(used(width)),
            )
    return None


def _stretches(word: str, sign: str) -> tuple[Example, ...]:
    """The best sum over all stretches, in two ways of comparing it."""
    loops = "for i in range(N):\n    total = 0\n    for j in range(i, N):\n        total += xs[j]\n"
    new = (
        f"total = 0\nfor item in xs:\n    total = {word}(total, 0) + item\n"
        f"    if total {sign} best:\n        best = total"
    )
    return (
        Example(f"{loops}        if total {sign} best:\n            best = total", new),
        Example(f"{loops}        best = {word}(best, total)", new),
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "prefix-sums",
        "took sums of slices from prefix sums",
        lambda tree: hoist(tree, _slice_sum),
    ),
    Rule(
        "running-extremes",
        "kept running extremes instead of going through each prefix",
        lambda tree: hoist(tree, _prefix_extreme),
    ),
    Rule(
        "window-extremes",
        "kept a falling queue of candidates for the extreme of each window",
        lambda tree: hoist(tree, _window_extreme),
    ),
    template(
        "best-stretch",
        "carried on the best stretch that ends at each element instead of trying all",
        *_stretches("max", ">"),
        *_stretches("min", "<"),
    ),
)
