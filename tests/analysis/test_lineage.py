from dataclasses import replace

import hand_made_run
import pytest

from workbench.analysis import ancestors, offspring
from workbench.errors import ConfigError


def test_ancestors_lead_from_the_start_to_the_candidate() -> None:
    chain = ancestors(hand_made_run.steps(), 4)
    assert [step.id for step in chain] == [0, 1, 4]


def test_a_start_is_its_own_only_ancestor() -> None:
    assert [step.id for step in ancestors(hand_made_run.steps(), 0)] == [0]


def test_an_unknown_candidate_is_named() -> None:
    with pytest.raises(ConfigError, match="17"):
        ancestors(hand_made_run.steps(), 17)


def test_a_step_that_descends_from_itself_is_refused_rather_than_followed_for_ever() -> None:
    steps = hand_made_run.steps()
    steps[1] = replace(steps[1], request=hand_made_run.request(1, parent=1))
    with pytest.raises(ConfigError, match="descends from itself"):
        ancestors(steps, 4)


def test_offspring_leaves_out_replies_without_a_program() -> None:
    assert offspring(hand_made_run.steps()) == {0: (1, 2), 1: (4, 5)}
