"""Views: how runs and their parts look in a notebook. Nothing is run or decided here.

`workbench.views.live` holds the one widget; it stays out of this list because importing it
loads the widget libraries, which tables and figures do without.
"""

from workbench.views.diff import diff
from workbench.views.display import enable, to_html
from workbench.views.fitness import FitnessHistory, fitness_figure, fitness_history
from workbench.views.lineage import LineageTable, lineage_table
from workbench.views.step import step_view

__all__ = [
    "FitnessHistory",
    "LineageTable",
    "diff",
    "enable",
    "fitness_figure",
    "fitness_history",
    "lineage_table",
    "step_view",
    "to_html",
]
