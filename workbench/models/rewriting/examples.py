"""The rules that are examples; what the placeholders mean stands in `rule` and `patterns`."""

from dataclasses import replace

from workbench.models.rewriting.rule import Example, Rule, template


def _adds(each: str, result: str = "", *, start: str = "0") -> list[Example]:
    """Loops that add up what a generator gives, in their usual forms, and its sum.

    Args:
        each: the generator, over `item`, without brackets.
        result: what the loops come to; without it, the sum itself.
        start: what is added to.
    """
    element, _, rest = each.partition(" for item in ")
    numbers, _, condition = rest.partition(" if ")
    head = f"total = {start}\nfor item in {numbers}:\n    "
    if condition:
        head += f"if {condition}:\n        "
    examples = [
        Example(head + step, f"total = {result or f'sum({each})'}")
        for step in (f"total += {element}", f"total = total + {element}")
    ]
    return [*examples, Example(f"sum({each})", result)] if result and start == "0" else examples


def _extremes(word: str, sign: str) -> list[Example]:
    result = f"best = {word}([A, *(E for item in XS)])"
    loop = "for item in XS:\n    "
    return [
        Example(
            f"best = XS[0]\n{loop}if item {sign} best:\n        best = item", f"best = {word}(XS)"
        ),
        Example(f"best = A\n{loop}if E {sign} best:\n        best = E", result),
        Example(f"best = A\n{loop}best = {word}(best, E)", result),
    ]


_TO_N = "for item in range(1, N + 1)"
_SQUARES = "N * (N + 1) * (2 * N + 1) // 6"
_PAIRS = "for item in range(1, isqrt(N) + 1) if N % item == 0"
_DIVISOR_SEARCHES = (
    "for item in range(2, {}):\n    if N % item == 0:\n        return E",
    "for item in range(2, {}):\n    if N % item == 0:\n        flag = E\n        break",
    "any(N % item == 0 for item in range(2, {}))",
    "all(N % item != 0 for item in range(2, {}))",
    "all(N % item for item in range(2, {}))",
)

EXAMPLES: tuple[Rule, ...] = (
    template(
        "sum",
        "replaced an adding loop by sum(), which loops in C",
        *_adds("E for item in XS"),
        *_adds("E for item in XS if C"),
    ),
    template(
        "join",
        "joined the pieces of a text at once instead of copying it for every piece",
        *_adds("E for item in XS", "''.join(E for item in XS)", start="''"),
        *_adds("E + F for item in XS", "''.join(E + F for item in XS)", start="''"),
        *_adds("E for item in XS if C", "''.join(E for item in XS if C)", start="''"),
    ),
    template(
        "reverse",
        "reversed the text at once instead of putting each character in front",
        # A list of pieces need not be a text.
        Example(
            "total = ''\nfor item in XS:\n    total = item + total",
            "total = ''.join([*XS][::-1])",
        ),
    ),
    template(
        "comprehension",
        "built the list in a comprehension instead of appending to it",
        Example("xs = []\nfor item in XS:\n    xs.append(E)", "xs = [E for item in XS]"),
        Example(
            "xs = []\nfor item in XS:\n    if C:\n        xs.append(E)",
            "xs = [E for item in XS if C]",
        ),
    ),
    template(
        "plain-elements",
        "handed the elements on as they are, without a generator in between",
        Example("[item for item in XS]", "list(XS)"),
        Example("[A, *(item for item in XS)]", "[A, *XS]"),
        *(
            Example(f"{function}(item for item in XS)", f"{function}(XS)")
            for function in ("sum", "max", "min", "''.join", "Counter")
        ),
    ),
    template(
        "extremes",
        "let max() or min() find the extreme",
        *_extremes("max", ">"),
        *_extremes("min", "<"),
        Example("sorted(XS)[0]", "min(XS)"),
        Example("sorted(XS)[-1]", "max(XS)"),
    ),
    template(
        "closed-form",
        "summed the series by its closed form instead of term by term",
        *_adds(f"item {_TO_N}", "N * (N + 1) // 2"),
        *_adds(f"item * item {_TO_N}", _SQUARES),
        *_adds(f"item ** 2 {_TO_N}", _SQUARES),
        *_adds(f"item ** 3 {_TO_N}", "(N * (N + 1) // 2) ** 2"),
        Example("sum(range(1, N + 1))", "N * (N + 1) // 2"),
    ),
    template(
        "divisor-pairs",
        "found divisors in pairs, so that only numbers up to the square root are tried",
        *_adds(f"1 {_TO_N} if N % item == 0", f"sum(1 + (item * item != N) {_PAIRS})"),
        *_adds(
            f"item {_TO_N} if N % item == 0",
            f"sum(item + (N // item if item * item != N else 0) {_PAIRS})",
        ),
    ),
    template(
        "root-bound",
        "looked for a divisor only up to the square root, since the smaller of two is below it",
        *(
            Example(search.format(bound), search.format("isqrt(N) + 1"))
            for search in _DIVISOR_SEARCHES
            for bound in ("N", "N // 2 + 1")
        ),
    ),
    template(
        "count-method",
        "let the sequence's own count() do the counting",
        *(
            replace(example, of_list=True, of_parameter=True)
            for example in _adds("1 for item in xs if item == V", "xs.count(V)")
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
    template(
        "set-membership",
        "looked up membership in a set instead of searching a list each time",
        # In a text not only its characters are found, but every part.
        Example("E in xs", "E in xs_set", "xs_set = set(xs)", of_list=True),
        Example("E not in xs", "E not in xs_set", "xs_set = set(xs)", of_list=True),
    ),
    template(
        "counter",
        "counted all elements once instead of going through them for each count",
        Example("xs.count(E)", "xs_counts[E]", "xs_counts = Counter(xs)", of_list=True),
    ),
    template(
        "prefix-sums",
        "took sums of slices from prefix sums",
        # Slices may reach past the end, prefix sums may not.
        Example(
            "sum(xs[A:B])",
            "xs_sums[min(B, len(xs))] - xs_sums[A]",
            "xs_sums = [0, *accumulate(xs)]",
        ),
        Example("sum(xs[:B])", "xs_sums[min(B, len(xs))]", "xs_sums = [0, *accumulate(xs)]"),
        Example("sum(xs[A:])", "xs_sums[-1] - xs_sums[A]", "xs_sums = [0, *accumulate(xs)]"),
    ),
    template(
        "hoist-len",
        "took the length once, before the loop",
        Example("len(xs)", "xs_size", "xs_size = len(xs)"),
    ),
)
"""The rules that are examples."""
