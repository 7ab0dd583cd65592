import html
import re

import pytest
from builders import SLOW_DOUBLE
from hypothesis import given
from hypothesis import strategies as st

from workbench.views import code
from workbench.views.code import code_block, highlighted
from workbench.views.html import visible

_TAG = re.compile(r"<[^>]*>")


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", [code._KEYWORD, code._NAME, code._TEXT, code._NUMBER])
@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
def test_colours_read_on_light_and_on_dark(colour: str, ground: str) -> None:
    assert _contrast(colour, ground) > 4


def test_highlighting_uses_inline_styles_alone() -> None:
    shown = highlighted(SLOW_DOUBLE).markup
    assert "class=" not in shown
    assert 'style="' in shown


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_highlighting_changes_no_character(source: str) -> None:
    plain = source.replace("\r\n", "\n").replace("\r", "\n")
    assert html.unescape(_TAG.sub("", highlighted(plain).markup)) == visible(plain)


def test_a_program_cannot_break_out_of_its_box() -> None:
    shown = code_block("</pre><script>alert(1)</script>\n# \u202e", limit=1000).markup
    assert "<script" not in shown
    assert shown.count("</pre>") == 1
    assert "U+202E" in shown


def test_a_long_program_is_cut() -> None:
    shown = code_block("x = 1\n" * 10_000, limit=600).markup
    assert "59,400 more characters" in shown
