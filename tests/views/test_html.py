from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.views.html import (
    MOST_BYTES,
    Html,
    block,
    card,
    element,
    escape,
    facts,
    fitted,
    folded,
    picture,
    table,
    visible,
)

SCRIPT = "<script>alert('x')</script><img src=x onerror=alert(1)>"


class _Reader(HTMLParser):
    """Text and tags of markup, as a browser would take them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(markup: str) -> _Reader:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader


@pytest.mark.parametrize(
    "built",
    [
        element("div", SCRIPT),
        element("div", "x", title=SCRIPT),
        block(SCRIPT, limit=1000),
        card(SCRIPT, SCRIPT),
        folded(SCRIPT, SCRIPT),
        facts([(SCRIPT, SCRIPT)]),
        table([SCRIPT], [[SCRIPT]]),
        picture("<svg/>", description=SCRIPT),
    ],
)
def test_no_builder_lets_text_become_markup(built: Html) -> None:
    tags = _read(built.markup).tags
    assert "script" not in tags
    assert tags.count("img") == ("data:image/svg" in built.markup)


@given(st.text())
def test_escaped_text_reads_as_the_visible_text(text: str) -> None:
    assert _read(f"<i>{escape(text)}</i>").text == visible(text)


@given(st.text())
def test_visible_text_holds_nothing_invisible(text: str) -> None:
    shown = visible(text)
    assert all(character.isprintable() or character in "\n\t" for character in shown)


@pytest.mark.parametrize(
    ("hidden", "name"),
    [
        ("\u202e", "U+202E"),  # right-to-left override
        ("\u2066", "U+2066"),  # isolate
        ("\u200b", "U+200B"),  # zero-width space
        ("\x1b", "U+001B"),  # escape
        ("\x00", "U+0000"),
        ("\ud800", "U+D800"),  # half a surrogate pair
        ("\u00a0", "U+00A0"),  # a space that Python takes for an error
        ("\U000e0041", "U+E0041"),  # tag letter
        # Printable, says Python, and drawn as nothing.
        ("\u3164", "U+3164"),  # Hangul filler, a letter that may begin a name
        ("\u115f", "U+115F"),
        ("\uffa0", "U+FFA0"),
        ("\u2800", "U+2800"),  # empty Braille cell
        ("\ufe0f", "U+FE0F"),  # variation selectors
        ("\U000e0100", "U+E0100"),
        ("\u034f", "U+034F"),  # grapheme joiner
        ("\u17b4", "U+17B4"),
        ("\u180e", "U+180E"),
    ],
)
def test_a_character_that_would_deceive_is_shown_by_number(hidden: str, name: str) -> None:
    assert name in visible(f"a{hidden}b")
    assert hidden not in visible(f"a{hidden}b")


def test_ordinary_text_stays_as_it_is() -> None:
    text = "def f(x):\n\treturn 'naïve 漢字 ✓'\n"
    assert visible(text) == text


def test_a_long_block_says_how_much_is_missing() -> None:
    shown = _read(block("a" * 1_500, limit=500).markup).text
    assert shown.count("a") > 500
    assert "1,000 more characters" in shown


def test_a_long_table_says_how_many_rows_are_missing() -> None:
    shown = table(["n"], [[str(number)] for number in range(100)])
    assert "40 more rows" in shown.markup


def test_a_rendering_is_shrunk_until_it_fits() -> None:
    shown = fitted(lambda limit: block("&" * 10_000_000, limit=limit))
    assert len(shown.markup.encode()) <= MOST_BYTES
    assert "more characters" in shown.markup


def test_what_cannot_be_shrunk_is_replaced_by_its_size() -> None:
    shown = fitted(lambda _: element("div", "a" * 100_000))
    assert shown.markup == "<div>too long to show (97 KiB)</div>"
