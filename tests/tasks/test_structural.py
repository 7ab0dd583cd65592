import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ConfigError
from workbench.sandbox.codec import encode
from workbench.tasks.structural import Structural


def difference(expected: Any, answer: Any, rule: Structural | None = None) -> str | None:
    return (rule or Structural()).difference(encode(expected), encode(answer))


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ([1, [2, 3]], (1, (2, 3))),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}),
        ({1, 2, 3}, {3, 2, 1}),
        ({(1, 2): {3}}, {(1, 2): {3}}),
        ("", ""),
        (b"ab", b"ab"),
        (0.1, 0.1),
        (0.0, -0.0),
        (math.inf, math.inf),
        (1 + 2j, 1 + 2j),
        (None, None),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])),
        ((1, [2]), [1, (2,)]),
        ({1: [2]}, {1: (2,)}),
        ({0.0}, {-0.0}),
        (frozenset({"a"}), frozenset({"a"})),
        (np.array([1.5, 2.5]), np.array([1.5, 2.5], dtype=np.float32)),
        (np.array([True]), np.array([True])),
        (5, np.int64(5)),
        (0.5, np.float32(0.5)),
        (True, np.bool_(True)),
    ],
)
def test_equal_values_agree(expected: Any, answer: Any) -> None:
    assert difference(expected, answer) is None


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        (1, True),
        (0, False),
        (True, 1),
        (1, 1.0),
        (1.0, 1),
        (0.3, 0.1 + 0.2),
        (math.nan, math.nan),
        (math.inf, -math.inf),
        (None, 0),
        (0, None),
        ([], None),
        ("1", 1),
        ("a", b"a"),
        ([1, 2], [2, 1]),
        ([1, 2], [1]),
        ([1], [1, 1]),
        ([1, 2], {1, 2}),
        ({1}, {True}),
        ({1}, frozenset({1})),
        ({1: "a"}, {True: "a"}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ({"a": None}, {"b": None}),
        ({"a": None}, {}),
        ({}, None),
        ("", None),
        (False, None),
        ({1: "a"}, {1.0: "a"}),
        ({1: "a"}, {"1": "a"}),
        ({(1,): 0}, {(True,): 0}),
        ({math.nan}, {math.nan}),
        ({math.nan: 1}, {math.nan: 1}),
        ((math.nan,), (math.nan,)),
        ({"a": math.nan}, {"a": math.nan}),
        (complex(0, math.nan), complex(0, math.nan)),
        (np.array([math.nan]), np.array([math.nan])),
        (np.float64(math.nan), np.float64(math.nan)),
        ({1, 2}, [1, 2]),
        ({1, 2}, (1, 2)),
        ({1, 2}, {1, 2, 3}),
        ({1, 2}, {1, 3}),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([1]), np.array([True])),
        (np.array([1, 2]), [1, 2]),
        (np.array([1]), 1),
        (2**53 + 1, float(2**53)),
        (np.array([1, 2]), np.array([[1, 2]])),
        (np.array([1, 2]), np.array([1, 3])),
        (np.zeros((0, 3)), np.zeros((3, 0))),
        ([1, 2], np.array([1, 2])),
    ],
)
def test_unequal_values_differ(expected: Any, answer: Any) -> None:
    assert difference(expected, answer) is not None


def test_integers_of_thousands_of_digits_are_compared_exactly() -> None:
    assert difference(10**5000, 10**5000) is None
    assert difference([10**5000], [10**5000 + 1]) is not None


def test_a_declared_tolerance_covers_floats_and_lets_ints_answer_them() -> None:
    rule = Structural(rtol=1e-6, atol=1e-6)
    assert difference([0.3, {"x": 1.0}], [0.1 + 0.2, {"x": 1}], rule) is None
    assert difference(np.array([1.0, 2.0]), np.array([1.0, 2.000001]), rule) is None
    assert difference(1 + 1j, 1 + 1.0000001j, rule) is None
    assert difference(1.0, 1.00001, rule) is not None
    assert difference(50000000000000000, 50000000000000001, rule) is not None
    assert difference(1, True, rule) is not None
    assert difference(1.0, 10**400, rule) is not None
    assert difference(math.nan, math.nan, rule) is not None


