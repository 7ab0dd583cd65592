"""Our rules beside those of other judges, whose verdicts were worked out from their documentation.

Each row is an expected answer, an answer, and whether that judge accepts it. Where ours decides
otherwise the row stands in a table of its own, with the reason.

- DMOJ: checkers `standard` (words must agree, and where the expected answer breaks a line so
  must the answer), `floats` (error mode default, precision 6) and `identical`.
- ICPC problem package format: the default output validator with and without `case_sensitive`,
  `space_change_sensitive`, `float_tolerance`.
- testlib: wcmp (sequences of tokens), lcmp (lines, as sequences of tokens), fcmp (lines), rcmp6
  (doubles, absolute or relative error 1e-6) and its `doubleCompare`.
"""

import pytest

from workbench.tasks.checker import Exact, Floats, Lines, Rule, Tokens


def accepts(rule: Rule, expected: str, answer: str) -> bool:
    return rule.difference(expected, answer) is None


# testlib wcmp; the ICPC validator with case_sensitive alone comes to the same verdicts.
WORDS = [
    ("1 2 3", "1 2 3", True),
    ("1 2 3", "1\n2\n3\n\n", True),
    ("1 2 3", "  1\t2\r\n3", True),
    ("1 2 3", "1\v2\f3", True),
    ("a b", "ab", False),
    ("ab", "a b", False),
    ("1 2 3", "1 2", False),
    ("1 2 3", "1 2 3 4", False),
    ("1 2 3", "1 3 2", False),
    ("", "", True),
    ("", "\n", True),
    ("", "x", False),
    ("x", "", False),
    ("x", "\n", False),
    ("Yes", "YES", False),
    ("1", "1.0", False),
    ("1", "+1", False),
    ("1", "01", False),
    ("1000", "1_000", False),
    ("1", "0x1", False),
    ("50000000000000000", "50000000000000001", False),
    ("a", "\ufeffa", False),
    ("a b", "a\u00a0b", False),
    ("a b", "a\u2003b", False),
    ("a b", "a\x1cb", False),  # white space to Python's str.split, and to no judge
    ("a b", "a\x85b", False),
    ("a b", "a\x00b", False),
]


@pytest.mark.parametrize(("expected", "answer", "verdict"), WORDS)
def test_tokens_decide_as_wcmp_does(expected: str, answer: str, verdict: bool) -> None:
    assert accepts(Tokens(), expected, answer) is verdict


# testlib lcmp.
LINES = [
    ("1 2\n3\n", "1 2\n3\n", True),
    ("1 2\n3\n", "1  2 \n 3", True),
    ("1 2\n3\n", "1 2\r\n3\r\n", True),
    ("1 2\n3\n", "1 2 3\n", False),
    ("1 2\n3\n", "1\n2 3\n", False),
    ("1 2\n3\n", "1 2\n\n3\n", False),
    ("1 2\n3\n", "\n1 2\n3\n", False),
    ("1 2\n3\n", "1 2\n4\n", False),
    ("1 2\n3\n", "1 2\n", False),
    ("1\n\n2\n", "1\n\n2\n", True),
    ("1\n\n2\n", "1\n2\n", False),
    ("1\n", "1", True),
    ("1\n", "1\n\n\n", True),
    ("1\n\n", "1\n", True),
]


@pytest.mark.parametrize(("expected", "answer", "verdict"), LINES)
def test_lines_decide_as_lcmp_does(expected: str, answer: str, verdict: bool) -> None:
    assert accepts(Lines(), expected, answer) is verdict


# DMOJ standard, which does not count how often a line is broken.
STANDARD = [
    ("1 2\n3\n", "1 2\n3", True),
    ("1 2\n3\n", "1  2\t\n 3  \n\n", True),
    ("1 2\n3\n", "1 2 3\n", False),
    ("1 2\n3\n", "1\n2\n3\n", False),
    ("1 2\n3\n", "1 2\r\n3\r\n", True),
    ("a b", "ab", False),
    ("ab", "a b", False),
    ("1 2", "1", False),
    ("1", "1 2", False),
    ("", "\n \n", True),
    ("", "x", False),
    ("Yes", "yes", False),
]


