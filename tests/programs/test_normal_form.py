import threading
import warnings

import pytest

from workbench.programs import Program, normal_form


def form(source: str) -> str | None:
    return normal_form(Program(source))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x  =  1  # one\n\n"),
        ("def f():\n    return 1", 'def f():\n  """Doc."""\n  return (1)\n'),
        ("class A:\n    pass", "class A:\n    '''Doc.'''"),
        ('"""Module."""\nx = 1', "x = 1"),
        ("print('a')", 'print("a")'),
        ("x = 0x10", "x = 16"),
        ("if a:\n    b", "if a:\n\tb"),
    ],
)
def test_layout_comments_and_docstrings_do_not_count(one: str, other: str) -> None:
    assert form(one) == form(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "y = 1"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("f(a)\nf(b)", "f(b)\nf(a)"),
        ("x = 'a'", "x = b'a'"),
        ("a - b", "b - a"),
        ("def f():\n    'doc'\n    return 'doc'", "def f():\n    return 'dog'"),
    ],
)
def test_everything_else_counts(one: str, other: str) -> None:
    assert form(one) != form(other)


@pytest.mark.parametrize(
    "source",
    [
        "def f(:",
        "x = '\0'",
        "x = '\ud800'",
        "(" * 100_000,
        "-" * 50_000 + "1",
        "+".join(["1"] * 50_000),
        "a" + ".b" * 50_000,
        "x" * 600_000,
        "x = " + "9" * 5_000,
        "x = 0x" + "f" * 4_000,
        "{" * 90,
    ],
)
def test_what_cannot_be_read_has_none(source: str) -> None:
    assert form(source) is None


def test_warnings_about_the_source_stay_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert form("x = '\\d'\nx is 1") is not None


def test_threads_leave_the_warning_filters_as_they_were() -> None:
    before = list(warnings.filters)
    threads = [
        threading.Thread(target=lambda: [form("x = '\\d'") for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before
