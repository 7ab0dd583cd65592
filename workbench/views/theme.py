"""One look for every figure: colours, marker symbols, a plotly template."""

from typing import TYPE_CHECKING

from workbench.evaluation import Verdict

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Okabe and Ito 2008, without the yellow, which is lost on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
FAILED = "#D55E00"
SOLVED = "#0072B2"

SYMBOLS = {
    Verdict.ACCEPTED: "circle",
    Verdict.WRONG_ANSWER: "x",
    Verdict.DENIED: "octagon-open",
    Verdict.OUTPUT_LIMIT: "diamond-open",
    Verdict.MEMORY_LIMIT: "square-open",
    Verdict.TIME_LIMIT: "hourglass-open",
    Verdict.RUNTIME_ERROR: "triangle-down-open",
    Verdict.COMPILE_ERROR: "triangle-up-open",
    Verdict.NO_CHANGE: "circle-open",
    Verdict.UNPARSED: "cross-open",
}


def template() -> "go.layout.Template":
    """White ground, thin grid, sober type; registered nowhere, so that nothing else changes."""
    import plotly.graph_objects as go

    axis = {
        "gridcolor": "#e5e5e5",
        "linecolor": "#444444",
        "showline": True,
        "ticks": "outside",
        "zeroline": False,
        "title": {"standoff": 8},
    }
    return go.layout.Template(
        layout={
            "font": {"family": "Helvetica, Arial, sans-serif", "size": 12, "color": "#222222"},
            "title": {"font": {"size": 14}, "x": 0, "xref": "paper", "xanchor": "left"},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "colorway": list(PALETTE),
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"orientation": "h", "x": 0, "y": -0.3, "yanchor": "top"},
            "margin": {"l": 64, "r": 20, "t": 48, "b": 110},
            "hovermode": "closest",
        }
    )
