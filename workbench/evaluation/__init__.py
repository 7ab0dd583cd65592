"""Judging programs: verdicts, fitness, and statistical decisions about speed."""

from workbench.evaluation.comparison import Comparison, Decision
from workbench.evaluation.conditions import Conditions, Load
from workbench.evaluation.control import Control
from workbench.evaluation.evaluation import CaseResult, Evaluation
from workbench.evaluation.evaluator import Evaluator
from workbench.evaluation.verdict import Verdict

__all__ = [
    "CaseResult",
    "Comparison",
    "Conditions",
    "Control",
    "Decision",
    "Evaluation",
    "Evaluator",
    "Load",
    "Verdict",
]
