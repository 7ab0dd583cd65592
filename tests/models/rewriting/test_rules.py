"""Each rule on a program of its own: the text it should give, and that both behave alike.

The programs are constants of this file, so they are run right here.
"""

import ast
import copy
import subprocess
import sys
from typing import Any

import pytest

from workbench.models.rewriter import apply_rule
from workbench.models.rewriting import RULES

NAMED = {rule.name: rule for rule in RULES}

LISTS: list[tuple[Any, ...]] = [([3, 1, 4, 1, 5],), ([2],), ([],)]
FULL = LISTS[:2]
NUMBERS = [(0,), (1,), (2,), (12,), (36,), (97,)]

FUNCTIONS: list[tuple[str, str, str, list[tuple[Any, ...]]]] = [
    (
        "sum",
        "total = 0\nfor x in xs:\n    if x > 1:\n        total += x * 2\nreturn total",
        "total = sum(x * 2 for x in xs if x > 1)\nreturn total",
        LISTS,
    ),
    (
        "join",
        "line = ''\nfor x in xs:\n    line = line + str(x) + ' '\nreturn line",
        "line = ''.join(str(x) + ' ' for x in xs)\nreturn line",
        LISTS,
    ),
    (
        "reverse",
        "out = ''\nfor c in xs:\n    out = c + out\nreturn out",
        "out = ''.join([*xs][::-1])\nreturn out",
        [("abc",), ("",), (["ab", "c"],)],
    ),
    (
        "comprehension",
        "out = []\nfor x in xs:\n    if x % 2:\n        out.append(x * x)\nreturn out",
        "out = [x * x for x in xs if x % 2]\nreturn out",
        LISTS,
    ),
    (
        "plain-elements",
        "return sum(x for x in xs) + max([0, *(x for x in xs)])",
        "return sum(xs) + max([0, *xs])",
        LISTS,
    ),
    (
        "extremes",
        "best = xs[0]\nfor x in xs:\n    if best < x:\n        best = x\nreturn best",
        "best = max(xs)\nreturn best",
        FULL,
    ),
    (
        "extremes",
        "best = 3\nfor x in xs:\n    best = min(best, x - 1)\nreturn best",
        "best = min([3, *(x - 1 for x in xs)])\nreturn best",
        LISTS,
    ),
    ("extremes", "return sorted(xs)[0] + sorted(xs)[-1]", "return min(xs) + max(xs)", FULL),
    (
        "elements",
        "total = 0\nfor i in range(len(xs)):\n    total += xs[i] * 2\nreturn total",
        "total = 0\nfor item in xs:\n    total += item * 2\nreturn total",
        LISTS,
    ),
    (
        "elements",
        "total = 0\nfor i in range(len(xs)):\n    total += xs[i]\nfor i in range(3):\n"
        "    total *= i + 1\nreturn total + sum(i for i in xs)",
        "total = 0\nfor item in xs:\n    total += item\nfor i in range(3):\n"
        "    total *= i + 1\nreturn total + sum(i for i in xs)",
        LISTS,
    ),
    (
        "elements",
        "return sum(xs[i] for i in range(len(xs)) if xs[i] > 1)",
        "return sum(item for item in xs if item > 1)",
        LISTS,
    ),
    (
        "closed-form",
        "total = 0\nfor i in range(1, n + 1):\n    total += i\nreturn total",
        "total = n * (n + 1) // 2\nreturn total",
        NUMBERS,
    ),
    (
        "closed-form",
        "total = 0\nfor i in range(1, n * n + 1):\n    total = total + i ** 2\nreturn total",
        "total = n * n * (n * n + 1) * (2 * (n * n) + 1) // 6\nreturn total",
        NUMBERS,
    ),
    ("closed-form", "return sum(k ** 3 for k in range(1, n + 1))", "", NUMBERS),
    ("closed-form", "return sum(range(1, n + 1))", "return n * (n + 1) // 2", NUMBERS),
    (
        "divisor-pairs",
        "total = 0\nfor d in range(1, n + 1):\n    if n % d == 0:\n        total += 1\n"
        "return total",
        "total = sum(1 + (d * d != n) for d in range(1, isqrt(n) + 1) if n % d == 0)\nreturn total",
        NUMBERS,
    ),
    (
        "divisor-pairs",
        "return sum(d for d in range(1, n + 1) if n % d == 0)",
        "return sum(d + (n // d if d * d != n else 0) for d in range(1, isqrt(n) + 1)"
        " if n % d == 0)",
        NUMBERS,
    ),
    (
        "root-bound",
        "if n < 2:\n    return n\nfor d in range(2, n):\n    if n % d == 0:\n"
        "        return d\nreturn n",
        "if n < 2:\n    return n\nfor d in range(2, isqrt(n) + 1):\n    if n % d == 0:\n"
        "        return d\nreturn n",
        NUMBERS,
    ),
    (
        "root-bound",
        "return n > 1 and all(n % d for d in range(2, n // 2 + 1))",
        "return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))",
        NUMBERS,
    ),
    (
        "count-method",
        "count = 0\nfor x in xs:\n    if x == 1:\n        count += 1\nreturn count",
        "count = xs.count(1)\nreturn count",
        LISTS,
    ),
    (
        "tally",
        "seen = {}\nfor x in xs:\n    if x in seen:\n        seen[x] += 1\n    else:\n"
        "        seen[x] = 1\nreturn seen",
        "seen = Counter(x for x in xs)\nreturn seen",
        LISTS,
    ),
    (
        "distinct",
        "out = []\nfor x in xs:\n    if x > 1 and x not in out:\n        out.append(x)\nreturn out",
        "out = [x for x in dict.fromkeys(xs) if x > 1]\nreturn out",
        LISTS,
    ),
    (
        "set-membership",
        "ys = [1, 5, 9]\nout = []\nfor x in xs:\n    if x in ys:\n        out.append(x)\n"
        "return out",
        "ys = [1, 5, 9]\nout = []\nys_set = set(ys)\nfor x in xs:\n    if x in ys_set:\n"
        "        out.append(x)\nreturn out",
        LISTS,
    ),
    (
        "counter",
        "ys = list(xs)\nreturn sorted(xs, key=lambda x: ys.count(x))",
        "ys = list(xs)\nys_counts = Counter(ys)\nreturn sorted(xs, key=lambda x: ys_counts[x])",
        LISTS,
    ),
    (
        "deque",
        "line = list(xs)\nout = []\nwhile line:\n    out.append(line.pop(0))\nreturn out",
        "line = deque(list(xs))\nout = []\nwhile line:\n    out.append(line.popleft())\nreturn out",
        LISTS,
    ),
    (
        "prefix-sums",
        "return [sum(xs[i:i + 2]) for i in range(len(xs) - 1)]",
        "xs_sums = [0, *accumulate(xs)]\n"
        "return [xs_sums[min(i + 2, len(xs))] - xs_sums[i] for i in range(len(xs) - 1)]",
        LISTS,
    ),
    ("prefix-sums", "return [sum(xs[i:i + 2]) for i in range(len(xs))]", "", LISTS),
    ("prefix-sums", "return [sum(xs[:i]) for i in range(9)]", "", LISTS),
    (
        "prefix-sums",
        "out = []\nfor i in range(len(xs)):\n    out.append(sum(xs[i:]) - sum(xs[:i]))\nreturn out",
        "",
        LISTS,
    ),
    (
        "hoist-len",
        "i = 0\nwhile i < len(xs):\n    i += 1\nreturn i",
        "i = 0\nxs_size = len(xs)\nwhile i < xs_size:\n    i += 1\nreturn i",
        LISTS,
    ),
]

