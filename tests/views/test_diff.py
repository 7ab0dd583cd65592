import re

from builders import FAST_DOUBLE, SLOW_DOUBLE
from hypothesis import given
from hypothesis import strategies as st

from workbench.programs import Program
from workbench.views.diff import Change, DiffLine, diff, diff_html, diff_lines

_LINES = st.lists(st.sampled_from(["a", "b", "", "  c"]), min_size=1, max_size=30)


def _side(lines: list[DiffLine], dropped: Change) -> list[str]:
    return [line.text for line in lines if line.change not in (dropped, Change.SKIPPED)]


def test_lines_taken_out_and_put_in_are_told_apart_by_mark_and_by_colour() -> None:
    shown = diff_html("a\nold\n", "a\nnew\n", limit=1000).markup
    assert re.search(r"<del [^>]*>- old\n</del>", shown)
    assert re.search(r"<ins [^>]*>\+ new\n</ins>", shown)


@given(_LINES, _LINES)
def test_without_skips_each_side_can_be_read_back(before: list[str], after: list[str]) -> None:
    lines = diff_lines("\n".join(before) + "\n", "\n".join(after) + "\n")
    if any(line.change is Change.SKIPPED for line in lines):
        return
    assert _side(lines, Change.ADDED) == before
    assert _side(lines, Change.REMOVED) == after


def test_far_off_unchanged_lines_are_counted_instead_of_shown() -> None:
    before = "".join(f"line {number}\n" for number in range(20))
    lines = diff_lines(before, before.replace("line 10\n", "changed\n"))
    assert [line.text for line in lines if line.change is Change.SKIPPED] == [
        "7 unchanged lines",
        "6 unchanged lines",
    ]
    assert [line.text for line in lines if line.change is Change.ADDED] == ["changed"]


def test_equal_programs_are_said_to_be_equal() -> None:
    assert "no line differs" in diff_html(SLOW_DOUBLE, SLOW_DOUBLE, limit=1000).markup


def test_hidden_characters_and_markup_are_shown_not_obeyed() -> None:
    shown = diff_html("x\n", "<b>\u202e\r\n", limit=1000).markup
    assert "<b>" not in shown
    assert "U+202E" in shown
    assert "U+000D" in shown


def test_two_long_programs_of_one_repeated_line_are_compared_quickly() -> None:
    shown = diff_html("x\n" * 100_000, "x\ny\n" * 50_000, limit=2_000).markup
    assert "more lines" in shown


def test_a_diff_is_readable_without_html() -> None:
    shown = repr(diff(Program(SLOW_DOUBLE), Program(FAST_DOUBLE)))
    assert "+    return 2 * n" in shown
    assert "-    total = 0" in shown
