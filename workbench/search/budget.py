"""What a run may spend, and what it has spent."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from workbench.errors import ConfigError
from workbench.runs import Step


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Bounds on a whole run; None is no bound. They are checked before spending.

    Attributes:
        evaluations: programs of the model's judged, drafts included; given programs are not
            counted, nor are replies that held no program, repeated the parent or an earlier
            program.
        completions: replies asked of the model.
        tokens: completion tokens; a round in which they run out is finished.
    """

    evaluations: int | None = None
    completions: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that cannot be.

        Raises:
            ConfigError: a bound is negative or no whole number.
        """
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (isinstance(value, int) and value >= 0):
                raise ConfigError(
                    f"budget.{field.name} must be a whole number from 0 or None, got {value}"
                )

    def requests_left(self, spent: "Spent") -> int | None:
        """How many requests may be sent without the risk of overspending; None if any number."""
        if self.tokens is not None and spent.tokens >= self.tokens:
            return 0
        left = []
        if self.evaluations is not None:
            left.append(self.evaluations - spent.evaluations)
        if self.completions is not None:
            left.append(self.completions - spent.completions)
        return max(0, min(left)) if left else None


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What steps have cost, in the budget's terms."""

    evaluations: int = 0
    completions: int = 0
    tokens: int = 0

    @classmethod
    def on(cls, steps: Iterable[Step]) -> "Spent":
        """The cost of `steps`."""
        evaluations = completions = tokens = 0
        for step in steps:
            if step.completion is None:
                continue
            completions += 1
            tokens += step.completion.completion_tokens
            evaluations += step.evaluation is not None and step.duplicate_of is None
        return cls(evaluations=evaluations, completions=completions, tokens=tokens)