WHOLE: list[tuple[str, str, str]] = [
    (
        "memoise",
        "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(15))",
        "from functools import lru_cache\n\n@lru_cache(maxsize=None)\ndef f(n):\n"
        "    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(15))",
    ),
    (
        "memoise",
        "import math\ndef f(s: str, i):\n    parts = []\n    parts.append(s[i])\n"
        "    return i if i < 2 else math.gcd(f(s, i - 1), 6) + f(s, i - 2) + len(parts)\n"
        "print(f('abcdefgh', 7))",
        "",
    ),
    (
        "read-at-once",
        "'''Says it again.'''\nn = int(input())\nprint(n, input(), input())",
        "'''Says it again.'''\nimport sys\ninput = iter(sys.stdin.read().split('\\n')).__next__\n"
        "n = int(input())\nprint(n, input(), input())",
    ),
    (
        "main",
        "import math\ntotal = 0\nfor i in range(5):\n    total += math.isqrt(i)\nprint(total)",
        "import math\n\ndef main():\n    total = 0\n    for i in range(5):\n"
        "        total += math.isqrt(i)\n    print(total)\nmain()",
    ),
]

REFUSED: list[tuple[str, str]] = [
    # What is folded depends on the sum so far.
    ("sum", "total = 0\nfor x in xs:\n    total += x + total\nprint(total)"),
    # What stands between changes the start.
    ("sum", "total = 0\ntotal = f(total)\nfor x in xs:\n    total += x\nprint(total)"),
    # A name that the rewrite needs means something else here.
    ("sum", "def f():\n    sum = 3\n    total = 0\n    for x in xs:\n        total += x"),
    ("join", "total = 0\nfor x in xs:\n    total += x\nprint(total)"),
    ("comprehension", "out = []\nfor x in xs:\n    if x not in out:\n        out.append(x)"),
    ("comprehension", "def g():\n    out = []\n    for x in xs:\n        out.append((yield x))"),
    ("elements", "for i in range(len(xs)):\n    print(i, xs[i])"),
    ("elements", "for i in range(len(xs)):\n    xs[i] = 0"),
    ("elements", "for i in range(len(xs)):\n    if xs[i] == 1:\n        break\nprint(i)"),
    ("elements", "for i in range(len(xs)):\n    print(xs[i])\nelse:\n    print(i)"),
    ("elements", "for i in range(len(xs)):\n    xs.append(xs[i])"),
    ("closed-form", "total = 0\nfor i in range(1, n + 1):\n    total += f(i)"),
    # The end of the range is the variable itself.
    ("closed-form", "total = 0\nfor i in range(1, i + 1):\n    total += i"),
    ("count-method", "print(sum(1 for x in xs if x == x + 0))"),
    ("set-membership", "ys = []\nfor x in xs:\n    if x in ys:\n        ys.append(x)"),
    ("set-membership", "ys = {}\nfor x in xs:\n    print(x in ys)"),
    ("set-membership", "ys = set(zs)\nfor x in xs:\n    print(x in ys)"),
    ("set-membership", "print(3 in ys)"),
    ("hoist-len", "while len(xs) > 1:\n    xs.pop()"),
    ("counter", "xs = [1]\nfor x in xs:\n    print(xs.count(x))\n    xs.append(x)"),
    ("counter", "xs = [1]\nprint(xs.count(1))"),
    # They may be texts, in which longer parts are found as well.
    ("counter", "def f(text, words):\n    return [text.count(w) for w in words]"),
    ("counter", "text = [1]\nfor text in texts:\n    print([text.count(w) for w in words])"),
    ("set-membership", "def f(text, words):\n    return [w for w in words if w in text]"),
    ("set-membership", "def f(text: str, words):\n    return [w for w in words if w in text]"),
    # Views and iterators have no such method.
    ("count-method", "print(sum(1 for x in d.values() if x == 1))"),
    ("count-method", "print(sum(1 for x in map(int, s.split()) if x == 1))"),
    ("count-method", "xs = map(int, s.split())\nprint(sum(1 for x in xs if x == 1))"),
    ("count-method", "def f(xs: set[int]):\n    return sum(1 for x in xs if x == 1)"),
    ("reverse", "print(''.join(reversed(digits)))"),
    # Others than methods change lists, too.
    ("hoist-len", "while len(xs) > 1:\n    heapq.heappop(xs)"),
    ("hoist-len", "while len(xs) > 1:\n    shrink(xs)"),
    ("hoist-len", "while len(xs) > 1:\n    shrink(what=xs)"),
    # Nothing shows that it is a list.
    ("deque", "def f(line):\n    return line.pop(0)"),
    ("prefix-sums", "for k in ks:\n    print(sum(xs[-k:]))"),
    ("prefix-sums", "for k in ks:\n    print(sum(xs[k:-1]))"),
    ("prefix-sums", "for i in range(3):\n    xs[i] = sum(xs[:i])"),
    ("memoise", "def f(n):\n    print(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    # What they do besides would be done once.
    ("memoise", "def f(n):\n    seen.append(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    ("memoise", "def f(n):\n    seen[n] = 1\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    ("memoise", "def f(n):\n    global k\n    k += 1\n    return n if k > 9 else f(n) + f(n)"),
    (
        "memoise",
        "def f(n):\n    note(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
        "def note(n):\n    print(n)",
    ),
    (
        "memoise",
        "def f(n):\n    if n:\n        yield n\n        yield from f(n - 1)\n"
        "        yield from f(n - 1)",
    ),
    # Lists have no hash, and are everybody's if they are given twice.
    ("memoise", "def f(xs):\n    return xs if len(xs) < 2 else f(xs[:1]) + f(xs[1:])"),
    ("memoise", "def f(g, i):\n    return g[i] if i < 2 else f(g, i - 1) + f(g, i - 2)"),
    ("memoise", "def f(xs: list[int]):\n    return 1 if not xs else f(xs) + f(xs)"),
    ("memoise", "def f(n, seen={}):\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    ("memoise", "def f(n):\n    return [n] if n < 2 else f(n - 1) + f(n - 2)\n    return [n]"),
    ("memoise", "def f(n, p):\n    return n if n < 2 else f(n - 1, p + [1]) + f(n - 2, [])"),
    ("memoise", "def f(n):\n    return 0 if n == 0 else f(n - 1)"),
    ("read-at-once", "try:\n    input()\nexcept EOFError:\n    pass"),
    ("read-at-once", "import sys\nprint(input(), sys.stdin.read())"),
    ("read-at-once", "print(input('name? '))"),
    ("main", "def f():\n    return total\ntotal = 0\nfor i in range(3):\n    total += i"),
]


def function(body: str, parameter: str) -> str:
    inner = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"def f({parameter}):\n{inner}"


def without_imports(source: str) -> str:
    tree = ast.parse(source)
    tree.body = [part for part in tree.body if not isinstance(part, ast.ImportFrom)]
    return ast.unparse(tree)


def outcome(source: str, arguments: tuple[Any, ...]) -> Any:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["f"](*copy.deepcopy(arguments))


def printed(source: str) -> str:
    command = [sys.executable, "-c", source]
    question = "3\na b\nlast line\n"
    run = subprocess.run(command, input=question, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.mark.parametrize(("name", "before", "after", "inputs"), FUNCTIONS)
def test_rule_rewrites_a_function(
    name: str, before: str, after: str, inputs: list[tuple[Any, ...]]
) -> None:
    parameter = "n" if inputs[0] in NUMBERS else "xs"
    source = function(before, parameter)
    result = apply_rule(NAMED[name], source)
    assert result is not None
    if after:
        assert without_imports(result) == ast.unparse(ast.parse(function(after, parameter)))
    for arguments in inputs:
        assert outcome(result, arguments) == outcome(source, arguments)


@pytest.mark.parametrize(("name", "before", "after"), WHOLE)
def test_rule_rewrites_a_program(name: str, before: str, after: str) -> None:
    result = apply_rule(NAMED[name], before)
    assert result is not None
    if after:
        assert result.strip() == ast.unparse(ast.parse(after))
    assert printed(result) == printed(before)


@pytest.mark.parametrize(("name", "source"), REFUSED)
def test_rule_leaves_alone_what_it_would_break(name: str, source: str) -> None:
    assert apply_rule(NAMED[name], source) is None


def test_every_rule_has_an_example_here() -> None:
    shown = {row[0] for row in FUNCTIONS} | {row[0] for row in WHOLE}
    assert shown == set(NAMED)
    assert len(NAMED) == len(RULES)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_rules_come_to_an_end(name: str) -> None:
    """What a rule has done, it does not do again and again."""
    for source in [
        *(function(row[1], "xs") for row in FUNCTIONS if row[0] == name),
        *(row[1] for row in WHOLE if row[0] == name),
    ]:
        result: str | None = source
        for _ in range(4):
            result = apply_rule(NAMED[name], result) if result is not None else None
        assert result is None
