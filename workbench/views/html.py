"""Building HTML out of hostile text. What is shown, and when, is decided elsewhere.

Only what survives in a notebook that is not trusted is used: inline styles, `details`, tables,
`pre`, `mark`, `ins`, `del`, and pictures as data. Colours are inherited or readable on light and
dark, and nothing is told by colour alone.
"""

import base64
import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

MOST_BYTES = 64 * 1024
MOST_ROWS = 60
_BLOCK_LIMITS = (12_000, 4_000, 1_000, 200, 40)
_CELL_CHARACTERS = 160
_FACT_CHARACTERS = 600

# Letters and marks that are drawn as nothing though Python takes them for printable: those of
# Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties), and the empty Braille cell.
_DRAWN_AS_NOTHING = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff"
)
_NOTHING = re.compile(f"[{_DRAWN_AS_NOTHING}]")

BORDER = "rgba(128,128,128,.4)"
_BLOCK = (
    f"margin:.3em 0;padding:.5em .7em;border:1px solid {BORDER};border-radius:4px;"
    "color:inherit;background:transparent;font-size:12px;line-height:1.45;"
    "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;text-align:left"
)


@dataclass(frozen=True)
class Html:
    """Markup that is safe to show: every text in it has been escaped by the builders below.

    Attributes:
        markup: the HTML.
        plain: what a reader without HTML sees.
    """

    markup: str
    plain: str = ""

    def _repr_html_(self) -> str:
        return self.markup

    def __repr__(self) -> str:
        """The plain words, for terminals."""
        return self.plain or f"Html({len(self.markup):,} characters)"


Part = Html | str


def visible(text: str) -> str:
    """The text with every character that does not show itself replaced by its code point.

    Bidirectional overrides, blank letters and control characters can make a program look like
    another one, or order a terminal about; line feeds, tabs and spaces stay.
    """
    if text.isprintable() and not _NOTHING.search(text):
        return text
    return "".join(
        character
        if character in "\n\t" or (character.isprintable() and not _NOTHING.match(character))
        else f"\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}U+{ord(character):04X}"
        "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
        for character in text
    )


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of the text, then how many there are besides."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … {len(text) - limit:,} more characters"


def escape(text: str) -> str:
    """The text as markup; whatever it holds is shown, never interpreted."""
    return html.escape(visible(text), quote=True)


def element(tag: str, *children: Part, style: str = "", title: str = "") -> Html:
    """One element; children that are text are escaped."""
    attributes = f' style="{style}"' if style else ""
    attributes += f' title="{escape(title)}"' if title else ""
    inner = "".join(_markup(child) for child in children)
    return Html(f"<{tag}{attributes}>{inner}</{tag}>")


def join(parts: Iterable[Part]) -> Html:
    """The parts one after another."""
    return Html("".join(_markup(part) for part in parts))


def block(text: str, *, limit: int) -> Html:
    """Preformatted text, cut at `limit` characters."""
    return element("pre", shorten(text, limit), style=_BLOCK)


def block_of(content: Html) -> Html:
    """Preformatted text that has markup of its own."""
    return element("pre", content, style=_BLOCK)


def folded(summary: Part, *content: Part, is_open: bool = False) -> Html:
    """Content that opens at a click on its summary."""
    head = element("summary", summary, style="cursor:pointer")
    attribute = " open" if is_open else ""
    return Html(f"<details{attribute}>{head.markup}{join(content).markup}</details>")


def table(head: Sequence[str], rows: Sequence[Sequence[Part]], *, rows_left_out: int = 0) -> Html:
    """A table of at most `MOST_ROWS` rows, then how many there are besides.

    Args:
        head: names of the columns.
        rows: cells; text is escaped, and cut where it is long.
        rows_left_out: rows that the caller has cut already.
    """
    style = "text-align:left;vertical-align:top"
    body = [
        element("tr", *(element("td", _cut(cell, _CELL_CHARACTERS), style=style) for cell in row))
        for row in rows[:MOST_ROWS]
    ]
    titles = element("tr", *(element("th", name, style=style) for name in head))
    shown = element(
        "table",
        element("thead", titles),
        element("tbody", *body),
        style="border-collapse:collapse;color:inherit;margin:.3em 0",
    )
    left_out = rows_left_out + max(0, len(rows) - MOST_ROWS)
    return join([shown, element("div", f"{left_out:,} more rows")]) if left_out else shown


def facts(pairs: Iterable[tuple[str, Part]]) -> Html:
    """Names and values, two columns."""
    cell = "text-align:left;vertical-align:top"
    rows = [
        element(
            "tr",
            element("th", name, style=cell),
            element("td", _cut(value, _FACT_CHARACTERS), style=cell),
        )
        for name, value in pairs
    ]
    return element("table", element("tbody", *rows), style="color:inherit;margin:.3em 0")


def card(title: Part, *content: Part) -> Html:
    """A titled box."""
    style = f"border-left:3px solid {BORDER};padding:.1em .8em;margin:.4em 0;color:inherit"
    return element("div", element("div", element("b", title)), *content, style=style)


def picture(svg: str, *, description: str) -> Html:
    """An SVG as an image, which no notebook strips."""
    data = base64.b64encode(svg.encode()).decode()
    return Html(
        f'<img alt="{escape(description)}" style="max-width:100%" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def fitted(render: Callable[[int], Html]) -> Html:
    """The most detailed rendering that stays below 64 KiB.

    Args:
        render: builds the markup, given how many characters a block of text may have.
    """
    for limit in _BLOCK_LIMITS:
        shown = render(limit)
        if len(shown.markup.encode()) <= MOST_BYTES:
            return shown
    size = len(shown.markup.encode()) // 1024
    return Html(element("div", f"too long to show ({size:,} KiB)").markup, plain=shown.plain)


def _cut(value: Part, limit: int) -> Part:
    return value if isinstance(value, Html) else shorten(value, limit)


def _markup(part: Part) -> str:
    return part.markup if isinstance(part, Html) else escape(part)
