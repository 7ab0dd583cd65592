"""Python source as coloured HTML that reads on light and on dark."""

from functools import cache

from workbench.views.html import Html, block_of, join, shorten, visible

# Each has a contrast above 4 on white and on near-black.
_KEYWORD, _NAME, _TEXT, _NUMBER, _COMMENT = "#2b77e1", "#16849a", "#148a4f", "#be5f1b", "#797979"


def code_block(source: str, *, limit: int) -> Html:
    """Python source in a box, cut at `limit` characters."""
    shown, more = source[:limit], shorten(source, limit)[limit:]
    return block_of(join([highlighted(shown), more]))


def highlighted(source: str) -> Html:
    """The source with inline colours; text that is no Python comes back as it is."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers.python import PythonLexer

    formatter = HtmlFormatter(noclasses=True, nowrap=True, style=_style())
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    markup: str = highlight(visible(source), lexer, formatter)
    # The formatter ends every line, the last one of an unfinished text too.
    return Html(markup if source.endswith("\n") else markup.removesuffix("\n"))


@cache
def _style() -> type:
    """The colours as Pygments wants them."""
    from pygments.style import Style
    from pygments.token import Comment, Keyword, Name, Number, Operator, String

    class Readable(Style):  # type: ignore[misc]  # Pygments has no types
        styles = {  # noqa: RUF012 - the base class's convention
            Keyword: f"bold {_KEYWORD}",
            Operator.Word: f"bold {_KEYWORD}",
            Name.Builtin: _NAME,
            Name.Function: f"bold {_NAME}",
            Name.Class: f"bold {_NAME}",
            String: _TEXT,
            Number: _NUMBER,
            Comment: f"italic {_COMMENT}",
        }

    return Readable
