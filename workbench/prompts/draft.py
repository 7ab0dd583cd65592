"""The draft operator: a first program from the task alone."""

from workbench.models import Message, Role
from workbench.prompts.parts import describe_task
from workbench.prompts.prompt import Prompt
from workbench.prompts.template import Page
from workbench.tasks import Task


def draft(task: Task) -> Prompt:
    """Task and instruction; the reply is a whole program.

    Source: MetaEvolve, section 3.1.3, samples its starting programs so; the wording is ours.
    """
    page = Page()
    text = page.render("draft", task=describe_task(page, task), form=page.render("rewrite"))
    return Prompt(
        conversation=(Message(Role.USER, text),),
        operator="draft",
        template=page.digest,
    )
