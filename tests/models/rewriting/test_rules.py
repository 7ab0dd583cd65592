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
        "total = 1\nfor x in xs:\n    if x > 1:\n        total += x * 2\nreturn total",
        "total = 1 + sum(x * 2 for x in xs if x > 1)\nreturn total",
        LISTS,
    ),
    (
        "sum",
        "total = 0\ncount = len(xs)\nfor x in xs:\n    total = total + x\n"
        "return total / (count + 1)",
        "count = len(xs)\ntotal = sum(xs)\nreturn total / (count + 1)",
        LISTS,
    ),
    (
        "product",
        "total = 1\nfor x in xs:\n    total *= x\nreturn total",
        "total = prod(x for x in xs)\nreturn total",
        LISTS,
    ),
    (
        "join",
        "line = ''\nfor x in xs:\n    line = line + str(x) + ' '\nreturn line",
        "line = ''.join(str(x) + ' ' for x in xs)\nreturn line",
        LISTS,
    ),
    (
        "reverse-pieces",
        "out = ''\nfor c in xs:\n    out = c + out\nreturn out",
        "out = ''.join(reversed(xs))\nreturn out",
        [("abc",), ("",), (["ab", "c"],)],
    ),
    (
        "reverse-slice",
        "out = ''\nfor c in xs:\n    out = c + out\nreturn out",
        "out = xs[::-1]\nreturn out",
        [("abc",), ("",)],
    ),
    (
        "comprehension",
        "out = []\nfor x in xs:\n    if x % 2:\n        out.append(x * x)\nreturn out",
        "out = [x * x for x in xs if x % 2]\nreturn out",
        LISTS,
    ),
    (
        "max",
        "best = xs[0]\nfor x in xs:\n    if x > best:\n        best = x\nreturn best",
        "best = max(xs)\nreturn best",
        FULL,
    ),
    (
        "max",
        "best = xs[0]\nfor x in xs:\n    if xs.count(best) < xs.count(x):\n        best = x\n"
        "return best",
        "best = max(xs, key=lambda x: xs.count(x))\nreturn best",
        FULL,
    ),
    (
        "max",
        "best = 3\nfor x in xs:\n    best = max(best, x - 1)\nreturn best",
        "best = max(3, max((x - 1 for x in xs), default=3))\nreturn best",
        LISTS,
    ),
    (
        "min",
        "best = 3\nfor x in xs:\n    if x < best:\n        best = x\nreturn best",
        "best = min(3, min(xs, default=3))\nreturn best",
        LISTS,
    ),
    (
        "any",
        "fine = True\nfor x in xs:\n    if x > 4:\n        fine = False\n        break\n"
        "return fine",
        "fine = not any(x > 4 for x in xs)\nreturn fine",
        LISTS,
    ),
    (
        "any",
        "for x in xs:\n    if x > 4:\n        return True\nreturn False",
        "return any(x > 4 for x in xs)",
        LISTS,
    ),
    (
        "elements",
        "total = 0\nfor i in range(1, len(xs)):\n    total += xs[i] * 2\nreturn total",
        "total = 0\nfor item in xs[1:len(xs)]:\n    total += item * 2\nreturn total",
        LISTS,
    ),
    (
        "elements",
        "return sum(xs[i] for i in range(len(xs)) if xs[i] > 1)",
        "return sum(item for item in xs if item > 1)",
        LISTS,
    ),
    (
        "range",
        "out = []\ni = 1\nwhile i <= n:\n    out.append(i)\n    i += 3\nreturn out",
        "out = []\nfor i in range(1, n + 1, 3):\n    out.append(i)\nreturn out",
        NUMBERS,
    ),
    (
        "closed-form",
        "total = 0\nfor i in range(1, n + 1):\n    total += i\nreturn total",
        "total = n * (n + 1) // 2\nreturn total",
        NUMBERS,
    ),
    (
        "closed-form",
        "total = 5\nfor i in range(3, n + 40):\n    total += i * i - 4 * i + 2\nreturn total",
        "",
        NUMBERS,
    ),
    ("closed-form", "return sum(2 * k ** 3 + n for k in range(n))", "", NUMBERS),
    (
        "closed-form",
        "return sum(range(1, n + 1))",
        "return n * (n + 1) // 2",
        NUMBERS,
    ),
    (
        "divisor-pairs",
        "total = 0\nfor d in range(1, n + 1):\n    if n % d == 0:\n        total += d\n"
        "return total",
        "total = sum(d + (n // d if d * d != n else 0) for d in range(1, isqrt(n) + 1)"
        " if n % d == 0)\nreturn total",
        NUMBERS,
    ),
    (
        "divisor-pairs",
        "return [d for d in range(1, n + 1) if n % d == 0]",
        "return sorted({d_2 for d in range(1, isqrt(n) + 1) if n % d == 0 for d_2 in (d, n // d)})",
        NUMBERS,
    ),
    (
        "root-bound",
        "if n < 2:\n    return False\nfor d in range(2, n):\n    if n % d == 0:\n"
        "        return False\n"
        "return True",
        "if n < 2:\n    return False\nfor d in range(2, isqrt(n) + 1):\n    if n % d == 0:\n"
        "        return False\nreturn True",
        NUMBERS,
    ),
    (
        "root-bound",
        "return n > 1 and all(n % d for d in range(2, n // 2 + 1))",
        "return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))",
        [(1,), (2,), (25,), (97,)],
    ),
    ("modular-power", "return n ** n % 7", "return pow(n, n, 7)", NUMBERS),
    ("isqrt", "return int(n ** 0.5)", "return isqrt(n)", NUMBERS),
    ("square", "return n ** 2 + 1", "return n * n + 1", NUMBERS),
    (
        "gcd",
        "m = 24\nwhile m:\n    n, m = m, n % m\nreturn n",
        "m = 24\nn, m = (gcd(n, m), 0)\nreturn n",
        NUMBERS,
    ),
    (
        "factorial",
        "out = 1\nfor i in range(2, n + 1):\n    out *= i\nreturn out",
        "out = factorial(n)\nreturn out",
        NUMBERS,
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
        "seen-set",
        "out = []\nfor x in xs:\n    if x not in out:\n        out.append(x)\nreturn out",
        "out = []\nout_seen = set()\nfor x in xs:\n    if x not in out_seen:\n"
        "        out.append(x)\n"
        "        out_seen.add(x)\nreturn out",
        LISTS,
    ),
    (
        "counter",
        "return sorted(xs, key=lambda x: xs.count(x))",
        "xs_counts = Counter(xs)\nreturn sorted(xs, key=lambda x: xs_counts[x])",
        LISTS,
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
        "deque",
        "line = list(xs)\nout = []\nwhile line:\n    out.append(line.pop(0))\nreturn out",
        "line = deque(xs)\nout = []\nwhile line:\n    out.append(line.popleft())\nreturn out",
        LISTS,
    ),
    (
        "rotate",
        "from collections import deque\nq = deque(range(9))\nfor _ in range(n):\n"
        "    q.append(q.popleft())\nreturn list(q)",
        "from collections import deque\nq = deque(range(9))\nq.rotate(-n)\nreturn list(q)",
        NUMBERS,
    ),
    (
        "pair-lookup",
        "n = len(xs)\ncount = 0\nfor i in range(n):\n    for j in range(i + 1, n):\n"
        "        if xs[i] + xs[j] == 5:\n            count += 1\nreturn count",
        "n = len(xs)\ncount = 0\nseen = {}\nfor item in xs:\n    count += seen.get(5 - item, 0)\n"
        "    seen[item] = seen.get(item, 0) + 1\nreturn count",
        LISTS,
    ),
    (
        "pair-lookup",
        "for i in range(len(xs)):\n    for j in range(i + 1, len(xs)):\n"
        "        if xs[i] + xs[j] == 7:\n            return [i, j]",
        "seen = {}\nfor j, item in enumerate(xs):\n    if 7 - item in seen:\n"
        "        return [seen[7 - item], j]\n    seen.setdefault(item, j)",
        LISTS,
    ),
    ("extreme", "return sorted(xs)[0] + sorted(xs)[-1]", "return min(xs) + max(xs)", FULL),
    (
        "insort",
        "out = []\nfor x in xs:\n    out.append(x)\n    out.sort()\nreturn out",
        "out = []\nfor x in xs:\n    insort(out, x)\nreturn out",
        LISTS,
    ),
    (
        "bisect",
        "ys = sorted(xs)\nreturn [sum(1 for y in ys if y < k) for k in range(6)]",
        "ys = sorted(xs)\nreturn [bisect_left(ys, k) for k in range(6)]",
        LISTS,
    ),
    (
        "prefix-sums",
        "return [sum(xs[i:i + 2]) + sum(xs[:i]) for i in range(len(xs) - 1)]",
        "xs_sums = [0, *accumulate(xs)]\n"
        "return [xs_sums[i + 2] - xs_sums[i] + xs_sums[i] for i in range(len(xs) - 1)]",
        LISTS,
    ),
    (
        "running-extremes",
        "return [max(xs[:i]) for i in range(1, len(xs) + 1)]",
        "xs_max = list(accumulate(xs, max))\nreturn [xs_max[i - 1] for i in range(1, len(xs) + 1)]",
        LISTS,
    ),
    (
        "running-extremes",
        "return [min(xs[i:]) for i in range(len(xs))]",
        "xs_min = list(accumulate(reversed(xs), min))[::-1]\n"
        "return [xs_min[i] for i in range(len(xs))]",
        LISTS,
    ),
    ("window-extremes", "return [max(xs[i:i + 2]) for i in range(len(xs) - 1)]", "", LISTS),
    ("window-extremes", "return [min(xs[i - 3 + 1:i + 1]) for i in range(2, len(xs))]", "", LISTS),
    (
        "best-stretch",
        "best = xs[0]\nfor i in range(len(xs)):\n    total = 0\n    for j in range(i, len(xs)):\n"
        "        total += xs[j]\n        if total > best:\n            best = total\nreturn best",
        "best = xs[0]\ntotal = 0\nfor item in xs:\n    total = max(total, 0) + item\n"
        "    if total > best:\n        best = total\nreturn best",
        [([3, -5, 4, -1, 2],), ([-2, -1, -3],)],
    ),
    (
        "hoist-len",
        "i = 0\nwhile i < len(xs):\n    i += 1\nreturn i",
        "i = 0\nsize = len(xs)\nwhile i < size:\n    i += 1\nreturn i",
        LISTS,
    ),
    (
        "hoist-method",
        "out = []\nfor x in xs:\n    out.append(x)\nreturn out",
        "out = []\nout_append = out.append\nfor x in xs:\n    out_append(x)\nreturn out",
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
        "tabulate",
        "def f(n):\n    if n <= 1:\n        return n\n    return f(n - 1) + f(n - 2)\n"
        "print([f(k) for k in range(-2, 9)])",
        "def f(n):\n    limit = n\n    known = {}\n    for n in range(min(0, limit), limit + 1):\n"
        "        if n <= 1:\n            known[n] = n\n        else:\n"
        "            known[n] = known[n - 1] + known[n - 2]\n    return known[limit]\n"
        "print([f(k) for k in range(-2, 9)])",
    ),
    (
        "deep-recursion",
        "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\nprint(f(9))",
        "import sys\nsys.setrecursionlimit(1000000)\n\ndef f(n):\n"
        "    return 0 if n == 0 else 1 + f(n - 1)\nprint(f(9))",
    ),
    (
        "sieve",
        "n = 30\nfound = []\nfor k in range(2, n + 1):\n    prime = True\n"
        "    for d in range(2, k):\n"
        "        if k % d == 0:\n            prime = False\n            break\n    if prime:\n"
        "        found.append(k)\nprint(found)",
        "",
    ),
    (
        "read-lines",
        "n = int(input())\na, b = input().split()\nname = input()\nprint(n, a, b, name)",
        "import sys\nn = int(sys.stdin.readline())\na, b = sys.stdin.readline().split()\n"
        "name = sys.stdin.readline().rstrip('\\n')\nprint(n, a, b, name)",
    ),
    (
        "read-all",
        "n = int(input())\nprint(n, input(), input())",
        "import sys\nnext_line = iter(sys.stdin.read().split('\\n')).__next__\n"
        "n = int(next_line())\nprint(n, next_line(), next_line())",
    ),
    (
        "print-once",
        "for i in range(3):\n    print(i)\n    print(i, 'x')\nprint('end')",
        "output = []\nfor i in range(3):\n    output.append(str(i))\n"
        "    output.append(' '.join(map(str, (i, 'x'))))\nif output:\n"
        "    print('\\n'.join(output))\nprint('end')",
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
    # The loop variable is read after the loop.
    ("sum", "total = 0\nfor x in xs:\n    total += x\nprint(total, x)"),
    # What stands between changes the start.
    ("sum", "total = 0\ntotal = f(total)\nfor x in xs:\n    total += x\nprint(total)"),
    # A name that the rewrite needs means something else here.
    ("sum", "sum = 3\ntotal = 0\nfor x in xs:\n    total += x\nprint(total)"),
    ("gcd", "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a"),
    ("join", "total = 0\nfor x in xs:\n    total += x\nprint(total)"),
    ("comprehension", "out = []\nfor x in xs:\n    if x not in out:\n        out.append(x)"),
    ("comprehension", "def g():\n    out = []\n    for x in xs:\n        out.append((yield x))"),
    ("max", "best = xs[0]\nfor x in xs:\n    if len(x) > abs(best):\n        best = x"),
    ("elements", "for i in range(len(xs)):\n    print(i, xs[i])"),
    ("elements", "for i in range(len(xs)):\n    xs[i] = 0"),
    ("elements", "for i in range(len(xs)):\n    xs.append(xs[i])"),
    ("range", "i = 0\nwhile i < n:\n    if i == 3:\n        continue\n    i += 1"),
    ("range", "i = 0\nwhile i < n:\n    n -= 1\n    i += 1"),
    ("range", "i = 0\nwhile i < n:\n    print(i)\n    i += 1\nprint(i)"),
    ("closed-form", "total = 0\nfor i in range(1, n + 1):\n    total += f(i)"),
    ("closed-form", "total = 0\nfor i in range(1, n + 1):\n    total += 1 / i"),
    ("set-membership", "for x in xs:\n    if x in ys:\n        ys.append(x)"),
    ("set-membership", "ys = {}\nfor x in xs:\n    print(x in ys)"),
    ("set-membership", "print(3 in ys)"),
    # The list shrinks through a method that was looked up before.
    ("hoist-len", "drop = xs.pop\nwhile len(xs) > 1:\n    drop()"),
    ("hoist-len", "while len(xs) > 1:\n    xs.pop()"),
    ("counter", "for x in xs:\n    print(xs.count(x))\n    xs.append(x)"),
    ("counter", "print(xs.count(1))"),
    ("count-method", "print(sum(1 for x in xs if x == x + 0))"),
    ("seen-set", "out = []\nfor x in xs:\n    if x not in out:\n        out.append(x)\nout.pop()"),
    ("deque", "line = list(xs)\nline.pop(0)\nprint(line[1:])"),
    ("prefix-sums", "for i in range(3):\n    xs[i] = sum(xs[:i])"),
    ("window-extremes", "for k in range(3):\n    print(max(xs[1:1 + k]))"),
    ("memoise", "def f(n):\n    print(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    ("memoise", "def f(n):\n    seen.append(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)"),
    ("memoise", "def f(n):\n    return 0 if n == 0 else f(n - 1)"),
    ("tabulate", "def f(n):\n    if n == 0:\n        return 1\n    return f(n // 2) + f(n - 1)"),
    ("read-lines", "try:\n    input()\nexcept EOFError:\n    pass"),
    ("read-all", "import sys\nprint(input(), sys.stdin.read())"),
    ("print-once", "for i in range(3):\n    print(i, end=' ')"),
    ("print-once", "def f():\n    print(1)\nfor i in range(3):\n    print(i)\n    f()"),
    ("print-once", "import sys\nfor i in range(3):\n    print(i)\n    sys.exit()"),
    ("main", "def f():\n    return total\ntotal = 0\nfor i in range(3):\n    total += i"),
    ("bisect", "print(sum(1 for x in xs if x < 3))"),
    ("modular-power", "x = a ** b"),
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
