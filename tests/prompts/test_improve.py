"""The contextual prompt: its parts, their order, and what must never be in it."""

from builders import candidate, double_task, echo_task

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
