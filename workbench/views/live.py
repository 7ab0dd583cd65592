"""The live panel: a small widget that draws a run's fitness while the run goes on.

While it follows, its whole state is in one synced trait, so that a reloaded page or a second tab
shows what the first one did. A widget is gone with its kernel, though; so what stays in the cell
is a picture of the same data, which a saved notebook keeps.
"""

import threading
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
from workbench.views.html import Html, element, join, picture, visible
from workbench.views.sketch import best_line, children, fitness_svg, left_out

_SECONDS_BETWEEN_UPDATES = 0.25


class LiveFitness(anywidget.AnyWidget):
    """Best fitness so far and every reply, drawn as they come.

    Used around a run, it shows itself at once, follows, and leaves a picture at the end:

        with LiveFitness(driver.store) as live:
            driver.run(rounds=10, on_step=live.update)

    At the end of a cell it shows a stored run as a picture. Steps may come from another thread
    than the one that reads.

    Args:
        store: the run; steps already in it are drawn at once.
        clock: monotonic seconds, by which updates are held to four a second.
    """

    # As text: a file would be watched, and the watcher would keep every panel alive.
    _esm = (Path(__file__).parent / "static" / "live_fitness.js").read_text(encoding="utf-8")
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, store: RunStore, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._title = f"{store.manifest.task} with {store.manifest.model}"
        self._steps = {step.id: step for step in store.steps()}
        self._taking = threading.Lock()
        self._shown: Any = None
        self._follows = False
        self._drawn_at = -_SECONDS_BETWEEN_UPDATES
        self.flush()

    @property
    def history(self) -> FitnessHistory:
        """What is drawn, before thinning."""
        return fitness_history(self._taken())

    def update(self, step: Step) -> None:
        """Take in a step; the picture follows at most four times a second."""
        with self._taking:
            self._steps[step.id] = step
        if self._clock() - self._drawn_at >= _SECONDS_BETWEEN_UPDATES:
            self.flush()

    def flush(self) -> None:
        """Draw all that has been taken in."""
        self._drawn_at = self._clock()
        history = self.history
        drawn = children(history)
        self.state = {
            "title": self._title,
            "status": self.status,
            "replies": len(history.points),
            "best": [list(corner) for corner in best_line(history)],
            "children": [
                [point.reply, point.fitness, point.verdict is Verdict.ACCEPTED, _label(point)]
                for point in drawn
            ],
            "left_out": left_out(len(drawn), len(history.points)),
        }

    @property
    def status(self) -> str:
        """Where the run stands, in a sentence that a screen reader can say."""
        steps = self._taken()
        rounds = max((step.request.round for step in steps), default=0)
        improved = sum(step.improved for step in steps)
        return f"Round {rounds}. {self.history.description} Better than their parent: {improved}."

    def __enter__(self) -> Self:
        """Show the panel."""
        self._follows = True
        self._shown = display(self, display_id=True)  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put the whole picture in the panel's place, and let go of the panel."""
        self.flush()
        self._follows = False
        if self._shown is not None:
            self._shown.update(self._still())
        self.close()

    def close(self) -> None:
        """Let go of the widget; what can still be shown is the picture."""
        super().close()
        # Closed widgets are made to show nothing.
        self.__dict__.pop("_repr_mimebundle_", None)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The picture with a sentence; beside it the widget, as long as it follows a run."""
        data: dict[str, Any] = {}
        metadata: dict[str, Any] = {}
        if self._follows:
            data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        still = self._still()
        return {**data, "text/html": still.markup, "text/plain": still.plain}, metadata

    def _still(self) -> Html:
        """The run so far as a picture, which needs no kernel and no widget."""
        history = self.history
        image = picture(fitness_svg(history), description=history.description)
        title = element("div", element("b", self._title))
        status = self.status
        shown = join([title, image, element("div", status)])
        return Html(shown.markup, plain=visible(f"{self._title}: {status}"))

    def _taken(self) -> tuple[Step, ...]:
        with self._taking:
            return tuple(self._steps.values())


def _label(point: FitnessPoint) -> str:
    return f"step {point.step}, {point.verdict.words}, fitness {point.fitness:.4g}"
