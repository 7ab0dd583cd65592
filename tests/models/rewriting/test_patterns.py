import ast

import pytest

from workbench.models.rewriting.patterns import expression, fill, match


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("pattern", "text", "bindings"),
    [
        ("A + 1", "f(x) + 1", {"A": "f(x)"}),
        ("A + A", "x + x", {"A": "x"}),
        ("A + A", "x + y", None),
        ("a + b", "x + y", {"a": "x", "b": "y"}),
        ("a + b", "x + 1", None),
        ("len(xs)", "len(ys)", {"xs": "ys"}),
        ("len(xs)", "sum(ys)", None),
        ("xs.pop(0)", "q.pop(1)", None),
        ("xs.pop(0)", "q.pop(False)", None),
        ("E > best", "x < y", {"E": "y", "best": "x"}),
        ("E > best", "x <= y", None),
        ("E in xs", "x not in y", None),
        ("sum(E for i in XS)", "sum(k * k for k in f())", {"E": "k * k", "i": "k", "XS": "f()"}),
        ("sum(E for i in XS)", "sum(k for k in f() if k)", None),
    ],
)
def test_match(pattern: str, text: str, bindings: dict[str, str] | None) -> None:
    found = match(expression(pattern), parsed(text), {})
    texts = None if found is None else {name: ast.unparse(part) for name, part in found.items()}
    assert texts == bindings


def test_fill_puts_copies_in() -> None:
    part = parsed("a[0]")
    filled = fill(expression("sorted(XS, key=lambda _: E + E)"), {"XS": parsed("xs"), "E": part})
    assert ast.unparse(filled) == "sorted(xs, key=lambda _: a[0] + a[0])"
    assert not any(node is part for node in ast.walk(filled))
