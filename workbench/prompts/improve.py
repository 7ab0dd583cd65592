"""The improve operator: MetaEvolve's contextual prompt in four parts."""

from collections.abc import Sequence
from enum import Enum

from workbench.models import Message, Role
from workbench.population import Candidate
from workbench.prompts.parts import describe_figures, describe_fitness, describe_task, fence
from workbench.prompts.prompt import Prompt
from workbench.prompts.template import Page
from workbench.tasks import Task


class ReplyForm(Enum):
    """How the model is asked to describe the child."""

    REWRITE = "rewrite"
    EDIT = "edit"


def improve(
    task: Task,
    current: Candidate,
    history: Sequence[Candidate] = (),
    *,
    form: ReplyForm = ReplyForm.REWRITE,
) -> Prompt:
    """Task, current program with fitness, prior attempts weakest first, instruction.

    The current program stands in the first ```python block of the message, which the
    rewriter relies on; blocks of the task's statement are tagged otherwise.

    Args:
        task: what is asked; only its sample cases are shown.
        current: the parent.
        history: prior attempts, in any order; without any the section is left out, which is
            also how the ablation without history is made.
        form: whole program or SEARCH/REPLACE edits.

    Source: MetaEvolve, section 2.1.2 (the four parts, ascending order). Its wording is not
    published; this one is ours.
    """
    attempts = sorted(history, key=_performance)
    fitness = describe_fitness(current.evaluation.fitness)
    page = Page()
    text = page.render(
        "improve",
        task=describe_task(page, task),
        program=fence(current.program.source),
        fitness=fitness,
        figures=describe_figures(page, current.evaluation),
        history=_render_history(page, attempts),
        instruction=page.render(_instruction(current), fitness=fitness),
        form=page.render(form.value),
    )
    return Prompt(
        conversation=(Message(Role.USER, text),),
        operator="improve",
        template=page.digest,
        shown=(*(attempt.id for attempt in attempts), current.id),
    )


def _performance(candidate: Candidate) -> tuple[bool, float, float, int]:
    """Correct after incorrect, then by pass rate, then by fitness; the older one first."""
    evaluation = candidate.evaluation
    return (evaluation.accepted, evaluation.pass_rate, evaluation.fitness, candidate.id)


def _instruction(current: Candidate) -> str:
    """Which template asks for what is still to be gained."""
    if not current.evaluation.accepted:
        return "correct"
    highest = describe_fitness(current.evaluation.fitness) == describe_fitness(1.0)
    return "fastest" if highest else "faster"


def _render_history(page: Page, attempts: Sequence[Candidate]) -> str:
    if not attempts:
        return ""
    rendered = [
        page.render(
            "attempt",
            number=str(number),
            fitness=describe_fitness(attempt.evaluation.fitness),
            figures=describe_figures(page, attempt.evaluation),
            program=fence(attempt.program.source),
        )
        for number, attempt in enumerate(attempts, start=1)
    ]
    return page.render("history", attempts="\n\n".join(rendered))
