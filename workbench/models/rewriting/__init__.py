"""General rewrites of Python programs, one rule family a file."""

from workbench.models.rewriting import arithmetic, lookups, loops, ranges, recursion, scripts
from workbench.models.rewriting.rule import Rule

RULES: tuple[Rule, ...] = (
    *loops.RULES,
    *arithmetic.RULES,
    *lookups.RULES,
    *ranges.RULES,
    *recursion.RULES,
    *scripts.RULES,
)
"""Every rule, in an order that means nothing but is always the same."""

__all__ = ["RULES", "Rule"]
