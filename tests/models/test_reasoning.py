import time

import pytest

from workbench.models.reasoning import split_reasoning


@pytest.mark.parametrize(
    ("reply", "answer", "reasoning"),
    [
        ("just an answer\n", "just an answer\n", ""),
        ("<think>why</think>\n\nbecause", "because", "why"),
        ("\n <think>\nwhy\n</think>\nbecause\n", "because", "why"),
        ("<think></think>x = 1", "x = 1", ""),
        ("why\n</think>\n\nbecause", "because", "why"),
        ("<think>cut while think", "", "cut while think"),
        ("Sure.\n<think>why</think>\nbecause", "Sure.\n\nbecause", "why"),
        ("<think>a</think>b\n<think>c</think>d", "b\nd", "a\n\nc"),
        ("<think>a</think><think>b</think>c", "c", "a\n\nb"),
        ("it is so.</think>\nbecause", "because", "it is so."),
        ("", "", ""),
    ],
)
def test_answer_and_reasoning_come_apart(reply: str, answer: str, reasoning: str) -> None:
    assert split_reasoning(reply) == (answer, reasoning)


def test_indentation_at_the_start_of_an_answer_is_kept() -> None:
    assert split_reasoning("<think>w</think>\n    return 1")[0] == "    return 1"


def test_program_that_prints_the_opening_tag_is_left_alone() -> None:
    program = 'print("<think>")\n'
    assert split_reasoning(program) == (program, "")


def test_program_that_prints_the_closing_tag_is_left_alone() -> None:
    program = "```python\ns = '</think>'\nprint(s)\n```"
    assert split_reasoning(program) == (program, "")


@pytest.mark.parametrize(
    "unit", ["<think></think>\n", "<think></think>", "<think>\n", " </think>x"]
)
def test_reply_of_two_million_characters_takes_linear_time(unit: str) -> None:
    started = time.process_time()
    split_reasoning(unit * (2_000_000 // len(unit)))
    # Measured at half a second, and at a minute where the rest was copied for every tag.
    assert time.process_time() - started < 10


def test_reply_to_a_prompt_that_opened_the_tag_is_all_reasoning_until_it_closes() -> None:
    assert split_reasoning("still at it", opened=True) == ("", "still at it")
    assert split_reasoning("why</think>x", opened=True) == ("x", "why")


def test_program_drafted_while_thinking_never_reaches_the_answer() -> None:
    draft = "```python\nwrong\n```"
    answer, reasoning = split_reasoning(f"<think>\n{draft}\n</think>\n```python\nright\n```")
    assert answer == "```python\nright\n```"
    assert reasoning == draft
