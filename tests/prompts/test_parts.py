import pytest
from builders import candidate, double_task

from workbench.prompts import improve
from workbench.prompts.parts import describe_share


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0%"),
        (1 / 1000, "1%"),
        (0.29, "29%"),
        (0.995, "99%"),
        (199 / 200, "99%"),
        (1.0, "100%"),
    ],
)
def test_only_all_is_everything_and_only_none_is_nothing(share: float, words: str) -> None:
    assert describe_share(share) == words


def test_a_program_that_fails_one_case_of_two_hundred_is_not_said_to_pass_them_all() -> None:
    text = improve(double_task(), candidate(1, seconds=None, pass_rate=199 / 200)).text
    assert "wrong answer, passes 99% of the cases" in text
