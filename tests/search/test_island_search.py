"""The method's decisions, told by hand-made steps."""

import pytest
from builders import double_task, evaluation

from workbench.errors import ConfigError
from workbench.evaluation import Evaluation
from workbench.models import Completion
from workbench.population import IslandSettings, ParentRatios
from workbench.programs import EditKind, Program
from workbench.runs import Request, Step
from workbench.search import IslandSearch, IslandSearchSettings

SMALL = IslandSearchSettings(
    rounds=6, parents=4, keep=2, islands=IslandSettings(count=2, migration_every=3)
)


def _search(settings: IslandSearchSettings = SMALL, seed: int = 0) -> IslandSearch:
    return IslandSearch(double_task(), settings, seed=seed, given=(double_task().start,))


def _answer(
    request: Request, seconds: float | None = 0.01, *, text: str = "", pass_rate: float = 0.5
) -> Step:
    program = request.program or Program(text or f"x = {request.step}\n")
    judged: Evaluation = evaluation(program, seconds=seconds, pass_rate=pass_rate)
    return Step(
        request=request,
        completion=None if request.prompt is None else Completion(text="..."),
        edit=EditKind.REWRITE,
        child=program,
        evaluation=judged,
    )


def _unparsed(request: Request) -> Step:
    return Step(
        request=request,
        completion=Completion(text="prose"),
        edit=EditKind.NONE,
        child=None,
        evaluation=None,
        failure="no program",
    )


def _started(search: IslandSearch, seconds: float | None = 0.1) -> IslandSearch:
    search.tell([_answer(request, seconds) for request in search.ask()])
    return search


def test_the_paper_preset_has_the_papers_figures() -> None:
    preset = IslandSearchSettings.metaevolve()
    assert (preset.rounds, preset.parents, preset.keep, preset.drafts) == (10, 20, 5, 10)
    assert (preset.islands.count, preset.islands.migration_every) == (5, 5)
    ratios = preset.islands.ratios
    assert (ratios.exploration, ratios.exploitation, ratios.random) == (0.6, 0.2, 0.2)


def test_the_start_is_the_fastest_correct_program_of_round_zero() -> None:
    settings = IslandSearchSettings(drafts=3)
    search = IslandSearch(double_task(), settings, seed=0)
    requests = search.ask()
    seconds = [0.05, 0.02, None]
    search.tell([_answer(r, s, pass_rate=0.9) for r, s in zip(requests, seconds, strict=True)])
    assert search.start is not None
    assert search.start.id == 1
    assert all([c.id for c in island] == [1] for island in search.islands.members)


def test_without_a_correct_program_the_highest_pass_rate_starts() -> None:
    search = IslandSearch(double_task(), IslandSearchSettings(drafts=3), seed=0)
    rates = [0.3, 0.8, 0.5]
    requests = search.ask()
    search.tell([_answer(r, None, pass_rate=rate) for r, rate in zip(requests, rates, strict=True)])
    assert search.start is not None
    assert search.start.id == 1


def test_a_search_whose_drafts_all_fail_to_parse_is_finished() -> None:
    search = IslandSearch(double_task(), IslandSearchSettings(drafts=2), seed=0)
    search.tell([_unparsed(request) for request in search.ask()])
    assert search.start is None
    assert search.finished


def test_each_round_asks_for_one_child_a_parent_dealt_to_the_islands() -> None:
    requests = _started(_search()).ask()
    assert [request.step for request in requests] == [1, 2, 3, 4]
    assert [request.island for request in requests] == [0, 1, 0, 1]
    assert len({request.seed for request in requests}) == 4


def test_every_island_breeds_even_if_a_round_asks_for_fewer_children_than_there_are() -> None:
    settings = IslandSearchSettings(rounds=5, parents=3, islands=IslandSettings(count=5))
    search = _started(_search(settings))
    dealt = []
    while not search.finished:
        requests = search.ask()
        dealt += [request.island for request in requests]
        search.tell([_answer(request) for request in requests])
    assert dealt == [0, 1, 2, 3, 4] * 3


def test_only_the_best_m_join_the_population() -> None:
    search = _started(_search())
    requests = search.ask()
    seconds = [0.05, 0.02, 0.03, 0.04]
    outcome = search.tell([_answer(r, s) for r, s in zip(requests, seconds, strict=True)])
    assert outcome.kept == (2, 3)
    assert outcome.dropped == (4, 1)
    assert [c.id for c in search.islands.everyone] == [0, 2, 3]


