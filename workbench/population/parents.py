"""Choosing a parent: explore, exploit, or take anyone."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from workbench.errors import ConfigError
from workbench.population.candidate import Candidate


@dataclass(frozen=True, kw_only=True)
class ParentRatios:
    """How often each way of choosing is used; the three must sum to 1.

    Attributes:
        exploration: uniformly from the island.
        exploitation: uniformly from the island's elite.
        random: uniformly from all islands.

    Source: MetaEvolve, section 3.1.3: "exploration-exploitation-random ratio of
    0.6:0.2:0.2". The paper leaves the three ways to OpenEvolve, whose last one is a roulette
    by fitness in some releases; here it is uniform over everybody.
    """

    exploration: float = 0.6
    exploitation: float = 0.2
    random: float = 0.2

    def __post_init__(self) -> None:
        """Refuse what is no distribution.

        Raises:
            ConfigError: a negative share, or a sum other than 1.
        """
        shares = (self.exploration, self.exploitation, self.random)
        # Put so that NaN, of which every comparison is false, is refused as well.
        if not (all(share >= 0 for share in shares) and abs(sum(shares) - 1) <= 1e-9):
            raise ConfigError(f"parent ratios must be at least 0 and sum to 1, got {shares}")


def choose_parent(
    island: Sequence[Candidate],
    everyone: Sequence[Candidate],
    elite: int,
    ratios: ParentRatios,
    rng: Random,
) -> Candidate:
    """One parent for a child that will live on `island`.

    Args:
        island: its members, not empty.
        everyone: the members of all islands, each once.
        elite: how many of the island's best make its elite.
        ratios: how often each way is used.
        rng: the stream of this choice.
    """
    draw = rng.random()
    if draw < ratios.exploration:
        return rng.choice(island)
    if draw < ratios.exploration + ratios.exploitation:
        best_first = sorted(island, key=lambda candidate: candidate.rank, reverse=True)
        return rng.choice(best_first[:elite])
    return rng.choice(everyone)
