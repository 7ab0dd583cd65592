"""The live panel: a small widget that draws a run's fitness while the run goes on.

Its whole state is in one synced trait, so that a reloaded page or a second tab shows what the
first one did. Where no widget can be shown, a picture of the same data stands in.
"""

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anywidget
import traitlets
from IPython.display import display

from workbench.evaluation import Verdict
from workbench.runs import RunStore, Step
from workbench.views.fitness import FitnessHistory, FitnessPoint, fitness_history
from workbench.views.html import element, join, picture
from workbench.views.sketch import best_line, children, fitness_svg

_SECONDS_BETWEEN_UPDATES = 0.25


class LiveFitness(anywidget.AnyWidget):
    """Best fitness so far and every reply, drawn as they come.

    Used around a run, it shows itself at once, follows, and is complete at the end:

        with LiveFitness(driver.store) as live:
            driver.run(rounds=10, on_step=live.update)

    At the end of a cell it shows a stored run.

    Args:
        store: the run; steps already in it are drawn at once.
        clock: monotonic seconds, by which updates are held to four a second.
    """

    _esm = Path(__file__).parent / "static" / "live_fitness.js"
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, store: RunStore, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._title = f"{store.manifest.task} with {store.manifest.model}"
        self._steps = {step.id: step for step in store.steps()}
        self._shown: Any = None
        self._drawn_at = -_SECONDS_BETWEEN_UPDATES
        self.flush()

    @property
    def history(self) -> FitnessHistory:
        """What is drawn, before thinning."""
        return fitness_history(self._steps.values())

    def update(self, step: Step) -> None:
        """Take in a step; the picture follows at most four times a second."""
        self._steps[step.id] = step
        if self._clock() - self._drawn_at >= _SECONDS_BETWEEN_UPDATES:
            self.flush()

    def flush(self) -> None:
        """Draw all that has been taken in."""
        self._drawn_at = self._clock()
        history = self.history
        self.state = {
            "title": self._title,
            "status": self.status,
            "replies": len(history.points),
            "best": [list(corner) for corner in best_line(history)],
            "children": [
                [point.reply, point.fitness, point.verdict is Verdict.ACCEPTED, _label(point)]
                for point in children(history)
            ],
        }

    @property
    def status(self) -> str:
        """Where the run stands, in a sentence that a screen reader can say."""
        steps = self._steps.values()
        rounds = max((step.request.round for step in steps), default=0)
        improved = sum(step.improved for step in steps)
        return f"Round {rounds}. {self.history.description} Better than their parent: {improved}."

    def __enter__(self) -> Self:
        """Show the panel."""
        self._shown = display(self, display_id=True)  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Draw what is left, and put the whole picture into the cell's output."""
        self.flush()
        if self._shown is not None:
            self._shown.update(self)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, with a picture and a sentence for readers who have no widget."""
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        description = self.history.description
        image = picture(fitness_svg(self.history), description=description)
        title = element("div", element("b", self._title))
        data["text/html"] = join([title, image, element("div", self.status)]).markup
        data["text/plain"] = f"{self._title}: {self.status}"
        return data, metadata


def _label(point: FitnessPoint) -> str:
    return f"step {point.step}, {point.verdict.words}, fitness {point.fitness:.4g}"
