"""The driver: the one loop that runs every method, records it and keeps to its budget.

A notebook calls the four verbs one cell at a time; `run` calls them until the search is
finished. Each reply is on disk before it is evaluated and each step before it is told.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    stopped, because what is on disk is not done twice.
    """

    def __init__(  # noqa: PLR0913 - the parts of a run, all named
        self,
        *,
        task: Task,
        search: Search,
        model: LanguageModel,
        evaluator: Evaluator,
        store: RunStore,
        sampling: Sampling,
        budget: Budget,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.task = task
        self.search = search
        self.store = store
        self._model = model
        self._evaluator = evaluator
        self._sampling = sampling
        self._budget = budget
        self._clock = clock
        self._replies = store.replies()
        self._steps = {step.id: step for step in store.steps()}
        self._pending: list[Request] | None = None
        self._maker = StepMaker(task, evaluator, search, clock)
        for step in self._steps.values():
            self._maker.remember(step)
        self._retell()

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
        if self._pending is not None:
            return False
        under_way = self.search.start is not None
        return self.search.finished or (under_way and self._requests_left() == 0)

    def ask(self) -> list[Request]:
        """The requests of the round that is due; the same ones until they are told.

        Raises:
            RuntimeError: the run is finished.
        """
        if self._pending is None:
            if self.finished:
                raise RuntimeError("the run is finished: its search is over or its budget spent")
            self._pending = self.search.ask(self._requests_left())
        return list(self._pending)

    def generate(self, requests: Sequence[Request]) -> list[Reply]:
        """Ask the model for what is not on disk yet.

        Raises:
            ModelError: the model cannot answer; replies that came before are kept.
            StoreError: the disk is full or the store is gone.
        """
        return list(self._generate(requests))

    def evaluate(self, replies: Iterable[Reply], on_step: OnStep | None = None) -> list[Step]:
        """Parse each reply and judge its child, unless that is on disk already.

        Raises:
            SandboxError: the sandbox failed; steps that came before are kept.
            StoreError: the disk is full or the store is gone.
        """
        self._catch_up()
        steps = []
        for reply in replies:
            number = reply.request.step
            if number not in self._steps:
                step = self._maker.make(reply)
                self.store.record_step(step)
                self._maker.remember(step)
                self._steps[number] = step
                if on_step is not None:
                    on_step(step)
            steps.append(self._steps[number])
        return steps

    def tell(self, steps: Sequence[Step]) -> RoundOutcome:
        """Hand a round to the search and keep what it decided.

        Raises:
            ValueError: the steps are not those of the round that was asked.
        """
        outcome = self.search.tell(steps)
        self._pending = None
        self.store.record_outcome(outcome)
        return outcome

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
        deadline = None if max_seconds is None else self._clock() + max_seconds
        while not self.finished and rounds != 0:
            if deadline is not None and self._clock() > deadline:
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
        self._catch_up()
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
            self.store.record_reply(reply)
            self._replies[reply.request.step] = reply
            yield reply

    def _complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        prompts = [request.prompt.conversation for request in requests if request.prompt]
        if not prompts:
            return iter(())
        seeds = [request.seed for request in requests]
        return self._model.generate(prompts, self._sampling, seeds=seeds)

    def _catch_up(self) -> None:
        """Take in what is on disk of the round that is due.

        An interrupt that falls into a commit is raised after it, before the verb could take
        note of what it wrote.
        """
        if self._pending is None:
            return
        before = self._pending[0].step - 1
        self._replies |= self.store.replies(after=before)
        for step in self.store.steps(after=before):
            if step.id not in self._steps:
                self._steps[step.id] = step
                self._maker.remember(step)

    def _retell(self) -> None:
        """Bring the search to where the store is; a half-done round stays pending."""
        told: list[Step] = []
        while len(told) < len(self._steps) or self._replies.keys() - self._steps.keys():
            requests = self.search.ask(self._budget.requests_left(Spent.on(told)))
            known = [self._same(request) for request in requests if request.step in self._steps]
            if len(known) < len(requests):
                self._pending = requests
                return
            self.store.record_outcome(self.search.tell(known))
            told += known

    def _same(self, request: Request) -> Step:
        """The recorded step for `request`, if it was recorded for the very same one."""
        step = self._steps[request.step]
        if step.request != request:
            raise StoreError(
                f"step {step.id} in {self.store.path} was asked differently than this Workbench "
                "would ask now: go on with the version that wrote it"
            )
        return step


def _storable(completion: Completion) -> Completion:
    """The completion with lone surrogates escaped: neither UTF-8 nor SQLite can hold them."""
    return replace(
        completion,
        text=completion.text.encode("utf-8", "backslashreplace").decode(),
        reasoning=completion.reasoning.encode("utf-8", "backslashreplace").decode(),
    )
