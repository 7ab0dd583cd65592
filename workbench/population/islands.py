"""Islands in a ring: separate populations that meet only by migration."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from workbench.errors import ConfigError
from workbench.population.candidate import Candidate
from workbench.population.parents import ParentRatios, choose_parent


@dataclass(frozen=True, kw_only=True)
class IslandSettings:
    """Shape and habits of the archipelago.

    Attributes:
        count: how many islands.
        migration_every: rounds between migrations.
        migrants: how many of an island's best travel each time.
        elite: how many of an island's best can be chosen by exploitation.
        ratios: how parents are chosen.

    Source: MetaEvolve, section 3.1.3 (5 islands, migration every 5, the ratios). Numbers of
    migrants and of elite are not in the paper.
    """

    count: int = 5
    migration_every: int = 5
    migrants: int = 1
    elite: int = 3
    ratios: ParentRatios = field(default_factory=ParentRatios)

    def __post_init__(self) -> None:
        """Refuse counts that cannot be.

        Raises:
            ConfigError: a count below 1, or no whole number.
        """
        for name in ("count", "migration_every", "migrants", "elite"):
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= 1):
                raise ConfigError(f"islands.{name} must be a whole number from 1, got {value}")


@dataclass(frozen=True, kw_only=True)
class Migration:
    """One journey.

    Attributes:
        candidate: id of the traveller, which stays where it was as well.
        source: island it comes from.
        target: island it now lives on too.
    """

    candidate: int
    source: int
    target: int


class Islands:
    """A population on islands. Members are kept in order of arrival, each once an island."""

    def __init__(self, settings: IslandSettings) -> None:
        self._settings = settings
        self._members: list[dict[int, Candidate]] = [{} for _ in range(settings.count)]

    @property
    def members(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates on each island, in order of arrival."""
        return tuple(tuple(island.values()) for island in self._members)

    @property
    def everyone(self) -> tuple[Candidate, ...]:
        """All candidates, each once, by id."""
        united = {member.id: member for island in self._members for member in island.values()}
        return tuple(united[candidate_id] for candidate_id in sorted(united))

    @property
    def best(self) -> Candidate | None:
        """The best of all; of equals the earliest; None while empty."""
        return max(self.everyone, key=lambda candidate: candidate.rank, default=None)

    def settle(self, candidate: Candidate) -> None:
        """Put a starting program on every island."""
        for island in self._members:
            island[candidate.id] = candidate

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Put each candidate on the island where it was born."""
        for candidate in candidates:
            self._members[candidate.island][candidate.id] = candidate

    def choose_parent(self, island: int, rng: Random) -> Candidate:
        """A parent for a child of `island`.

        Raises:
            IndexError: there is no such island, or nobody lives there.
        """
        settings = self._settings
        members: Sequence[Candidate] = tuple(self._members[island].values())
        return choose_parent(members, self.everyone, settings.elite, settings.ratios, rng)

    def migrate(self) -> tuple[Migration, ...]:
        """Copy each island's best to the next one in the ring; who is there already stays put.

        All travellers are chosen before the first arrives, so that nobody crosses two straits
        at once.
        """
        if self._settings.count == 1:
            return ()
        journeys = []
        for source, island in enumerate(self._members):
            target = (source + 1) % self._settings.count
            best_first = sorted(island.values(), key=lambda member: member.rank, reverse=True)
            for member in best_first[: self._settings.migrants]:
                if member.id not in self._members[target]:
                    journeys.append((member, source, target))
        for member, _, target in journeys:
            self._members[target][member.id] = member
        return tuple(
            Migration(candidate=member.id, source=source, target=target)
            for member, source, target in journeys
        )
