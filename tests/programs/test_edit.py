import pytest

from workbench.programs.edit import EditError, Replacement, apply_replacement, found_in

SOURCE = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"


def apply(search: str, replace: str, source: str = SOURCE) -> str:
    return apply_replacement(
        source, Replacement(search=search.split("\n"), replace=replace.split("\n"))
    )


def error(search: str, source: str = SOURCE) -> str:
    with pytest.raises(EditError) as caught:
        apply(search, "x", source)
    return str(caught.value)


def test_only_whole_lines_match() -> None:
    assert "not found" in error("x = 1", "max = 1\n")


def test_ambiguous_search_names_count_and_lines() -> None:
    assert "found 3 times, at lines 1, 2, 3" in error("a", "a\na\na\nb\n")


def test_overlapping_occurrences_are_ambiguous() -> None:
    assert "found 2 times" in error("a\na", "a\na\na\n")


def test_not_found_names_the_faulty_line_and_the_closest_one() -> None:
    message = error("    total = 0\n    for i in range(m):")
    assert "no line 'for i in range(m):'" in message
    assert "line 3, 'for i in range(n):'" in message


def test_lines_that_are_apart_are_told_from_lines_that_are_missing() -> None:
    assert "not one after another" in error("    total = 0\n    return total")


@pytest.mark.parametrize("search", ["", "   ", "\n\n"])
def test_blank_search_never_matches_a_blank_line(search: str) -> None:
    assert "SEARCH is empty" in error(search, "a\n\nb\n")
    assert not found_in("a\n\nb\n", search.split("\n"))


def test_indentation_is_forgiven_and_the_replacement_moves_along() -> None:
    result = apply("for i in range(n):\n    total += i", "if n:\n    total = n", SOURCE)
    assert result == "def f(n):\n    total = 0\n    if n:\n        total = n\n    return total\n"


def test_replacement_moves_left_where_the_search_stood_further_right() -> None:
    search = "            for i in range(n):\n                total += i"
    result = apply(search, "            total = n\n        done = 1")
    assert result == "def f(n):\n    total = 0\n    total = n\ndone = 1\n    return total\n"


def test_indentation_must_shift_as_one() -> None:
    assert "not one after another" in error("for i in range(n):\ntotal += i")


def test_exact_match_wins_over_a_shifted_one() -> None:
    assert apply("x", "y", "    x\nx\n") == "    x\ny\n"


def test_shifted_match_must_be_unique() -> None:
    assert "indentation forgiven" in error("x", "  x\n    x\n")


def test_trailing_space_is_forgiven() -> None:
    assert apply("a  \nb", "c", "a\nb \n") == "c\n"


def test_no_lines_delete_and_one_blank_line_stays_a_line() -> None:
    for new, result in [((), "a\nc\n"), (("",), "a\n\nc\n")]:
        assert apply_replacement("a\nb\nc\n", Replacement(search=["b"], replace=new)) == result