@pytest.mark.parametrize(("expected", "answer", "verdict"), STANDARD)
def test_lines_decide_as_dmoj_standard_does(expected: str, answer: str, verdict: bool) -> None:
    assert accepts(Lines(), expected, answer) is verdict


@pytest.mark.parametrize(
    ("expected", "answer"), [("1\n2", "1\n\n2"), ("1\n2", "\n1\n2"), ("1\n2", "1\r2")]
)
def test_lines_are_stricter_than_dmoj_standard_about_blank_lines_and_a_bare_return(
    expected: str, answer: str
) -> None:
    # There a line break is a line break, however many and of whichever of its two characters.
    # `lines` counts them, and only the line feed is one.
    assert not accepts(Lines(), expected, answer)
    assert accepts(Tokens(), expected, answer)


# ICPC default validator with case_sensitive and space_change_sensitive; testlib fcmp, whose
# lines end in LF or CRLF alike; DMOJ identical. They agree on these.
CHARACTERS = [
    ("a b\nc\n", "a b\nc\n", True),
    ("a b\nc\n", "a  b\nc\n", False),
    ("a b\nc\n", "a b \nc\n", False),
    ("a b\nc\n", " a b\nc\n", False),
    ("a b\nc\n", "a\tb\nc\n", False),
    ("a b\nc\n", "a b\n\nc\n", False),
    ("a b\nc\n", "a b c\n", False),
    ("a b\nc\n", "A b\nc\n", False),
    ("a b\nc\n", "a b\nc\nd\n", False),
    ("a b\nc\n", "a b\n", False),
    ("", "", True),
    ("", "a", False),
    ("a", "\ufeffa", False),
    ("a", "a\u00a0", False),
]


@pytest.mark.parametrize(("expected", "answer", "verdict"), CHARACTERS)
def test_exact_decides_as_the_space_sensitive_judges_do(
    expected: str, answer: str, verdict: bool
) -> None:
    assert accepts(Exact(), expected, answer) is verdict


@pytest.mark.parametrize(("expected", "answer"), [("a\nb\n", "a\r\nb\r\n"), ("a\n", "a")])
def test_exact_forgives_what_the_space_sensitive_icpc_validator_and_dmoj_identical_do_not(
    expected: str, answer: str
) -> None:
    # Line ends are the platform's doing, and a last one is print's. testlib fcmp forgives both.
    assert accepts(Exact(), expected, answer)


def test_exact_does_not_forgive_what_is_no_line_end() -> None:
    assert not accepts(Exact(), "a\nb\n", "a\rb\r")
    assert not accepts(Exact(), "a\n", "a\r\r\n")
    assert not accepts(Exact(), "a\n", "a\n\n")


# ICPC float_tolerance 1e-6: either bound suffices, what is no float must be the same word.
# testlib rcmp6 and DMOJ floats come to the same verdicts on these.
DECIMALS = [
    ("1.0", "1.0", True),
    ("1.0", "1.0000009", True),
    ("1.0", "0.9999991", True),
    ("1.0", "1.0000021", False),
    ("1.0", "0.9999979", False),
    ("0.0", "0.0000009", True),
    ("0.0", "0.0000011", False),
    ("0.0", "-0.0000009", True),
    ("1000000.0", "1000000.9", True),
    ("1000000.0", "1000001.1", False),
    ("-1000000.0", "-1000000.9", True),
    ("-1000000.0", "1000000.0", False),
    ("1e10", "1.0000005e10", True),
    ("1e10", "1.000002e10", False),
    ("2", "2.0000001", True),
    ("1.0 2.0", "1.0 3.0", False),  # and not the first word alone
    ("1.0 2.0", "1.0", False),
    ("1.0", "1.0 2.0", False),
    ("1.0", "one", False),
    ("1.0", "nan", False),
    ("1.0", "inf", False),
    ("1.0", "1.0x", False),
    ("1.0", "1.0.0", False),
    ("1.0", "1,0", False),
]


