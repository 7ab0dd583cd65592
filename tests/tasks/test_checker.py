from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ConfigError
from workbench.tasks.checker import Exact, Floats, Lines, Tokens

GIANT = "9" * 10**7


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("1 2 3\n", "1\n2\n3"),
        ("a b", "  a\t\tb \r\n"),
        ("", ""),
        ("", " \n\n"),
        ("naïve ∑", "naïve\n∑"),
    ],
)
def test_tokens_ignore_how_they_are_spaced(expected: str, answer: str) -> None:
    assert Tokens().difference(expected, answer) is None


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("a b", "ab"),
        ("1 2", "1"),
        ("1", "1 1"),
        ("", "x"),
        ("1", ""),
        ("1 2", "2 1"),
        ("YES", "yes"),
        ("1", "1.0"),
        ("1", "01"),
        ("1000", "1_000"),
        ("1", "0x1"),
        ("100000", "1e5"),
        ("a b", "a\u00a0b"),
        ("a", "\ufeffa"),
        ("50000000000000000", "50000000000000001"),
    ],
)
def test_tokens_must_be_the_same_and_as_many(expected: str, answer: str) -> None:
    assert Tokens().difference(expected, answer) is not None


def test_the_first_differing_token_is_shown_between_its_neighbours() -> None:
    assert Tokens().difference("1 2 3\n4 5", "1 2 3\n9 5") == (
        "token 4, line 2: expected 3 [4] 5, got 3 [9] 5"
    )
    assert Tokens().difference("1 2", "1") == "token 2, line 1: expected 1 [2], got 1 [the end]"
    assert Tokens().difference("1", "1 2") == "token 2, line 1: expected 1 [the end], got 1 [2]"


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
@pytest.mark.parametrize("rule", [Tokens(), Lines(), Exact(), Floats()])
def test_a_giant_token_is_told_apart_at_once_and_shown_shortened(rule: Tokens) -> None:
    difference = rule.difference("12 13\n", GIANT)
    assert difference is not None
    assert len(difference) < 200


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
def test_an_endless_answer_costs_no_more_than_the_expected_one() -> None:
    assert Tokens().difference("1 2", "1 " * 10**7) is not None
    assert Lines().difference("1", "1" + "\n" * 10**7 + "2") is not None


@pytest.mark.parametrize(
    ("expected", "answer", "same"),
    [
        ("1 2\n3\n", "1  2 \n3", True),
        ("1\n2\n", "1\r\n2\r\n\r\n\n", True),
        ("1\n\n2", "1\n \n2", True),
        ("1 2\n3", "1 2 3", False),
        ("1\n2", "1\n\n2", False),
        ("1\n2", "\n1\n2", False),
        ("1\n2", "1\n2\n3", False),
    ],
)
def test_lines_hold_tokens_to_their_lines(expected: str, answer: str, same: bool) -> None:
    assert (Lines().difference(expected, answer) is None) is same


@pytest.mark.parametrize(
    ("expected", "answer", "same"),
    [
        ("a b\n", "a b", True),
        ("a\nb\n", "a\r\nb\r\n", True),
        ("a b", "a  b", False),
        ("a", "a\n\n", False),
        ("a", "a ", False),
        ("a", "", False),
        ("", "a", False),
    ],
)
def test_exact_forgives_line_ends_only(expected: str, answer: str, same: bool) -> None:
    assert (Exact().difference(expected, answer) is None) is same


