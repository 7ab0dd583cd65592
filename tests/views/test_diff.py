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


def test_a_change_far_behind_two_thousand_equal_lines_is_shown() -> None:
    same = "x = 1\n" * 5_000
    before, after = f"{same}y = 2\n{same}", f"{same}y = 3\n{same}"
    shown = diff_html(before, after, limit=1_000).markup
    assert "- y = 2\n" in shown
    assert "+ y = 3\n" in shown
    assert "4997 unchanged lines" in shown
    plain = repr(diff(Program(before), Program(after)))
    assert "\n… 4997 unchanged lines\n x = 1\n x = 1\n x = 1\n-y = 2\n+y = 3\n x = 1\n" in plain


def test_lines_too_many_to_compare_are_counted() -> None:
    before = "".join(f"a{number}\n" for number in range(2_500))
    lines = diff_lines(before, "b\n")
    assert lines[-1].text == "500 lines of the first are not compared"
    assert sum(line.change is Change.REMOVED for line in lines) == 2_000
    assert [line.text for line in lines if line.change is Change.ADDED] == ["b"]


def test_the_first_changed_line_is_shown_however_long_it_is() -> None:
    before = "a = 1\nb = 1\nx = '" + "a" * 13_000 + "'\n"
    shown = diff_html(before, "a = 1\nb = 1\nx = 'short'\n", limit=100).markup
    assert "- x = &#x27;aaaa" in shown
    assert "12,906 more characters" in shown


def test_programs_that_differ_in_the_last_line_feed_alone_are_not_said_to_be_equal() -> None:
    assert "only the line feed at the end" in diff_html("a\n", "a", limit=100).markup


def test_a_diff_in_plain_text_orders_no_terminal_about() -> None:
    hostile = Program("x = 1\n# \x1b]0;owned\x07\x1b[2J \u202e\n")
    plain = repr(diff(Program("x = 1\n"), hostile))
    assert plain.splitlines()[2:] == [
        " x = 1",
        "+# «U+001B»]0;owned«U+0007»«U+001B»[2J «U+202E»",
    ]


def test_a_diff_is_readable_without_html() -> None:
    shown = repr(diff(Program(SLOW_DOUBLE), Program(FAST_DOUBLE)))
    assert "+    return 2 * n" in shown
    assert "-    total = 0" in shown
