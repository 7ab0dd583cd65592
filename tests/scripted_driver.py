"""A small run with scripted replies, a scripted clock, the real sandbox and a real store."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from builders import (
    FAST_DOUBLE,
    SLOW_DOUBLE,
    WRONG_DOUBLE,
    ScriptedTimer,
    double_task,
    fenced,
    scripted_time,
)

from workbench.evaluation import Evaluator
from workbench.models import Completion, Conversation, Sampling, ScriptedModel
from workbench.population import IslandSettings
from workbench.runs import RunStore, Step
from workbench.sandbox import LocalSandbox
from workbench.search import (
    Budget,
    Driver,
    IslandSearch,
    IslandSearchSettings,
    RunSettings,
    open_run,
)

SETTINGS = RunSettings(
    search=IslandSearchSettings(
        rounds=3, parents=4, keep=2, islands=IslandSettings(count=2, migration_every=2)
    ),
    seed=5,
)


REPLIES = [
    fenced(FAST_DOUBLE),
    fenced(WRONG_DOUBLE),
    "I would rather talk about it.",
    fenced(SLOW_DOUBLE),
    fenced("def double(n):\n    return n + n\n"),
    "",
]


def opened(
    path: Path,
    sandbox: LocalSandbox,
    settings: RunSettings = SETTINGS,
    model: ScriptedModel | None = None,
) -> Driver:
    return open_run(
        path,
        task=double_task(),
        model=model or ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=ScriptedTimer(scripted_time)),
        settings=settings,
        clock=lambda: 1_000.0,
    )


def driver_of(
    store: RunStore, sandbox: LocalSandbox, search: type[IslandSearch] = IslandSearch
) -> Driver:
    return Driver(
        task=double_task(),
        new_search=partial(
            search, double_task(), SETTINGS.search, seed=SETTINGS.seed, given=(double_task().start,)
        ),
        model=ScriptedModel(REPLIES),
        evaluator=Evaluator(sandbox, timer=ScriptedTimer(scripted_time)),
        store=store,
        sampling=Sampling(),
        budget=Budget(),
        clock=lambda: 1_000.0,
    )


def interrupt_after(steps: int) -> Callable[[Step], None]:
    left = steps

    def on_step(step: Step) -> None:  # noqa: ARG001
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    return on_step


class Reversed(ScriptedModel):
    """Gives the same replies, the last one first."""

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        yield from reversed(list(super().generate(conversations, sampling, seeds=seeds)))