def test_wrong_programs_join_only_while_nothing_is_solved() -> None:
    solved, unsolved = _started(_search(), 0.1), _started(_search(), None)
    for search, kept in ((solved, ()), (unsolved, (1, 2))):
        outcome = search.tell([_answer(r, None, pass_rate=0.4) for r in search.ask()])
        assert outcome.kept == kept


def test_wrong_programs_do_not_join_beside_the_first_right_one() -> None:
    search = _started(_search(), None)
    requests = search.ask()
    steps = [_answer(r, 0.02 if r.step == 3 else None, pass_rate=0.4) for r in requests]
    assert search.tell(steps).kept == (3,)


def test_a_repeated_program_does_not_join_again() -> None:
    search = _started(_search())
    steps = [_answer(request, 0.01, text="same") for request in search.ask()]
    repeated = [steps[0], *(_repeat(step, steps[0].id) for step in steps[1:])]
    assert search.tell(repeated).kept == (1,)


def _repeat(step: Step, first: int) -> Step:
    return Step(
        request=step.request,
        completion=step.completion,
        edit=step.edit,
        child=step.child,
        evaluation=step.evaluation,
        duplicate_of=first,
    )


def test_migration_comes_every_so_many_rounds_and_best_never_falls() -> None:
    search = _started(_search())
    migrated, best = [], []
    while not search.finished:
        requests = search.ask()
        outcome = search.tell([_answer(r, 0.09 - r.step / 1000) for r in requests])
        migrated.append(bool(outcome.migrations))
        best.append(outcome.best_fitness)
    assert migrated == [False, False, True, False, False, True]
    assert best == sorted(best)


def test_tell_takes_a_round_in_any_order_to_the_same_state() -> None:
    forward, backward = _started(_search()), _started(_search())
    for _ in range(4):
        steps = [_answer(r, 0.09 - r.step / 1000) for r in forward.ask()]
        assert backward.ask() == [step.request for step in steps]
        assert forward.tell(steps) == backward.tell(steps[::-1])
    assert forward.islands.members == backward.islands.members


def test_the_seed_decides_the_parents() -> None:
    def parents(seed: int) -> list[tuple[int, ...]]:
        search = _started(_search(seed=seed))
        drawn = []
        for _ in range(5):
            requests = search.ask()
            drawn += [request.parents for request in requests]
            search.tell([_answer(r, 0.09 - r.step / 1000) for r in requests])
        return drawn

    assert parents(1) == parents(1)
    assert parents(1) != parents(2)


def test_a_prompt_shows_at_most_so_many_ancestors_weakest_first() -> None:
    settings = IslandSearchSettings(
        rounds=8,
        parents=1,
        keep=1,
        history=3,
        islands=IslandSettings(
            count=1, elite=1, ratios=ParentRatios(exploration=0, exploitation=1, random=0)
        ),
    )
    search = _started(_search(settings))
    shown: list[tuple[int, ...]] = []
    while not search.finished:
        (request,) = search.ask()
        assert request.prompt is not None
        shown.append(request.prompt.shown)
        search.tell([_answer(request, 0.09 - request.step / 1000)])
    assert max(len(ids) for ids in shown) == 4
    for ids in shown:
        chain = [ids[-1]]
        while len(chain) < len(ids):
            chain.append(search.candidate(chain[-1]).parents[0])
        assert ids == tuple(reversed(chain)), "each gain makes the ancestor the weaker one"


def test_asking_twice_and_telling_strangers_are_refused() -> None:
    search = _search()
    (request,) = search.ask()
    with pytest.raises(RuntimeError, match="asked already"):
        search.ask()
    with pytest.raises(ValueError, match="asked for steps"):
        search.tell([])
    search.tell([_answer(request)])
    with pytest.raises(ValueError, match="asked for steps"):
        search.tell([])


def test_nothing_to_start_from_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="nothing to start"):
        IslandSearch(double_task(), IslandSearchSettings(), seed=0)


@pytest.mark.parametrize("name", ["parents", "keep", "rounds", "history", "drafts"])
def test_sizes_are_checked_by_name(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        IslandSearchSettings(**{name: -1})
    with pytest.raises(ConfigError, match=name):
        IslandSearchSettings(**{name: 2.5})  # type: ignore[arg-type]
