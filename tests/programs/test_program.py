import hashlib

from workbench.programs import Program


def test_identity_is_the_text_alone() -> None:
    assert Program("x = 1\n").id == hashlib.sha256(b"x = 1\n").hexdigest()[:16]
    assert Program("x = 1\n") == Program("x = 1\n")
    assert Program("x = 1\n").id != Program("x = 1").id


def test_lone_surrogates_have_an_identity() -> None:
    assert Program("\ud800").id != Program("\ud801").id


def test_line_count_includes_a_last_line_without_newline() -> None:
    assert Program("a\nb").line_count == 2
    assert Program("").line_count == 0


def test_repr_shows_no_source() -> None:
    assert "secret" not in repr(Program("secret"))
