"""From a reply to a step: read the child out of it, judge it, decide whether it is better."""

from collections.abc import Callable
from dataclasses import replace

from workbench.evaluation import Comparison, Evaluator
from workbench.population import Candidate
from workbench.programs import EditKind, Parsed, Program, parse_reply
from workbench.runs import Reply, Step
from workbench.tasks import Task


class StepMaker:
    """Makes steps; knows which programs a run has judged already.

    Which of two equal children was first is decided by the order of the calls, so they must
    be made in the order of the steps' numbers.
    """

    def __init__(self, task: Task, evaluator: Evaluator, clock: Callable[[], float]) -> None:
        self._task = task
        self._evaluator = evaluator
        self._clock = clock
        self._first_with: dict[str, int] = {}

    def remember(self, step: Step) -> None:
        """Take a recorded step into account, so that its program is not judged again."""
        if step.child is not None and step.evaluation is not None:
            self._first_with.setdefault(step.child.id, step.id)
            self._evaluator.remember(step.child, self._task, step.evaluation)

    def judge(self, reply: Reply, parent: Candidate | None) -> None:
        """Judge the child of a reply that must wait for its turn; `make` will not do it again.

        Raises:
            SandboxError: the sandbox failed.
        """
        parsed = _parse(reply, parent)
        if parsed.program is not None and parsed.changed:
            self._evaluator.evaluate(parsed.program, self._task)

    def make(self, reply: Reply, parent: Candidate | None) -> Step:
        """The step that `reply` comes to.

        Raises:
            SandboxError: the sandbox failed.
        """
        parsed = _parse(reply, parent)
        step = Step(
            request=reply.request,
            completion=reply.completion,
            edit=parsed.kind,
            child=parsed.program,
            failure=parsed.failure,
            evaluation=None,
        )
        if parsed.program is not None and parsed.changed:
            step = self._judged(step, parsed.program, parent)
        return replace(step, finished_at=self._clock())

    def _judged(self, step: Step, child: Program, parent: Candidate | None) -> Step:
        earlier = self._first_with.get(child.id)
        evaluation = self._evaluator.evaluate(child, self._task)
        comparison = None
        if parent is not None and earlier is None:
            comparison = self._compare(child, parent)
        return replace(step, evaluation=evaluation, duplicate_of=earlier, comparison=comparison)

    def _compare(self, child: Program, parent: Candidate) -> Comparison | None:
        """Pairs cost time: only a child that already looks better is worth them."""
        looks = self._evaluator.evaluate(child, self._task)
        if not looks.accepted or looks.fitness <= parent.evaluation.fitness:
            return None
        return self._evaluator.compare(parent.program, child, self._task)


def _parse(reply: Reply, parent: Candidate | None) -> Parsed:
    if reply.completion is None:
        return Parsed(program=reply.request.program, kind=EditKind.GIVEN, changed=True)
    parsed = parse_reply(reply.completion.text, parent.program if parent else None)
    if parsed.program is None and reply.completion.finish_reason == "length":
        reason = f"the reply was cut off at its token limit; {parsed.failure}"
        return replace(parsed, failure=reason)
    return parsed
