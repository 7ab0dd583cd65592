import gc
import sys
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import hand_made_run
import pytest
from IPython.core.formatters import DisplayFormatter

from workbench.runs import RunStore
from workbench.views import live as live_module
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
    drawn = len(live.state["children"])
    assert live.state["left_out"] == f"marks: {drawn} of 2,000, the extremes of every stretch"


def test_while_it_follows_it_is_a_widget_with_a_picture_beside_it(store: RunStore) -> None:
    with LiveFitness(store) as live:
        for step in hand_made_run.steps():
            live.update(step)
        data, _ = live._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert '<img alt="Best fitness went from 0.1 to 0.2' in data["text/html"]


def test_a_stored_run_and_a_finished_one_are_pictures_that_need_no_widget(store: RunStore) -> None:
    stored = LiveFitness(store)
    with LiveFitness(store) as followed:
        for step in hand_made_run.steps():
            store.record_step(step)
            stored.update(step)
            followed.update(step)
    formatter = DisplayFormatter()
    for live in (stored, followed):
        live.flush()
        data, _ = formatter.format(live)
        assert set(data) == {"text/html", "text/plain"}
        assert '<img alt="Best fitness went from 0.1 to 0.2' in data["text/html"]
        assert "data:image/svg+xml;base64," in data["text/html"]
        assert data["text/plain"].endswith("Better than their parent: 1.")
    stored.close()


def test_a_panel_that_was_left_is_let_go_of(store: RunStore) -> None:
    with LiveFitness(store) as live:
        live.update(hand_made_run.steps()[0])
    seen = weakref.ref(live)
    del live
    gc.collect()
    assert seen() is None


def test_it_can_be_read_while_another_thread_hands_it_steps(store: RunStore) -> None:
    live = LiveFitness(store, clock=lambda: 0.0)
    step = hand_made_run.steps()[3]
    steps = [
        replace(step, request=replace(step.request, step=number)) for number in range(1, 20_000)
    ]
    thread = threading.Thread(target=lambda: [live.update(each) for each in steps])
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        while thread.is_alive():
            assert live.status.startswith("Round ")
        thread.join()
    finally:
        sys.setswitchinterval(usual)
        live.close()
    assert len(live.history.points) == 19_999


def test_the_script_reaches_for_nothing_outside_the_page() -> None:
    text = (Path(live_module.__file__).parent / "static" / "live_fitness.js").read_text()
    text = text.replace("http://www.w3.org/2000/svg", "")
    assert "export default { render }" in text
    for word in ("http:", "https:", "import ", "import(", "fetch(", "innerHTML", "eval("):
        assert word not in text
