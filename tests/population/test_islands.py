"""Islands: isolation, ring migration and parent choice."""

from collections import Counter

import pytest
from builders import candidate

from workbench.errors import ConfigError
from workbench.population import Islands, IslandSettings, Migration, ParentRatios
from workbench.population.parents import choose_parent
from workbench.streams import stream


def _islands(count: int = 3, **changes: int) -> Islands:
    return Islands(IslandSettings(count=count, **changes))


def test_children_stay_on_the_island_where_they_were_born() -> None:
    islands = _islands()
    islands.settle(candidate(0))
    islands.add([candidate(1, island=2, parents=[0])])
    assert [[c.id for c in island] for island in islands.members] == [[0], [0], [0, 1]]


def test_migration_copies_each_islands_best_to_the_next_in_the_ring() -> None:
    islands = _islands()
    islands.settle(candidate(0, seconds=0.050))
    islands.add([candidate(1, seconds=0.010, island=0), candidate(2, seconds=0.020, island=2)])
    assert islands.migrate() == (
        Migration(candidate=1, source=0, target=1),
        Migration(candidate=2, source=2, target=0),
    )
    assert [[c.id for c in island] for island in islands.members] == [[0, 1, 2], [0, 1], [0, 2]]


def test_nobody_crosses_two_straits_in_one_migration() -> None:
    islands = _islands(count=5)
    islands.settle(candidate(0, seconds=0.050))
    islands.add([candidate(1, seconds=0.001, island=0)])
    islands.migrate()
    assert [1 in {c.id for c in island} for island in islands.members] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_a_single_island_has_nowhere_to_send() -> None:
    islands = _islands(count=1)
    islands.settle(candidate(0))
    assert islands.migrate() == ()


def test_best_prefers_solved_then_fast_then_early() -> None:
    islands = _islands()
    islands.add([candidate(5, seconds=None, pass_rate=0.9), candidate(6, seconds=0.02)])
    islands.add([candidate(7, seconds=0.01), candidate(8, seconds=0.01)])
    assert islands.best is not None
    assert islands.best.id == 7


def test_parent_choice_follows_the_ratios() -> None:
    """10,000 draws within three standard deviations of 0.6 : 0.2 : 0.2."""
    island = [candidate(number, seconds=0.010 + number / 1000) for number in range(1, 11)]
    stranger = candidate(99, seconds=0.5, island=1)
    everyone = [*island, stranger]
    rng = stream(0, "test")
    draws = Counter(
        choose_parent(island, everyone, 1, ParentRatios(), rng).id for _ in range(10_000)
    )
    # The stranger comes by the random way alone: 0.2 / 11.
    assert draws[99] == pytest.approx(10_000 * 0.2 / 11, abs=3 * (10_000 * 0.0182 * 0.98) ** 0.5)
    # The best comes by all three ways: 0.6 / 10 + 0.2 + 0.2 / 11.
    expected = 0.06 + 0.2 + 0.2 / 11
    spread = 3 * (10_000 * expected * (1 - expected)) ** 0.5
    assert draws[1] == pytest.approx(10_000 * expected, abs=spread)


@pytest.mark.parametrize("ratios", [(0.5, 0.2, 0.2), (1.2, -0.1, -0.1), (float("nan"), 0.2, 0.2)])
def test_ratios_must_be_a_distribution(ratios: tuple[float, float, float]) -> None:
    with pytest.raises(ConfigError, match="sum to 1"):
        ParentRatios(exploration=ratios[0], exploitation=ratios[1], random=ratios[2])


@pytest.mark.parametrize("name", ["count", "migration_every", "migrants", "elite"])
def test_counts_must_be_positive(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        IslandSettings(**{name: 0})
    with pytest.raises(ConfigError, match=name):
        IslandSettings(**{name: 2.5})  # type: ignore[arg-type]
