from pathlib import Path

import hand_made_run
import pytest

from workbench.runs import RunStore
from workbench.views.live import LiveFitness

FAST = 1 / 5.001


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore.create(tmp_path / "run.sqlite", hand_made_run.manifest())


def test_a_stored_run_is_drawn_whole(store: RunStore) -> None:
    for step in hand_made_run.steps():
        store.record_step(step)
    state = LiveFitness(store).state
    assert state["title"] == "double with by-hand"
    assert state["replies"] == 5
    assert state["best"] == [
        [0, pytest.approx(1 / 10.001)],
        [1, pytest.approx(FAST)],
        [5, pytest.approx(FAST)],
    ]
    assert [child[:3] for child in state["children"]] == [
        [1, pytest.approx(FAST), True],
        [2, 0.0, False],
        [3, 0.0, False],
        [4, pytest.approx(FAST), True],
        [5, 0.0, False],
    ]
    assert state["children"][1][3] == "step 2, wrong answer, fitness 0"


def test_updates_are_held_to_four_a_second_and_none_is_lost(store: RunStore) -> None:
    clock = Clock()
    live = LiveFitness(store, clock=clock)
    drawn = []
    live.observe(lambda change: drawn.append(change["new"]["replies"]), "state")
    for step in hand_made_run.steps():
        clock.now += 0.08
        live.update(step)
    assert drawn == [3]  # at 0.32 s, with the fourth step; the next one is due at 0.57 s
    clock.now += 0.1
    live.update(hand_made_run.steps()[5])
    assert drawn == [3, 5]


def test_flush_draws_what_was_held_back(store: RunStore) -> None:
    live = LiveFitness(store, clock=Clock())
    for step in hand_made_run.steps():
        live.update(step)
    assert live.state["replies"] == 0
    live.flush()
    assert live.state["replies"] == 5


def test_leaving_the_context_draws_what_was_held_back(store: RunStore) -> None:
    with LiveFitness(store, clock=Clock()) as live:
        for step in hand_made_run.steps():
            live.update(step)
    assert live.state["replies"] == 5


def test_a_long_run_is_thinned_to_300_points_and_keeps_its_best(store: RunStore) -> None:
    live = LiveFitness(store, clock=Clock())
    for number in range(1, 2_001):
        seconds = 0.002 if number == 777 else 0.02
        live.update(
            hand_made_run.reply_step(
                number, parent=0, island=0, child=hand_made_run.FAST, seconds=seconds
            )
        )
    live.flush()
    assert len(live.state["children"]) <= 300
    assert max(child[1] for child in live.state["children"]) == pytest.approx(1 / 2.001)
    assert live.state["replies"] == 2_000


def test_a_reader_without_widgets_gets_a_picture_and_a_sentence(store: RunStore) -> None:
    for step in hand_made_run.steps():
        store.record_step(step)
    data, _ = LiveFitness(store)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert '<img alt="Best fitness went from 0.1 to 0.2' in data["text/html"]
    assert "data:image/svg+xml;base64," in data["text/html"]
    assert data["text/plain"].endswith("Better than their parent: 1.")


def test_the_script_reaches_for_nothing_outside_the_page() -> None:
    script = (Path(LiveFitness.__init__.__code__.co_filename).parent / "static").glob("*.js")
    for file in script:
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        for word in ("http:", "https:", "import ", "import(", "fetch(", "innerHTML", "eval("):
            assert word not in text