def test_exact_names_line_and_column() -> None:
    difference = Exact().difference("ab\ncdef", "ab\ncdxf")
    assert difference is not None
    assert difference.startswith("line 2, column 3: expected cd [e]")


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("1.0", "1.000001"),
        ("0.3", "0.300001"),
        ("1000000.0", "1000001"),
        ("0.0", "1e-6"),
        ("2", "2.0"),
        ("100000", "1e5"),
        ("-0.0", "0"),
        ("1.5", "+1.5"),
        ("007", "7"),
        ("inf", "Infinity"),
        ("yes 1.0", "yes 1.0000001"),
        (".5", "5.e-1"),
    ],
)
def test_floats_agree_up_to_and_at_the_tolerance(expected: str, answer: str) -> None:
    assert Floats().difference(expected, answer) is None


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("1.0", "1.0000021"),
        ("50000000000000000", "50000000000000001"),
        ("3", "4"),
        ("1.0", "nan"),
        ("nan", "nan"),
        ("inf", "-inf"),
        ("1.0", "inf"),
        ("1000.0", "1_000.0"),
        ("1.0", "0x1p0"),
        ("1.0", "one"),
        ("1.0", "1.0 1.0"),
        ("1.0", "\u0661.0"),
        ("1e400", "1e401"),
        ("1." + "0" * 1000, "1.0"),
    ],
)
def test_floats_keep_apart_what_differs(expected: str, answer: str) -> None:
    assert Floats().difference(expected, answer) is not None


def test_a_narrow_tolerance_is_not_widened_by_the_allowance_for_rounding() -> None:
    assert Floats(atol=0, rtol=1e-6).difference("1e-13", "5e-13") is not None
    assert Floats(atol=0, rtol=0).difference("1.0", "1.0000000000001") is not None
    assert Floats(atol=1e-6, rtol=0).difference("1000000.0", "1000000.0000011") is not None
    assert Floats(atol=1e-6, rtol=0).difference("1000000.0", "1000000.000001") is None


def test_nan_answers_nan_where_that_is_declared() -> None:
    assert Floats(nan_agrees=True).difference("nan 1", "NaN 1") is None
    assert Floats(nan_agrees=True).difference("nan", "inf") is not None


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_a_tolerance_that_means_nothing_is_refused(tolerance: float) -> None:
    with pytest.raises(ConfigError, match="atol must be finite"):
        Floats(atol=tolerance)


def test_a_checker_is_told_by_its_repr() -> None:
    assert repr(Floats(atol=0.5)) == "Floats(rtol=1e-06, atol=0.5, nan_agrees=False)"


texts = st.text(alphabet="ab1. \t\n\r\v\f\u00a0\x1c", max_size=12)


@given(texts, texts)
def test_tokens_are_what_splitting_bytes_gives(expected: str, answer: str) -> None:
    same = expected.encode().split() == answer.encode().split()
    assert (Tokens().difference(expected, answer) is None) is same


@given(texts, texts)
def test_lines_are_what_splitting_each_line_gives(expected: str, answer: str) -> None:
    def words(text: str) -> list[list[bytes]]:
        lines = [line.split() for line in text.encode().split(b"\n")]
        while lines and not lines[-1]:
            del lines[-1]
        return lines

    same = words(expected) == words(answer)
    assert (Lines().difference(expected, answer) is None) is same


@given(texts, texts)
def test_exact_is_equality_after_line_ends(expected: str, answer: str) -> None:
    def plain(text: str) -> str:
        text = text.replace("\r\n", "\n")
        return text[:-1] if text.endswith("\n") else text

    same = plain(expected) == plain(answer)
    assert (Exact().difference(expected, answer) is None) is same


@given(st.decimals(-1000, 1000, places=7), st.decimals(-1000, 1000, places=7))
def test_floats_are_what_decimal_arithmetic_gives(expected: Decimal, step: Decimal) -> None:
    for answer in (expected + step, expected + step / 10**8):
        bound = max(Decimal("1e-6"), Decimal("1e-6") * abs(expected))
        error = abs(answer - expected)
        if abs(error - bound) > Decimal("1e-11"):  # at the bound itself rounding has a say
            found = Floats().difference(f"{expected:f}", f"{answer:f}")
            assert (found is None) is (error < bound)


@given(texts)
def test_every_text_answers_itself(text: str) -> None:
    for rule in (Tokens(), Lines(), Exact(), Floats()):
        assert rule.difference(text, text) is None
