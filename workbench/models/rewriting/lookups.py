"""Rules that replace searching by looking up: sets, counters, queues, sorted lists."""

import ast

from workbench.models.rewriting.hoist import Plan, hoist
from workbench.models.rewriting.names import (
    Scope,
    blocks,
    bring_in,
    fresh,
    keeps_meaning,
    scopes,
    used,
    within,
)
from workbench.models.rewriting.patterns import expression, make, make_statements, matches, replace
from workbench.models.rewriting.rule import Example, Rule, apart, name_of, template

_NOT_LISTS = frozenset({"set", "frozenset", "dict", "Counter", "defaultdict", "input", "str"})
_TEXT_METHODS = frozenset({"read", "readline", "strip", "rstrip", "join", "lower", "upper"})


def _may_be_list(scope: Scope, name: str) -> bool:
    """Whether nothing in the scope says that a variable holds something else than a list."""
    for node in within(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                if _is_no_list(value):
                    return False
            case ast.Attribute(value=ast.Name(id=target), attr="items" | "keys" | "get" | "add"):
                if target == name:
                    return False
    return True


def _is_no_list(value: ast.expr) -> bool:
    match value:
        case ast.Dict() | ast.Set() | ast.DictComp() | ast.SetComp() | ast.Constant():
            return True
        case ast.JoinedStr():
            return True
        case ast.Call(func=ast.Name(id=function)):
            return function in _NOT_LISTS
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in _TEXT_METHODS
    return False


def _membership(scope: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]
        ) if _may_be_list(scope, name):
            use = ast.Compare(left=left, ops=[op], comparators=[ast.Name("ready", ast.Load())])
            return Plan(source=name, wish=f"{name}_set", prepare="ready = set(xs)", use=use)
    return None


def _counting(_: Scope, node: ast.AST) -> Plan | None:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="count"), args=[value]):
            use = make("ready[VALUE]", VALUE=value)
            wish = f"{name}_counts"
            return Plan(source=name, wish=wish, prepare="ready = Counter(xs)", use=use)
    return None


def _seen(tree: ast.Module) -> bool:
    """Keep a set beside a list that is searched while it grows."""
    for scope in scopes(tree):
        for block in blocks(scope):
            for position, start in enumerate(block):
                match start:
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
                        if _shadow(scope, name):
                            new = fresh(tree, f"{name}_seen")
                            _keep_shadow(scope, name, new)
                            block[position + 1 : position + 1] = make_statements(
                                "seen = set()", seen=new
                            )
                            return True
    return False


def _shadow(scope: Scope, name: str) -> bool:
    """Whether a list is searched and only ever appended to, in statements of their own."""
    appends = searches = stores = 0
    for node in within(scope):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr=m))):
                appends += target == name and m == "append"
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=target)]):
                searches += target == name
            case ast.Name(id=target, ctx=ast.Store()):
                stores += target == name
    calls = sum(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in within(scope)
    )
    return bool(searches and appends) and appends == calls and stores == 1


def _keep_shadow(scope: Scope, name: str, seen: str) -> None:
    for node in list(within(scope)):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=target)]):
                if target == name:
                    node.comparators = [ast.Name(seen, ast.Load())]
    for block in list(blocks(scope)):
        for position in reversed(range(len(block))):
            for _, found in matches(expression("xs.append(E)"), block[position]):
                if isinstance(block[position], ast.Expr) and name_of(found["xs"]) == name:
                    added = make_statements("seen.add(E)", seen=seen, E=found["E"])
                    block[position + 1 : position + 1] = added


def _queue(tree: ast.Module) -> bool:
    """Turn lists that are popped at the front into deques."""
    if not keeps_meaning(tree, "deque"):
        return False
    for scope in scopes(tree):
        for _, found in matches(expression("xs.pop(0)"), scope):
            name = name_of(found["xs"])
            if not _sliced(scope, name) and _make_deque(scope, name):
                _use_left_end(scope, name)
                bring_in(tree, "deque")
                return True
    return False


def _sliced(scope: Scope, name: str) -> bool:
    """Whether something is done with a list that a deque cannot do."""
    for node in within(scope):
        match node:
            case ast.Subscript(value=ast.Name(id=target), slice=ast.Slice()):
                if target == name:
                    return True
            case ast.Attribute(value=ast.Name(id=target), attr="sort"):
                if target == name:
                    return True
    return False


