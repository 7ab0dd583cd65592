"""The driver: the one loop that runs every method, records it and keeps to its budget.

A notebook calls the four verbs one cell at a time; `run` calls them until the search is
finished. Each reply is on disk before it is evaluated and each step before it is told.

Replies may come in any order; the steps of a round are made in the order of their numbers, so
that the order of arrival decides nothing: not which of two equal children was first, nor what
a run that was interrupted finds on disk.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from workbench.errors import StoreError
from workbench.evaluation import Comparison, Evaluator
from workbench.models import Completion, LanguageModel, Sampling
from workbench.population import Candidate
from workbench.runs import Reply, Request, RoundOutcome, RunStore, Step
from workbench.search.budget import Budget, Spent
from workbench.search.search import Search
from workbench.search.stepping import StepMaker
from workbench.tasks import Task

OnStep = Callable[[Step], None]


class Driver:
    """A run in progress.

    Made by `open_run`, which also takes up a run that was interrupted. The verbs must be
    called in turn; each may be called again after an interruption and goes on where it
    stopped, because what is on disk is not done twice. An interruption inside a decision of
    the search leaves that search half changed; it is dropped, and a new one is told the past.

    Args:
        task: what is evolved.
        new_search: makes the search as it is before its first round, the same each time.
        model: who replies.
        evaluator: who judges.
        store: where the run is kept, open for writing.
        sampling: how replies are drawn.
        budget: what the run may spend.
        clock: Unix time in seconds, only recorded, never decided by.

    Raises:
        StoreError: the store holds what this search would not have asked.
    """

    def __init__(  # noqa: PLR0913 - the parts of a run, all named
        self,
        *,
        task: Task,
        new_search: Callable[[], Search],
        model: LanguageModel,
        evaluator: Evaluator,
        store: RunStore,
        sampling: Sampling,
        budget: Budget,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.task = task
        self.store = store
        self._new_search = new_search
        self._model = model
        self._evaluator = evaluator
        self._sampling = sampling
        self._budget = budget
        self._clock = clock
        self._maker = StepMaker(task, evaluator, clock)
        self._replies: dict[int, Reply] = {}
        self._steps: dict[int, Step] = {}
        self._pending: list[Request] | None = None
        self._told: RoundOutcome | None = None
        self._search = new_search()
        self._settled = False
        self._settle()

    @property
    def search(self) -> Search:
        """The method, told all rounds that are complete."""
        self._settle()
        return self._search

    @property
    def steps(self) -> list[Step]:
        """All recorded steps, in order."""
        return [self._steps[number] for number in sorted(self._steps)]

    @property
    def spent(self) -> Spent:
        """What the run has cost so far, earlier sittings included."""
        return Spent.on(self._steps.values())

    @property
    def start(self) -> Candidate | None:
        """The candidate that gains are measured from."""
        return self.search.start

    @property
    def best(self) -> Candidate | None:
        """The best candidate so far."""
        return self.search.best

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to do: the search is over or the budget spent."""
        search = self.search
        if self._pending is not None:
            return False
        return search.finished or (search.start is not None and self._requests_left() == 0)

    def ask(self) -> list[Request]:
        """The requests of the round that is due; the same ones until they are told.

        Raises:
            RuntimeError: the run is finished.
        """
        if self.finished:
            raise RuntimeError("the run is finished: its search is over or its budget spent")
        if self._pending is None:
            with self._deciding():
                self._pending = self._search.ask(self._requests_left())
        return list(self._pending or ())

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """Ask the model for what is not on disk yet.

        Returns:
            The replies in the order of their steps' numbers.

        Raises:
            ModelError: the model cannot answer; replies that came before are kept.
            StoreError: the disk is full or the store is gone.
        """
        return sorted(self._generate(requests), key=lambda reply: reply.request.step)

    def evaluate(self, replies: Iterable[Reply], on_step: OnStep | None = None) -> list[Step]:
        """Parse each reply and judge its child, unless that is on disk already.

        Children are judged as their replies come; a step is made once those before it are.

        Args:
            replies: of the round that was asked, in any order; those left out must be the last.
            on_step: called with every new step, after it is on disk.

        Returns:
            A step for each reply, in order of number.

        Raises:
            ValueError: a reply was not asked for, or one before it is missing.
            SandboxError: the sandbox failed; steps that came before are kept.
            StoreError: the disk is full or the store is gone.
        """
        self._settle()
        wanted: set[int] = set()
        early: dict[int, Reply] = {}
        for reply in replies:
            number = reply.request.step
            wanted.add(number)
            if number in self._steps:
                continue
            if reply.request not in (self._pending or ()):
                raise ValueError(f"the reply to step {number} answers nothing that was asked")
            early[number] = reply
            if number != self._due():
                self._maker.judge(reply, self._parent(reply))
            while (due := self._due()) in early:
                self._record(early.pop(due), on_step)
        if early:
            raise ValueError(
                f"steps {sorted(early)} must wait for the reply to step {self._due()}: "
                "evaluate it first, or all together"
            )
        return [self._steps[number] for number in sorted(wanted)]

    def tell(self, steps: Sequence[Step]) -> RoundOutcome:
        """Hand a round to the search and keep what it decided.

        Telling the latest round again changes nothing.

        Raises:
            ValueError: the steps are not those of the round that was asked.
            StoreError: the disk is full or the store is gone.
        """
        self._settle()
        if self._pending is None and self._told is not None:
            latest = [step for step in self.steps if step.request.round == self._told.round]
            if sorted(steps, key=lambda step: step.id) == latest:
                return self._told
        with self._deciding():
            return self._tell(steps)

    def run(
        self,
        rounds: int | None = None,
        *,
        on_step: OnStep | None = None,
        max_seconds: float | None = None,
    ) -> Candidate | None:
        """Go on until finished; each reply is judged as soon as it is known.

        Args:
            rounds: stop after this many more rounds; None for no such bound.
            on_step: called with every new step, after it is on disk.
            max_seconds: begin no round later than this; one that has begun is finished, for
                its replies are paid for.

        Returns:
            The best candidate so far.

        Raises:
            ModelError, SandboxError, StoreError: as the verbs do; what was recorded stays.
        """
        began = time.monotonic()
        while not self.finished and rounds != 0:
            if max_seconds is not None and time.monotonic() - began > max_seconds:
                break
            self.tell(self.evaluate(self._generate(self.ask()), on_step))
            rounds = None if rounds is None else rounds - 1
        return self.best

    def confirm(self) -> Comparison | None:
        """Time the start and the best again, interleaved, and record the comparison.

        Returns:
            The evidence; None before there is a best program.

        Raises:
            SandboxError: the sandbox failed.
        """
        if self.start is None or self.best is None:
            return None
        comparison = self._evaluator.compare(self.start.program, self.best.program, self.task)
        self.store.record_comparison(comparison)
        return comparison

    def _requests_left(self) -> int | None:
        return self._budget.requests_left(self.spent)

    def _generate(self, requests: Sequence[Request]) -> Iterator[Reply]:
        self._settle()
        unanswered = []
        for request in requests:
            if request.step in self._replies:
                yield self._replies[request.step]
            elif request.prompt is None:
                yield Reply(request=request, completion=None)
            else:
                unanswered.append(request)
        for position, completion in self._complete(unanswered):
            reply = Reply(request=unanswered[position], completion=_storable(completion))
            with self._deciding():
                self.store.record_reply(reply)
                self._replies[reply.request.step] = reply
            yield reply

    def _complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        prompts = [request.prompt.conversation for request in requests if request.prompt]
        if not prompts:
            return iter(())
        seeds = [request.seed for request in requests]
        return self._model.generate(prompts, self._sampling, seeds=seeds)

    def _parent(self, reply: Reply) -> Candidate | None:
        parents = reply.request.parents
        return self._search.candidate(parents[0]) if parents else None

    def _due(self) -> int | None:
        """The number of the next step to be made, None if the round has none left."""
        pending = self._pending or ()
        return next((r.step for r in pending if r.step not in self._steps), None)

    def _record(self, reply: Reply, on_step: OnStep | None) -> None:
        step = self._maker.make(reply, self._parent(reply))
        with self._deciding():
            self.store.record_step(step)
            self._maker.remember(step)
            self._steps[step.id] = step
        if on_step is not None:
            on_step(step)

    def _tell(self, steps: Sequence[Step]) -> RoundOutcome:
        outcome = self._search.tell(steps)
        self.store.record_outcome(outcome)
        self._pending, self._told = None, outcome
        return outcome

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        """Until the block has ended, what is in memory is not to be relied on."""
        self._settled = False
        yield
        self._settled = True

    def _settle(self) -> None:
        """After an interruption, bring memory to where the disk is.

        An interrupt can fall between any two lines: after a commit but before what it wrote
        is noted, or in the midst of a decision.
        """
        if not self._settled:
            with self._deciding():
                self._replies = self.store.replies()
                self._steps = {step.id: step for step in self.store.steps()}
                for step in self._steps.values():
                    self._maker.remember(step)
                self._retell()

    def _retell(self) -> None:
        """Tell a new search the store's past; a half-done round stays pending."""
        self._search, self._pending, self._told = self._new_search(), None, None
        told: list[Step] = []
        known = self._steps.keys() | self._replies.keys()
        while self._pending is None and len(told) < len(known):
            requests = self._ask_again(told, known)
            self._pending = requests
            steps = [self._steps[r.step] for r in requests if r.step in self._steps]
            if len(steps) == len(requests):
                self._tell(steps)
                told += steps
        foreign = known - {step.id for step in told} - {r.step for r in self._pending or ()}
        if foreign:
            raise self._not_ours(min(foreign))

    def _ask_again(self, told: Sequence[Step], known: Iterable[int]) -> list[Request]:
        """What the search asks next, if that is what the store has answers to."""
        if self._search.finished:
            raise self._not_ours(min(set(known) - {step.id for step in told}))
        requests = self._search.ask(self._budget.requests_left(Spent.on(told)))
        for request in requests:
            answers = (self._steps.get(request.step), self._replies.get(request.step))
            if any(answer is not None and answer.request != request for answer in answers):
                raise self._not_ours(request.step)
        return requests

    def _not_ours(self, step: int) -> StoreError:
        return StoreError(
            f"step {step} in {self.store.path} was asked differently than this Workbench "
            "would ask now: go on with the version that wrote it"
        )


def _storable(completion: Completion) -> Completion:
    """The completion with lone surrogates escaped: neither UTF-8 nor SQLite can hold them."""
    return replace(
        completion,
        text=completion.text.encode("utf-8", "backslashreplace").decode(),
        reasoning=completion.reasoning.encode("utf-8", "backslashreplace").decode(),
    )
