import time

import pytest

from workbench.programs.regions import broken_protection

START, END = "# EVOLVE-BLOCK-START", "# EVOLVE-BLOCK-END"


def program(first: str, second: str = "B = 2") -> str:
    return f"{START}\n{first}\n{END}\nLIMIT = 10\n{START}\n{second}\n{END}\nprint(LIMIT)\n"


PARENT = program("A = 1")


@pytest.mark.parametrize("first", ["A = 7", "", "A = (\n    1,\n)\n'''text'''", "A = ')'  # ]"])
def test_regions_may_hold_anything_else(first: str) -> None:
    assert broken_protection(PARENT, program(first, "B = 3  # done")) == ""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("LIMIT = 99\n_ = '''", "'''"),
        ('LIMIT = 99\n_ = f"""', '"""'),
        ("LIMIT = 99\ndef f(", "): pass"),
        ("LIMIT = 99\n_ = lambda: [", "]"),
        ("A = '''", "B = 2"),
        ("A = (", "B = 2"),
        ("A = 1)", "(B = 2"),
    ],
)
def test_what_is_protected_cannot_be_hidden_in_a_string_or_bracket(first: str, second: str) -> None:
    assert "must stay, outside strings and brackets" in broken_protection(
        PARENT, program(first, second)
    )


def test_broken_python_within_a_region_is_for_the_evaluation_to_report() -> None:
    assert broken_protection(PARENT, program("A = = 1")) == ""


def test_markers_in_a_string_of_the_parent_mark_nothing() -> None:
    text = f"NOTE = '''\n{START}\n{END}\n'''\nA = 1\n"
    assert broken_protection(text, text.replace("A = 1", "A = 2")) == ""


@pytest.mark.parametrize(
    "marker",
    ["#EVOLVE-BLOCK-START", "# evolve-block-start", "# EVOLVE_BLOCK_START", f"{START} here"],
)
def test_a_comment_that_is_nearly_a_marker_is_refused(marker: str) -> None:
    source = PARENT.replace(START, marker, 1)
    message = f"the marker {marker!r} in line 1 must be written {START!r}"
    assert broken_protection(source, source) == message
    assert broken_protection("A = 1\n", source) == message


def test_carriage_returns_end_lines_as_they_do_for_python() -> None:
    assert broken_protection(PARENT, PARENT.replace("\n", "\r\n")) == ""
    assert broken_protection(PARENT, program(f"x = 1 #\r{END}\rLIMIT = 99\r_ = '''\r{END}")) != ""


@pytest.mark.parametrize("unit", ["'''\n", "((((", "x = 1\n", "\\\n", "a b ", "#\n", '"', " \n"])
def test_hostile_programs_of_half_a_million_characters_take_linear_time(unit: str) -> None:
    started = time.process_time()
    broken_protection(PARENT, program(unit * (490_000 // len(unit))))
    # Measured at no more than three seconds; a quadratic step would take hours.
    assert time.process_time() - started < 60
