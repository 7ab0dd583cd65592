"""AlphaEvolve-style search over islands, as MetaEvolve ran it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from workbench.errors import ConfigError
from workbench.population import Candidate, Islands, IslandSettings, Migration
from workbench.programs import Program
from workbench.prompts import Prompt, ReplyForm, draft, improve
from workbench.runs import Request, RoundOutcome, Step
from workbench.streams import derive_seed, stream
from workbench.tasks import Task


@dataclass(frozen=True, kw_only=True)
class IslandSearchSettings:
    """Sizes of the search.

    Attributes:
        rounds: ask/tell turns after the starting one (the paper's K).
        parents: requests a round, one child each (N); dealt to the islands in turn, each round
            going on where the one before it stopped.
        keep: children of a round that may join the population (M).
        history: ancestors of the parent that the prompt shows at most.
        drafts: starting programs drawn from the model, beside those that are given.
        form: whole programs or edits.
        islands: the archipelago.

    Source: MetaEvolve, section 3.1.3; `metaevolve()` has its figures.
    """

    rounds: int = 10
    parents: int = 20
    keep: int = 5
    history: int = 3
    drafts: int = 0
    form: ReplyForm = ReplyForm.REWRITE
    islands: IslandSettings = field(default_factory=IslandSettings)

    def __post_init__(self) -> None:
        """Refuse sizes that cannot be.

        Raises:
            ConfigError: a size below its least value, or no whole number.
        """
        least = {"rounds": 0, "parents": 1, "keep": 1, "history": 0, "drafts": 0}
        for name, bound in least.items():
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= bound):
                raise ConfigError(
                    f"island search: {name} must be a whole number from {bound}, got {value}"
                )

    @classmethod
    def metaevolve(cls) -> Self:
        """K=10, N=20, M=5, five islands, ten drafts to start from, migration every five rounds."""
        return cls(drafts=10)


class IslandSearch:
    """Ask/tell over `Islands`.

    Round 0 judges the starting programs; the best of them (the fastest correct one, else the
    highest pass rate) is settled on every island and is what gains are measured from. Each
    later round asks for one child a parent and lets the best `keep` join the island they were
    born on.

    Departs: the paper does not say what becomes of wrong programs among the best M. Here they
    join only while no correct program is known, for otherwise a weak model's failures would
    crowd the islands. A child with the text of an earlier candidate never joins.
    """

    name = "island-search"

    def __init__(
        self,
        task: Task,
        settings: IslandSearchSettings,
        *,
        seed: int,
        given: Sequence[Program] = (),
    ) -> None:
        """Make the search.

        Raises:
            ConfigError: there is neither a given program nor a draft to start from.
        """
        if not given and settings.drafts == 0:
            raise ConfigError(
                f"nothing to start task {task.name!r} from: give a program or ask for drafts"
            )
        self._task = task
        self._settings = settings
        self._seed = seed
        self._given = tuple(given)
        self._islands = Islands(settings.islands)
        self._candidates: dict[int, Candidate] = {}
        self._asked: dict[int, Request] | None = None
        self._round = 0
        self._next_step = 0
        self._first_child = 0
        self._start: Candidate | None = None

    @property
    def islands(self) -> Islands:
        """The population."""
        return self._islands

    @property
    def start(self) -> Candidate | None:
        """The starting candidate, None before round 0 is told or if it brought none."""
        return self._start

    @property
    def best(self) -> Candidate | None:
        """The best candidate on any island."""
        return self._islands.best

    @property
    def finished(self) -> bool:
        """Whether all rounds are told, or there is nothing to go on from."""
        told_start = self._round > 0
        return told_start and (self._start is None or self._round > self._settings.rounds)

    def candidate(self, candidate_id: int) -> Candidate:
        """Any candidate told so far."""
        return self._candidates[candidate_id]

    def ask(self, at_most: int | None = None) -> list[Request]:
        """The next round's requests; see `Search.ask`."""
        if self._asked is not None:
            raise RuntimeError(f"round {self._round} has been asked already: tell its steps first")
        if self.finished:
            raise RuntimeError("the search is finished: there is nothing more to ask")
        make = self._first_requests if self._round == 0 else self._requests
        requests = make(at_most)
        self._asked = {request.step: request for request in requests}
        return requests

    def tell(self, steps: Sequence[Step]) -> RoundOutcome:
        """Take in a round; see `Search.tell`."""
        asked = sorted(self._asked or ())
        told = sorted(step.id for step in steps)
        if self._asked is None or told != asked:
            raise ValueError(f"asked for steps {asked}, told {told}")
        in_order = sorted(steps, key=lambda step: step.id)
        born = [candidate for step in in_order if (candidate := _candidate(step)) is not None]
        self._candidates.update({candidate.id: candidate for candidate in born})
        best_first = sorted(born, key=lambda candidate: candidate.rank, reverse=True)
        kept = self._settle(best_first) if self._round == 0 else self._join(best_first, in_order)
        outcome = self._outcome(kept, best_first, self._migrate())
        self._next_step += len(asked)
        if self._round == 0:
            self._first_child = self._next_step
        self._asked = None
        self._round += 1
        return outcome

    def _first_requests(self, at_most: int | None) -> list[Request]:
        given = [
            Request(step=number, round=0, operator="start", island=0, seed=0, program=program)
            for number, program in enumerate(self._given)
        ]
        wanted = self._settings.drafts
        count = wanted if at_most is None else min(wanted, at_most)
        drafts = [
            Request(
                step=number,
                round=0,
                operator="draft",
                island=0,
                seed=self._model_seed(number),
                prompt=draft(self._task),
            )
            for number in range(len(given), len(given) + count)
        ]
        return given + drafts

    def _requests(self, at_most: int | None) -> list[Request]:
        wanted = self._settings.parents
        count = wanted if at_most is None else min(wanted, at_most)
        return [self._request(self._next_step + number) for number in range(count)]

    def _request(self, step: int) -> Request:
        island = (step - self._first_child) % self._settings.islands.count
        parent = self._islands.choose_parent(island, stream(self._seed, step, "parent"))
        return Request(
            step=step,
            round=self._round,
            operator="improve",
            island=island,
            parents=(parent.id,),
            prompt=self._prompt(parent),
            seed=self._model_seed(step),
        )

    def _prompt(self, parent: Candidate) -> Prompt:
        history = self._ancestors(parent)
        return improve(self._task, parent, history, form=self._settings.form)

    def _ancestors(self, candidate: Candidate) -> list[Candidate]:
        """The nearest ancestors, nearest first, as many as the prompt may show."""
        ancestors: list[Candidate] = []
        while candidate.parents and len(ancestors) < self._settings.history:
            candidate = self._candidates[candidate.parents[0]]
            ancestors.append(candidate)
        return ancestors

    def _model_seed(self, step: int) -> int:
        return derive_seed(self._seed, step, "model")

    def _settle(self, best_first: list[Candidate]) -> list[Candidate]:
        if not best_first:
            return []
        self._start = best_first[0]
        self._islands.settle(self._start)
        return [self._start]

    def _join(self, best_first: list[Candidate], steps: Sequence[Step]) -> list[Candidate]:
        repeated = {step.id for step in steps if step.duplicate_of is not None}
        best = self._islands.best
        leaders = [*best_first[:1], *([best] if best else [])]
        solved = any(leader.evaluation.accepted for leader in leaders)
        kept = [
            candidate
            for candidate in best_first
            if candidate.id not in repeated and (candidate.evaluation.accepted or not solved)
        ][: self._settings.keep]
        self._islands.add(kept)
        return kept

    def _migrate(self) -> tuple[Migration, ...]:
        due = self._round > 0 and self._round % self._settings.islands.migration_every == 0
        return self._islands.migrate() if due else ()

    def _outcome(
        self,
        kept: list[Candidate],
        best_first: list[Candidate],
        migrations: tuple[Migration, ...],
    ) -> RoundOutcome:
        best = self._islands.best
        kept_ids = tuple(candidate.id for candidate in kept)
        return RoundOutcome(
            round=self._round,
            kept=kept_ids,
            dropped=tuple(c.id for c in best_first if c.id not in kept_ids),
            migrations=migrations,
            best=best.id if best else None,
            best_fitness=best.evaluation.fitness if best else 0.0,
        )


def _candidate(step: Step) -> Candidate | None:
    """The candidate that a step brought forth, None if it brought none."""
    if step.child is None or step.evaluation is None:
        return None
    return Candidate(
        id=step.id,
        program=step.child,
        evaluation=step.evaluation,
        parents=step.request.parents,
        island=step.request.island,
        operator=step.request.operator,
    )