def _make_deque(scope: Scope, name: str) -> bool:
    found = False
    for node in within(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                match value:
                    case ast.Call(func=ast.Name(id="deque")):
                        pass
                    case ast.Call(func=ast.Name(id="list"), args=[inner]):
                        node.value = make("deque(E)", E=inner)
                    case ast.List(elts=[]):
                        node.value = make("deque()")
                    case _:
                        node.value = make("deque(E)", E=value)
                found = True
    if not found and name in _parameters(scope):
        scope.body[0:0] = make_statements("xs = deque(xs)", xs=name)
        return True
    return found


def _parameters(scope: Scope) -> set[str]:
    if isinstance(scope, ast.FunctionDef):
        return {argument.arg for argument in scope.args.args}
    return set()


def _use_left_end(scope: Scope, name: str) -> None:
    for before, after in (("xs.pop(0)", "xs.popleft()"), ("xs.insert(0, E)", "xs.appendleft(E)")):
        for node, found in list(matches(expression(before), scope)):
            if name_of(found["xs"]) == name:
                replace(scope, node, make(after, **found))


def _bisect(tree: ast.Module) -> bool:
    """Count the elements below a bound by bisection where the list is sorted."""
    for scope in scopes(tree):
        for sign, helper in (("<", "bisect_left"), ("<=", "bisect_right")):
            sought = expression(f"sum(1 for item in xs if item {sign} V)")
            for node, found in matches(sought, scope):
                alone = name_of(found["item"]) not in used(found["V"])
                if alone and keeps_meaning(tree, helper) and _sorted(scope, name_of(found["xs"])):
                    replace(tree, node, make(f"{helper}(xs, V)", **found))
                    bring_in(tree, helper)
                    return True
    return False


def _sorted(scope: Scope, name: str) -> bool:
    """Whether a list is sorted somewhere in the scope and never added to."""
    found = False
    for node in within(scope):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr=method)):
                if target == name and method != "sort":
                    return False
                found = found or target == name
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id="sorted"))
            ):
                found = found or target == name
    return found


_PAIRS = "for i in range(N):\n    for j in range(i + 1, N):\n        if {}:\n            {}"
_SHORT_PAIRS = _PAIRS.replace("range(N)", "range(N - 1)", 1)


def _pairs(condition: str, action: str, after: str) -> tuple[Example, ...]:
    return tuple(
        Example(pairs.format(condition, action), after) for pairs in (_PAIRS, _SHORT_PAIRS)
    )


_COUNT_PARTNERS = (
    "seen = {{}}\nfor item in xs:\n    count += seen.get({}, 0)\n"
    "    seen[item] = seen.get(item, 0) + 1"
)
_FIND_PARTNER = (
    "seen = {{}}\nfor j, item in enumerate(xs):\n    if S - item in seen:\n        return {}\n"
    "    seen.setdefault(item, j)"
)


RULES: tuple[Rule, ...] = (
    Rule(
        "set-membership",
        "looked up membership in a set instead of searching a list each time",
        lambda tree: hoist(tree, _membership),
    ),
    Rule(
        "seen-set",
        "kept a set beside the growing list to look up what is in it already",
        _seen,
    ),
    Rule(
        "counter",
        "counted all elements once instead of going through them for each count",
        lambda tree: hoist(tree, _counting),
    ),
    template(
        "count-method",
        "let the sequence's own count() do the counting",
        Example("sum(1 for item in xs if item == V)", "xs.count(V)", apart("V", "item")),
        Example(
            "total = 0\nfor item in xs:\n    if item == V:\n        total += 1",
            "total = xs.count(V)",
            apart("V", "item"),
        ),
    ),
    template(
        "tally",
        "tallied with a Counter",
        Example(
            "counts = {}\nfor item in XS:\n    counts[E] = counts.get(E, 0) + 1",
            "counts = Counter(E for item in XS)",
        ),
        Example(
            "counts = {}\nfor item in XS:\n    if E in counts:\n        counts[E] += 1\n"
            "    else:\n        counts[E] = 1",
            "counts = Counter(E for item in XS)",
        ),
    ),
    template(
        "distinct",
        "let a dictionary keep the first of each instead of searching the list",
        Example(
            "xs = []\nfor item in XS:\n    if item not in xs:\n        xs.append(item)",
            "xs = list(dict.fromkeys(XS))",
        ),
        Example(
            "xs = []\nfor item in XS:\n    if C and item not in xs:\n        xs.append(item)",
            "xs = [item for item in dict.fromkeys(XS) if C]",
        ),
    ),
    Rule("deque", "used a deque, whose front can be popped without moving the rest", _queue),
    template(
        "rotate",
        "rotated the deque at once instead of step by step",
        Example("for item in range(K):\n    xs.append(xs.popleft())", "xs.rotate(-(K))"),
    ),
    template(
        "pair-lookup",
        "looked up each element's partner instead of trying all pairs",
        *_pairs("xs[i] + xs[j] == S", "count += 1", _COUNT_PARTNERS.format("S - item")),
        *_pairs("xs[i] == xs[j]", "count += 1", _COUNT_PARTNERS.format("item")),
        *_pairs("xs[i] + xs[j] == S", "return [i, j]", _FIND_PARTNER.format("[seen[S - item], j]")),
        *_pairs("xs[i] + xs[j] == S", "return (i, j)", _FIND_PARTNER.format("(seen[S - item], j)")),
        *_pairs("xs[i] + xs[j] == S", "return True", _FIND_PARTNER.format("True")),
    ),
    template(
        "extreme",
        "took the smallest or largest without sorting",
        Example("sorted(XS)[0]", "min(XS)"),
        Example("sorted(XS)[-1]", "max(XS)"),
    ),
    template(
        "insort",
        "inserted at the right place instead of sorting again",
        Example("xs.append(E)\nxs.sort()", "insort(xs, E)"),
    ),
    Rule("bisect", "searched the sorted list by halving it", _bisect),
)
