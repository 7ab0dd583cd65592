"""A whole run with scripted replies and a scripted clock, as a process of its own.

Usage: scripted_run.py STORE LOG [backwards]

Every run of the first case is written to LOG, and every step once it is on disk, so that a test
which kills the process can tell what was done twice. The first case is the fastest by far and
pairs time the two slowest, so that it runs when a program is judged and at no other time.
"backwards" makes the replies of each round arrive last one first.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from builders import ScriptedTimer, double_task, fenced, scripted_time

from workbench.evaluation import Evaluator
from workbench.evaluation.paired import PairedSettings
from workbench.evaluation.timing import Seconds
from workbench.models import Completion, Conversation, Sampling, ScriptedModel
from workbench.population import IslandSettings
from workbench.programs import Program
from workbench.runs import Step
from workbench.sandbox import Execution, LocalSandbox
from workbench.search import IslandSearchSettings, RunSettings, open_run

SETTINGS = RunSettings(
    search=IslandSearchSettings(
        rounds=6, parents=5, keep=3, islands=IslandSettings(count=3, migration_every=2)
    ),
    seed=26,
)
UNPAIRED = "case-3"
PAIRED = PairedSettings(cases=2)
REPLIES = [
    *(fenced(f"def double(n):\n    return 2 * n + {number} * 0\n") for number in range(40)),
    fenced("def double(n):\n    return n\n"),
    "prose only",
    fenced("def double(n:\n"),
]


class Backwards(ScriptedModel):
    """Gives the same replies, the last one first."""

    def generate(
        self, conversations: Sequence[Conversation], sampling: Sampling, *, seeds: Sequence[int]
    ) -> Iterator[tuple[int, Completion]]:
        """Reply in reverse order."""
        yield from reversed(list(super().generate(conversations, sampling, seeds=seeds)))


def main(store: Path, log: Path, model: ScriptedModel) -> None:
    """Run, or go on with what was begun."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def say(line: str) -> None:
        os.write(descriptor, f"{line}\n".encode())

    def timer(program: Program, case_id: str, execution: Execution) -> Seconds:
        if case_id == UNPAIRED:
            say(f"judge {program.id}")
            return Seconds(cpu_s=1e-4, wall_s=1e-4)
        return scripted_time(program, case_id, execution)

    def on_step(step: Step) -> None:
        say(f"step {step.id} {step.child.id if step.child else '-'}")

    ticks = iter(range(1_000_000))
    with LocalSandbox() as sandbox:
        driver = open_run(
            store,
            task=double_task(largest=200),
            model=model,
            evaluator=Evaluator(sandbox, timer=ScriptedTimer(timer), paired=PAIRED),
            settings=SETTINGS,
            clock=lambda: float(next(ticks)),
        )
        driver.run(on_step=on_step)
        driver.confirm()
        driver.store.close()


if __name__ == "__main__":
    order = Backwards if "backwards" in sys.argv[3:] else ScriptedModel
    main(Path(sys.argv[1]), Path(sys.argv[2]), order(REPLIES))
