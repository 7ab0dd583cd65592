"""Rules from arithmetic: closed forms, divisors, primes, powers."""

import ast

from workbench.models.rewriting.names import (
    blocks,
    bring_in,
    changed,
    fresh,
    keeps_meaning,
    scopes,
    used,
)
from workbench.models.rewriting.patterns import (
    Bindings,
    fill,
    make,
    make_statements,
    match,
    match_all,
    statements,
)
from workbench.models.rewriting.rule import Example, Given, Rule, name_of, only_if, template

_HIGHEST_DEGREE = 3
# Sum of k**d for k from 1 to M, by degree d.
_POWER_SUMS = (
    "M",
    "M * (M + 1) // 2",
    "M * (M + 1) * (2 * M + 1) // 6",
    "(M * (M + 1) // 2) ** 2",
)


def _closed(bindings: Bindings) -> Bindings | None:
    """Add S, the sum of the polynomial E over item in range(LO, HI)."""
    low, high = bindings.get("LO", ast.Constant(0)), bindings["HI"]
    item = name_of(bindings["item"])
    terms = _coefficients(bindings["E"], item) if "E" in bindings else {1: ast.Constant(1)}
    if not terms or max(terms) > _HIGHEST_DEGREE or item in used(low) | used(high):
        return None
    total: ast.expr | None = None
    for degree, factor in sorted(terms.items(), reverse=True):
        part = make("C * S", C=factor, S=_power_sum(degree, low, high))
        total = part if total is None else make("A + B", A=total, B=part)
    assert total is not None
    return {**bindings, "S": total}


def _power_sum(degree: int, low: ast.expr, high: ast.expr) -> ast.expr:
    form = _POWER_SUMS[degree]
    upper = make(form, M=_less_one(high))
    match low:
        case ast.Constant(value=1):
            return upper
        case ast.Constant(value=0):
            return make("A + 1", A=upper) if degree == 0 else upper
    return make("A - B", A=upper, B=make(form, M=_less_one(low)))


def _less_one(bound: ast.expr) -> ast.expr:
    found = match(make("A + 1"), bound, {})
    if found is not None:
        return found["A"]
    if isinstance(bound, ast.Constant) and isinstance(bound.value, int):
        return ast.Constant(bound.value - 1)
    return make("A - 1", A=bound)


def _coefficients(part: ast.expr, item: str) -> dict[int, ast.expr] | None:
    """An expression as a polynomial in a variable: degree to coefficient; None if it is none."""
    if item not in used(part):
        return None if any(isinstance(node, ast.Call) for node in ast.walk(part)) else {0: part}
    match part:
        case ast.Name():
            return {1: ast.Constant(1)}
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2 | 3 as power)):
            base = _coefficients(left, item)
            square = _product(base, base)
            return square if power == 2 else _product(square, base)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(_coefficients(left, item), _coefficients(right, item))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            one, other = _coefficients(left, item), _coefficients(right, item)
            if one is None or other is None:
                return None
            if isinstance(op, ast.Sub):
                other = {degree: make("-A", A=factor) for degree, factor in other.items()}
            return _merged([*one.items(), *other.items()])
    return None


def _product(
    one: dict[int, ast.expr] | None, other: dict[int, ast.expr] | None
) -> dict[int, ast.expr] | None:
    if one is None or other is None:
        return None
    return _merged(
        [
            (low + high, make("A * B", A=left, B=right))
            for low, left in one.items()
            for high, right in other.items()
        ]
    )


def _merged(terms: list[tuple[int, ast.expr]]) -> dict[int, ast.expr]:
    result: dict[int, ast.expr] = {}
    for degree, factor in terms:
        before = result.get(degree)
        result[degree] = factor if before is None else make("A + B", A=before, B=factor)
    return result


def _paired(bindings: Bindings) -> Bindings | None:
    """Add F, what E is for the other divisor of a pair."""
    item = name_of(bindings["item"])
    if item in used(bindings["N"]):
        return None
    other = make("N // item", N=bindings["N"], item=item)
    partner = fill(bindings["E"], {item: other})
    assert isinstance(partner, ast.expr)
    return {**bindings, "F": partner}


def _free(hole: str) -> Given:
    return only_if(lambda found: name_of(found["item"]) not in used(found[hole]))


def _bounds() -> tuple[Example, ...]:
    """A search for a divisor that need not go beyond the square root, in its usual forms."""
    forms = (
        "for item in range(2, {}):\n    if N % item == 0:\n        return R",
        "for item in range(2, {}):\n    if N % item == 0:\n        flag = R\n        break",
        "any(N % item == 0 for item in range(2, {}))",
        "all(N % item != 0 for item in range(2, {}))",
        "all(N % item for item in range(2, {}))",
    )
    root = "isqrt(N) + 1"
    bounds = ("N", "N // 2 + 1", "int(N ** 0.5) + 1")
    return tuple(
        Example(form.format(bound), form.format(root), _free("N"))
        for form in forms
        for bound in bounds
    )


