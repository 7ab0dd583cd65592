"""Small equivalences that bring programs into the form that rules expect, and mend their output."""

import ast

from workbench.models.rewriting.patterns import expression, fill, match, replace

# An iteration that hands on each element as it is.
_IDENTITIES = [
    (expression(before), expression(after))
    for before, after in [
        *(
            (f"{name}(item for item in XS)", f"{name}(XS)")
            for name in ("sum", "max", "min", "any", "all", "set", "list", "tuple", "sorted")
        ),
        *(
            (f"{name}((item for item in XS), default=A)", f"{name}(XS, default=A)")
            for name in ("max", "min")
        ),
        ("J.join(item for item in XS)", "J.join(XS)"),
        ("[item for item in XS]", "list(XS)"),
        ("A + 1 - 1", "A"),
        ("A - 1 + 1", "A"),
        ("0 + A", "A"),
        ("'' + A", "A"),
        ("A + ''", "A"),
        ("1 * A", "A"),
        ("A * 1", "A"),
    ]
]


def canonical(tree: ast.Module) -> None:
    """Write `x = x + y` as `x += y`, in place."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                block[:] = [_augmented(part) for part in block]


def tidy(tree: ast.Module) -> None:
    """Simplify what rules leave behind, in place."""
    for before, after in _IDENTITIES:
        for node in list(ast.walk(tree)):
            found = match(before, node, {})
            if found is not None:
                replace(tree, node, fill(after, found))


def _augmented(part: ast.stmt) -> ast.stmt:
    match part:
        case ast.Assign(
            targets=[ast.Name(id=name) as target],
            value=ast.BinOp(op=ast.Add() | ast.Mult() as op) as value,
        ):
            rest = _without_leftmost(value, name, type(op))
            # A list that grows in place may be seen under another name.
            if rest is not None and not isinstance(rest, ast.List | ast.ListComp):
                return ast.AugAssign(target=target, op=op, value=rest)
    return part


def _without_leftmost(value: ast.expr, name: str, op: type[ast.operator]) -> ast.expr | None:
    """A chain of one operator less its first operand, if that is the variable."""
    match value:
        case ast.BinOp(left=ast.Name(id=first), op=found, right=right) if isinstance(found, op):
            return right if first == name else None
        case ast.BinOp(left=left, op=found, right=right) if isinstance(found, op):
            rest = _without_leftmost(left, name, op)
            return None if rest is None else ast.BinOp(left=rest, op=op(), right=right)
    return None
