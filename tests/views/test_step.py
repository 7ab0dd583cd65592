import hand_made_run
from builders import SLOW_DOUBLE

from workbench.views import step_view


def test_a_step_with_its_run_shows_what_changed_against_the_parent() -> None:
    steps = hand_made_run.steps()
    shown = step_view(steps[1], steps).markup
    assert "<ins " in shown
    assert "- </del>" not in shown
    assert "    total = 0" in shown
    assert "faster: 2x (1.8 to 2.2)" in shown
    assert "10 interleaved pairs on each of 3 cases" in shown
    assert "Make it faster." in shown


def test_a_step_without_its_run_shows_the_child_whole() -> None:
    step = hand_made_run.steps()[1]
    shown = step_view(step).markup
    assert "<ins " not in shown
    assert "child" in shown


def test_a_reply_without_a_program_says_why() -> None:
    steps = hand_made_run.steps()
    shown = step_view(steps[3], steps)
    assert "the reply has no code block" in shown.markup
    assert "✗ unparsed" in shown.markup
    assert repr(shown) == "Step 3 (improve): unparsed"


def test_a_given_program_is_shown_behind_a_fold() -> None:
    shown = step_view(hand_made_run.steps()[0]).markup
    assert "a given program" in shown
    assert "total" in SLOW_DOUBLE
    assert "total" in shown


def test_reasoning_is_folded_and_labelled() -> None:
    step = hand_made_run.reply_step(
        1, parent=0, island=0, child=None, text="no", reasoning="I wonder."
    )
    shown = step_view(step).markup
    assert "reasoning, 9 characters" in shown
    assert "I wonder." in shown