_PAIRS = "E + (F if item * item != N else 0) for item in range(1, isqrt(N) + 1) if N % item == 0"

_PRIME_TESTS = tuple(
    statements(text)
    for text in (
        "flag = True\nfor d in D:\n    if item % d == 0:\n        flag = False\n        break",
        "flag = all(item % d for d in D)",
        "flag = all(item % d != 0 for d in D)",
        "flag = not any(item % d == 0 for d in D)",
    )
)
_SIEVE = """
prime = bytearray([1]) * max(HI, 2)
prime[:2] = bytes(2)
for p in range(2, isqrt(max(HI, 2) - 1) + 1):
    if prime[p]:
        prime[p * p::p] = bytes(len(range(p * p, max(HI, 2), p)))
"""


def _sieve(tree: ast.Module) -> bool:
    """Test every number of a range for primality at once."""
    if not all(keeps_meaning(tree, name) for name in ("isqrt", "bytearray", "bytes", "range")):
        return False
    for scope in scopes(tree):
        for block in blocks(scope):
            for position, loop in enumerate(block):
                if isinstance(loop, ast.For) and _use_sieve(tree, block, position, loop):
                    return True
    return False


def _use_sieve(tree: ast.Module, block: list[ast.stmt], position: int, loop: ast.For) -> bool:
    ranged = match(make("range(LO, HI)"), loop.iter, {})
    if ranged is None or not isinstance(loop.target, ast.Name):
        return False
    for test in _PRIME_TESTS:
        found = match_all(test, loop.body[: len(test)], {"item": loop.target})
        rest = loop.body[len(test) :]
        if found is None or not rest or any(changed(loop.target.id, part) for part in rest):
            continue
        prime = fresh(tree, "prime")
        loop.body[: len(test)] = make_statements("flag = prime[item]", prime=prime, **found)
        block[position:position] = make_statements(
            _SIEVE, prime=prime, p=fresh(tree, "p"), HI=ranged["HI"]
        )
        bring_in(tree, "isqrt")
        return True
    return False


RULES: tuple[Rule, ...] = (
    template(
        "closed-form",
        "summed the series by its closed form instead of term by term",
        *(
            Example(
                f"total = A\nfor item in {numbers}:\n    total += E",
                "total = A + S",
                _closed,
            )
            for numbers in ("range(LO, HI)", "range(HI)")
        ),
        Example("sum(E for item in range(LO, HI))", "S", _closed),
        Example("sum(E for item in range(HI))", "S", _closed),
        Example(
            "sum(range(LO, HI))",
            "S",
            lambda found: _closed({**found, "item": ast.Name("", ast.Load())}),
        ),
    ),
    template(
        "divisor-pairs",
        "found divisors in pairs, so that only numbers up to the square root are tried",
        Example(
            "total = A\nfor item in range(1, N + 1):\n    if N % item == 0:\n        total += E",
            f"total = A + sum({_PAIRS})",
            _paired,
        ),
        Example("sum(E for item in range(1, N + 1) if N % item == 0)", f"sum({_PAIRS})", _paired),
        Example(
            "[item for item in range(1, N + 1) if N % item == 0]",
            "sorted({d for item in range(1, isqrt(N) + 1) if N % item == 0"
            " for d in (item, N // item)})",
            _free("N"),
        ),
    ),
    template(
        "root-bound",
        "looked for a divisor only up to the square root, since the smaller of two is below it",
        *_bounds(),
    ),
    Rule("sieve", "sieved all primes up to the bound instead of testing each number", _sieve),
    template(
        "modular-power",
        "raised to a power modulo a number without the huge number in between",
        Example("A ** B % M", "pow(A, B, M)"),
    ),
    template("isqrt", "took the exact integer root", Example("int(N ** 0.5)", "isqrt(N)")),
    template(
        "square",
        "multiplied instead of raising to a power",
        Example("xs ** 2", "xs * xs"),
    ),
    template(
        "gcd",
        "used math.gcd() for Euclid's algorithm",
        Example("while b:\n    a, b = b, a % b", "a, b = gcd(a, b), 0"),
        Example("while b != 0:\n    a, b = b, a % b", "a, b = gcd(a, b), 0"),
        Example("while b > 0:\n    a, b = b, a % b", "a, b = gcd(a, b), 0"),
    ),
    template(
        "factorial",
        "used math.factorial()",
        Example(
            "total = 1\nfor item in range(1, N + 1):\n    total *= item", "total = factorial(N)"
        ),
        Example(
            "total = 1\nfor item in range(2, N + 1):\n    total *= item", "total = factorial(N)"
        ),
    ),
)