def test_nan_answers_nan_where_that_is_declared() -> None:
    assert difference([math.nan], [math.nan], Structural(nan_agrees=True)) is None
    assert difference([math.nan], [0.0], Structural(nan_agrees=True)) is not None
    assert difference({math.nan: 1}, {math.nan: 1}, Structural(nan_agrees=True)) is None
    assert difference({math.nan}, {math.nan}, Structural(nan_agrees=True)) is None


def test_strict_types_tell_a_list_from_a_tuple() -> None:
    assert difference([1], (1,), Structural(strict_types=True)) is not None
    assert difference((1,), (1,), Structural(strict_types=True)) is None


def test_a_tolerance_does_not_reach_into_sets_and_keys() -> None:
    rule = Structural(rtol=1e-6, atol=1e-6)
    assert difference({1.0}, {1.0000001}, rule) is not None
    assert difference({1.0: 1}, {1.0000001: 1}, rule) is not None
    assert difference({1.0: 1.0}, {1.0: 1.0000001}, rule) is None


def test_unordered_compares_as_a_multiset() -> None:
    rule = Structural(unordered=True)
    assert difference([1, 2, 2], (2, 1, 2), rule) is None
    assert difference([1, 2], {2, 1}, rule) is None
    assert difference([1, 2, 2], [1, 1, 2], rule) is not None
    assert difference([1], [True], rule) is not None
    assert difference([1], [1.0], rule) is not None
    assert difference([[1, 2]], [[2, 1]], rule) is not None
    assert difference([1, 2], {"a": 1}, rule) is not None
    assert difference([], None, rule) is not None
    assert difference([1, 2], [1], rule) == "answer length: expected 2, got 1"


def test_unordered_items_agree_as_they_do_in_order() -> None:
    rule = Structural(unordered=True)
    assert difference([[1, 2], [3, 4]], [(3, 4), (1, 2)], rule) is None
    assert difference([0.0], [-0.0], rule) is None
    assert difference([{"a": 1, "b": (2,)}, 3], [3, {"b": [2], "a": 1}], rule) is None
    assert difference([math.nan], [math.nan], rule) is not None
    strict = Structural(unordered=True, strict_types=True)
    assert difference([[1, 2]], [(1, 2)], strict) is not None
    forgiving = Structural(unordered=True, nan_agrees=True)
    assert difference([1, math.nan], [math.nan, 1], forgiving) is None


def test_unordered_with_a_tolerance_is_refused() -> None:
    with pytest.raises(ConfigError, match="unordered has no meaning with a tolerance"):
        Structural(unordered=True, atol=0.1)


def test_the_path_and_the_neighbours_of_the_first_difference_are_named() -> None:
    assert difference({"a": [1, 2, 3]}, {"a": [1, 5, 3]}) == (
        "answer['a'][1]: expected 1 [2] 3, got 1 [5] 3"
    )
    assert difference([1, 2], [1]) == "answer length: expected 2, got 1"
    assert difference({"a": 1}, {"b": 1}) == "answer['a']: expected 1, got nothing"
    assert difference(None, [1]) == "answer: expected None, got [1]"


def nested(brackets: int) -> str:
    return "[" * brackets + "]" * brackets


