"""What runs amount to: figures and lineage as folds over steps."""

from workbench.analysis.lineage import ancestors, offspring
from workbench.analysis.summary import RunSummary, summarise

__all__ = ["RunSummary", "ancestors", "offspring", "summarise"]
