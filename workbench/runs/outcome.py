"""The outcome of a round: who was kept, who migrated, who leads."""

from dataclasses import dataclass

from workbench.population import Migration


@dataclass(frozen=True, kw_only=True)
class RoundOutcome:
    """What `tell` decided.

    Attributes:
        round: which round.
        kept: ids of the candidates that joined the population, best first.
        dropped: ids of the candidates that did not.
        migrations: journeys after the round.
        best: id of the best candidate so far, None if there is none.
        best_fitness: its fitness.
    """

    round: int
    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    migrations: tuple[Migration, ...]
    best: int | None
    best_fitness: float