LONG = list(range(10**6))
BOMBS = {
    "digits": "9" * 10**7,
    "giant int": encode(1 << 40_000_000),
    "deep": nested(10**5),
    "as deep as can be read": nested(300),
    "long text": encode("x" * 10**7),
    "brackets in a text": encode("[" * 10**7),
    "backslashes": encode("\\" * 10**7),
    "long list": encode(LONG),
    "long list of lists": encode([[number] for number in LONG[: 10**5]]),
    "wide and shallow": f"[{'[],' * 10**6}[]]",
    "long set": encode(set(LONG[: 10**5])),
    "long dict": encode(dict.fromkeys(LONG[: 10**5])),
    "long array": encode(np.arange(10**6)),
    "nans": encode([math.nan] * 10**5),
}


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
@pytest.mark.parametrize("answer", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("expected", ["[1]", encode({1}), encode({1: 1}), "null"])
def test_a_bomb_is_a_wrong_answer_within_a_moment(answer: str, expected: str) -> None:
    differences = [rule.difference(expected, answer) for rule in (Structural(), UNORDERED)]
    for found in differences:
        assert found is not None
        assert len(found) < 400


UNORDERED = Structural(unordered=True)
TOLERANT = Structural(rtol=1e-6)
LONG_PAIRS = {
    "integers": (LONG, LONG, Structural()),
    "the last one differs": (LONG, [*LONG[:-1], None], Structural()),
    "in reverse": (LONG, LONG[::-1], UNORDERED),
    "floats a little off": ([n / 7 for n in LONG], [n / 7 + 1e-9 * n for n in LONG], TOLERANT),
    "an array": (np.arange(10**6) / 7, np.arange(10**6) / 7, TOLERANT),
    "tuples for lists": ([[n] for n in LONG[: 10**5]], [(n,) for n in LONG[: 10**5]], Structural()),
    "texts": (list(map(str, LONG)), tuple(map(str, LONG)), Structural()),
}


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
@pytest.mark.parametrize(("expected", "answer", "rule"), LONG_PAIRS.values(), ids=LONG_PAIRS)
def test_a_million_items_take_a_moment(expected: Any, answer: Any, rule: Structural) -> None:
    expected_text, answer_text = encode(expected), encode(answer)
    found = rule.difference(expected_text, answer_text)
    assert (found is None) is (answer[-1] is not None)


@pytest.mark.parametrize(
    "answer",
    ["", "nonsense", '{"$":"evil","v":1}', "NaN", "[1", "1,1", '"\\ud800', "\x00", "Infinity", "-",
     "01", "0x1", "1_000", "True", '{"$":"set","v":[[1]]}', "[" * 400 + "]" * 400],
)  # fmt: skip
def test_an_answer_that_is_no_value_is_a_difference(answer: str) -> None:
    difference = Structural().difference("1", answer)
    assert difference is not None
    assert difference.startswith("the answer cannot be read")


numbers = st.integers() | st.floats(allow_nan=False) | st.booleans()
atoms = numbers | st.none() | st.text(max_size=3) | st.binary(max_size=3)
keys = st.integers(-2, 2) | st.text(max_size=1) | st.booleans() | st.none()
values = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(keys, inner, max_size=3)
        | st.frozensets(keys, max_size=3)
    ),
    max_leaves=10,
)


@given(values)
def test_every_value_without_nan_answers_itself(value: Any) -> None:
    for rule in (Structural(), Structural(strict_types=True), UNORDERED, TOLERANT):
        assert difference(value, value, rule) is None


@given(values, values)
def test_agreement_is_mutual_and_is_what_the_plain_definition_says(first: Any, second: Any) -> None:
    agree = difference(first, second) is None
    assert agree is (difference(second, first) is None)
    assert agree is same(first, second)
    assert agree is (difference([first], [second], UNORDERED) is None)


def same(first: Any, second: Any) -> bool:
    """The definition, without a care for time or depth."""
    sequences = (list, tuple)
    if isinstance(first, sequences) and isinstance(second, sequences):
        return len(first) == len(second) and all(map(same, first, second))
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        pairs = [(key, other) for key in first for other in second if same(key, other)]
        return len(pairs) == len(first) == len(second) and all(
            same(first[key], second[other]) for key, other in pairs
        )
    if isinstance(first, frozenset):
        return len(first) == len(second) and all(
            any(same(item, other) for other in second) for item in first
        )
    return bool(first == second)


@given(st.lists(values, max_size=5), st.randoms(use_true_random=False))
def test_in_any_order_a_shuffle_agrees_and_a_changed_item_does_not(
    items: list[Any], random: Random
) -> None:
    shuffled = random.sample(items, len(items))
    assert difference(items, shuffled, UNORDERED) is None
    if items:
        shuffled[random.randrange(len(items))] = "no such item"
        assert difference(items, shuffled, UNORDERED) is not None


@given(st.text(alphabet='[]{}",:1a \\', max_size=60))
def test_whatever_text_a_program_leaves_is_a_difference_or_the_value(text: str) -> None:
    found = Structural().difference(encode(["no", "such"]), text)
    assert found is not None
