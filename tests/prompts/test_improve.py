"""The contextual prompt: its parts, their order, and what must never be in it."""

import re
from dataclasses import replace
from pathlib import Path

from builders import candidate, double_task, echo_task

import workbench.prompts
from workbench.evaluation import Verdict
from workbench.models import Sampling
from workbench.models.rewriter import Rewriter
from workbench.programs import Program
from workbench.prompts import ReplyForm, draft, improve


def test_the_parts_come_in_the_papers_order() -> None:
    task = double_task()
    text = improve(task, candidate(3, seconds=0.02), [candidate(1, seconds=0.04)]).text
    places = [
        text.index(part)
        for part in ("Return twice n.", "# Current program", "# Earlier attempts", "# Instruction")
    ]
    assert places == sorted(places)


def test_attempts_stand_weakest_first() -> None:
    attempts = [
        candidate(4, seconds=0.010),
        candidate(2, seconds=None, pass_rate=0.2),
        candidate(5, seconds=0.030),
        candidate(3, seconds=None, pass_rate=0.7),
    ]
    prompt = improve(double_task(), candidate(9), attempts)
    assert prompt.shown == (2, 3, 5, 4, 9)
    places = [prompt.text.index(f"2 * n  # {number}\n") for number in (2, 3, 5, 4)]
    assert places == sorted(places)


def test_figures_of_the_current_program_are_shown() -> None:
    text = improve(double_task(), candidate(1, seconds=0.02)).text
    # Eq. 3: 1 / 20.001.
    assert "Fitness 0.05 (accepted, passes 100% of the cases, mean 20 ms a case):" in text


def test_a_wrong_program_is_to_be_mended_and_a_right_one_sped_up() -> None:
    right = improve(double_task(), candidate(1, seconds=0.02))
    wrong = improve(double_task(), candidate(1, seconds=None))
    assert "the same results faster" in right.text
    assert "the right answer in every case" in wrong.text
    assert right.template != wrong.template


def test_without_history_the_section_is_absent() -> None:
    assert "Earlier attempts" not in improve(double_task(), candidate(1)).text


def test_hidden_cases_never_enter_a_prompt() -> None:
    task = echo_task()
    for prompt in (improve(task, candidate(1)), draft(task)):
        assert "a b" in prompt.text
        assert "c  d e" not in prompt.text


def test_the_first_python_block_is_the_current_program_even_with_backticks_inside() -> None:
    source = 'def double(n):\n    """```python\n    no\n    ```"""\n    return 2 * n\n'
    program = Program(source)
    current = candidate(1)
    current = type(current)(id=1, program=program, evaluation=current.evaluation)
    text = improve(double_task(), current).text
    assert f"````python\n{source}````\n" in text


def test_blocks_of_the_statement_do_not_pass_for_the_current_program() -> None:
    statement = "Return twice n, unlike:\n\n```python\ndef half(n):\n    return n / 2\n```"
    prompt = improve(replace(double_task(), statement=statement), candidate(1))
    assert "```py\ndef half(n):" in prompt.text
    sampling = Sampling()
    ((_, reply),) = Rewriter().generate([prompt.conversation], sampling, seeds=[1])
    assert "def double(n):" in reply.text


def test_a_program_of_the_highest_fitness_is_not_asked_for_a_higher_one() -> None:
    # Eq. 3 is 1 from 0.999 ms down, and reads 1 with four digits a little before.
    for seconds in (0.0005, 0.000999, 0.00099905):
        text = improve(double_task(), candidate(1, seconds=seconds)).text
        assert "fitness is 1 already, the highest there is" in text
        assert "above" not in text
    assert "with a fitness above 0.9" in improve(double_task(), candidate(1, seconds=0.0011)).text


def test_the_template_digest_covers_the_words_of_what_is_shown_and_no_others() -> None:
    plain, told = (
        improve(double_task(), candidate(2)),
        improve(double_task(), candidate(2), [candidate(1)]),
    )
    again = improve(double_task(), candidate(5), [candidate(1), candidate(3)])
    assert plain.template != told.template
    assert told.template == again.template
    script = improve(echo_task(), candidate(2))
    assert script.template != plain.template
    assert draft(echo_task()).template != draft(double_task()).template


def test_no_word_of_a_prompt_stands_outside_its_templates() -> None:
    """What is left of a prompt without its templates' words is the task's, or a figure."""
    folder = Path(workbench.prompts.__file__).parent / "templates"
    known = {word for file in folder.glob("*.txt") for word in _words(file.read_text("utf-8"))}
    for task in (double_task(), echo_task()):
        history = [candidate(1), candidate(3, seconds=None)]
        shown = [task.statement, candidate(2).program.source, task.samples[0].input]
        brought = _words(" ".join([*shown, *(verdict.words for verdict in Verdict)]))
        text = improve(task, candidate(2), history).text
        assert _words(text) - known - brought <= {"python", "ms"}


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]+", text))


def test_the_template_digest_changes_with_the_form_of_reply() -> None:
    rewrite = improve(double_task(), candidate(1))
    edit = improve(double_task(), candidate(1), form=ReplyForm.EDIT)
    assert rewrite.template != edit.template
    assert "SEARCH" in edit.text


def test_a_dollar_sign_in_a_program_or_statement_is_text() -> None:
    program = Program("x = '$task ${history}'\n")
    current = candidate(1)
    current = type(current)(id=1, program=program, evaluation=current.evaluation)
    assert "x = '$task ${history}'" in improve(double_task(), current).text
