"""General rewrites of Python programs: most are examples, some look at a whole program."""

from workbench.models.rewriting.examples import EXAMPLES
from workbench.models.rewriting.rule import Rule
from workbench.models.rewriting.structure import STRUCTURE

RULES: tuple[Rule, ...] = (*EXAMPLES, *STRUCTURE)
"""Every rule, in an order that means nothing but is always the same."""

__all__ = ["RULES", "Rule"]
