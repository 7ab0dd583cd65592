import math
import time
from typing import Any

import numpy as np
import pytest

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
        (5, np.int64(5)),
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


def test_strict_types_tell_a_list_from_a_tuple() -> None:
    assert difference([1], (1,), Structural(strict_types=True)) is not None
    assert difference((1,), (1,), Structural(strict_types=True)) is None


def test_unordered_compares_as_a_multiset() -> None:
    rule = Structural(unordered=True)
    assert difference([1, 2, 2], (2, 1, 2), rule) is None
    assert difference([1, 2], {2, 1}, rule) is None
    assert difference([1, 2, 2], [1, 1, 2], rule) is not None
    assert difference([1], [True], rule) is not None
    assert difference([[1, 2]], [[2, 1]], rule) is not None


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


@pytest.mark.parametrize(
    "answer",
    [
        "9" * 10**7,
        encode(1 << 40_000_000),
        "[" * 10**5 + "]" * 10**5,
        encode("x" * 10**7),
        encode(list(range(10**6))),
    ],
    ids=["digits", "giant int", "nested", "long text", "long list"],
)
def test_a_bomb_is_a_wrong_answer_within_a_moment(answer: str) -> None:
    started = time.perf_counter()
    difference = Structural().difference("[1]", answer)
    assert time.perf_counter() - started < 2.0  # 0.4 at most on an idle core
    assert difference is not None
    assert len(difference) < 400


@pytest.mark.parametrize("answer", ["", "nonsense", '{"$":"evil","v":1}', "NaN", "[1"])
def test_an_answer_that_is_no_value_is_a_difference(answer: str) -> None:
    difference = Structural().difference("1", answer)
    assert difference is not None
    assert difference.startswith("the answer cannot be read")