@pytest.mark.parametrize(("expected", "answer", "verdict"), DECIMALS)
def test_floats_decide_as_the_judges_with_a_tolerance_do(
    expected: str, answer: str, verdict: bool
) -> None:
    assert accepts(Floats(), expected, answer) is verdict


@pytest.mark.parametrize("answer", ["0.5", ".5", "5e-1", "+0.5", "0.50", "00.5"])
def test_floats_may_be_written_in_the_ways_that_icpc_and_dmoj_read(answer: str) -> None:
    assert accepts(Floats(), "0.5", answer)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [("0.3", "0.300001"), ("4.35", "4.350001"), ("12345.6", "12345.600001")],
)
def test_floats_hold_at_the_bound_where_binary_rounding_does_not(
    expected: str, answer: str
) -> None:
    # In binary each pair is a hair more than 1e-6 apart. testlib allows 1e-15 for that, too
    # little for the last one; the ICPC validator allows nothing.
    assert abs(float(answer) - float(expected)) > 1e-6
    assert accepts(Floats(atol=1e-6, rtol=0), expected, answer)
    assert not accepts(Floats(atol=0.9999e-6, rtol=0), expected, answer)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [("50000000000000000", "50000000000000001"), ("1000000", "1000001"), ("3", "4")],
)
def test_floats_are_stricter_than_other_judges_about_whole_numbers(
    expected: str, answer: str
) -> None:
    # As doubles, which other judges make of every number, the first two pairs are as good as
    # equal. Whole numbers were meant to be whole.
    assert not accepts(Floats(), expected, answer)


def test_floats_keep_integers_apart_from_other_ways_to_write_them() -> None:
    # Python's float takes "1_0", so DMOJ does; C's strtod takes "0x1p3", so others do.
    for answer in ("1_0.0", "0x1p3", "1e1_0", "\u0661\u0660.0", "10.0f", "1d1"):
        assert not accepts(Floats(), "10.0", answer)
        assert not accepts(Floats(), "8.0", answer)


@pytest.mark.parametrize(
    ("expected", "answer", "testlib", "ours"),
    [
        ("inf", "inf", True, True),
        ("inf", "-inf", False, False),
        ("-inf", "-inf", True, True),
        ("inf", "1e300", False, False),
        ("inf", "nan", False, False),
        # testlib's doubleCompare lets NaN answer NaN; DMOJ says never; ours if declared.
        ("nan", "nan", True, False),
        ("nan", "1.0", False, False),
    ],
)
def test_infinities_are_told_apart_by_sign_and_nan_answers_nothing_undeclared(
    expected: str, answer: str, testlib: bool, ours: bool
) -> None:
    assert accepts(Floats(), expected, answer) is ours
    assert accepts(Floats(nan_agrees=True), expected, answer) is testlib


@pytest.mark.parametrize(("expected", "answer"), [("1.0\n2.0", "1.0 2.0"), ("1.0 2.0", "1.0\n2.0")])
def test_floats_are_laxer_than_dmoj_floats_about_lines(expected: str, answer: str) -> None:
    # There the words of each line are compared; rcmp6 and ICPC read on over line breaks, as we do.
    assert accepts(Floats(), expected, answer)


@pytest.mark.parametrize("rule", [Tokens(), Lines(), Exact(), Floats()])
def test_letter_case_counts_unlike_with_the_icpc_validator_by_default(rule: Rule) -> None:
    # `case_sensitive` is an option there. Here no rule ignores case: a custom checker can.
    assert not accepts(rule, "Possible", "possible")
