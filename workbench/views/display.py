"""Teaching IPython to show Workbench's objects: a bare name at a cell's end is enough.

The packages that define the objects know nothing of HTML; this one knows all of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.analysis import RunSummary
from workbench.errors import ConfigError, StoreError, WorkbenchError, boundary
from workbench.evaluation import Comparison, Evaluation
from workbench.models import Completion
from workbench.population import Candidate, Islands
from workbench.programs import Program
from workbench.prompts import Prompt
from workbench.runs import Manifest, Reply, Request, RoundOutcome, RunStore, Step, provenance
from workbench.sandbox import TrustLevel
from workbench.tasks import Case, Exhibit, Task
from workbench.views import cards, step, words
from workbench.views.html import Html, Part, block, card, element, facts, fitted, table

Render = Callable[[Any, int], Html]


class _Look(NamedTuple):
    """How a type is shown: in one line, and as HTML within a limit on blocks of text."""

    line: Callable[[Any], str]
    html: Render


_LOOKS: dict[type, _Look] = {
    Task: _Look(words.of_task, cards.task_card),
    Case: _Look(words.of_case, cards.case_card),
    Exhibit: _Look(
        words.of_exhibit, lambda exhibit, limit: cards.exhibits_table((exhibit,), limit)
    ),
    Program: _Look(repr, cards.program_card),
    Evaluation: _Look(words.of_evaluation, cards.evaluation_card),
    Comparison: _Look(words.of_comparison, cards.comparison_card),
    Candidate: _Look(words.of_candidate, cards.candidate_card),
    Islands: _Look(words.of_islands, cards.islands_card),
    Prompt: _Look(words.of_prompt, cards.prompt_card),
    Completion: _Look(words.of_completion, cards.completion_card),
    Request: _Look(words.of_request, step.request_card),
    Reply: _Look(words.of_reply, step.reply_card),
    Step: _Look(words.of_step, step.step_card),
    RoundOutcome: _Look(words.of_outcome, step.outcome_card),
    Manifest: _Look(words.of_manifest, cards.manifest_card),
    RunStore: _Look(words.of_store, cards.store_card),
    RunSummary: _Look(words.of_summary, cards.summary_card),
    TrustLevel: _Look(words.of_trust, cards.trust_card),
}

_TABLES: dict[type, Render] = {
    Case: cards.cases_table,
    Exhibit: cards.exhibits_table,
    Candidate: lambda candidates, _: _candidates_table(candidates),
    Request: step.requests_table,
    Reply: step.replies_table,
    Step: step.steps_table,
}


def enable(trust: TrustLevel | None = None) -> Html:
    """Register how objects are shown in this notebook; calling it again changes nothing.

    Args:
        trust: the open sandbox's level, to be shown among the facts.

    Returns:
        What Workbench runs on, to be shown.

    Raises:
        ConfigError: there is no IPython shell to register with.
    """
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise ConfigError("views.enable needs a notebook or IPython shell; call it from there")
    register(shell.display_formatter)
    return _environment(trust)


def register(formatter: Any) -> None:
    """Teach one IPython `DisplayFormatter` every type.

    A list or tuple is shown as a table only if it holds one of these types and nothing else;
    all others keep their usual look.
    """
    as_html, as_text = formatter.formatters["text/html"], formatter.formatters["text/plain"]
    for kind, look in _LOOKS.items():
        as_html.for_type(kind, lambda value: to_html(value).markup)
        as_text.for_type(kind, _printer(look.line))
    for container in (list, tuple):
        as_html.for_type(container, _markup_of_all)


def to_html(value: object) -> Html:
    """An object as a notebook shows it; whatever is wrong with it is said, never raised."""
    look = next((_LOOKS[kind] for kind in type(value).__mro__ if kind in _LOOKS), None)
    if look is None:
        return fitted(lambda limit: block(repr(value), limit=limit))
    try:
        with boundary(StoreError, "show"):
            return Html(fitted(lambda limit: look.html(value, limit)).markup, look.line(value))
    except WorkbenchError as failure:
        return element("div", f"{type(value).__name__} cannot be shown: {failure}")


def _markup_of_all(values: list[Any] | tuple[Any, ...]) -> str | None:
    """A table if all items are of one of our types, else None, which leaves it to IPython."""
    kinds = {type(value) for value in values}
    render = _TABLES.get(next(iter(kinds))) if len(kinds) == 1 else None
    if render is None:
        return None
    return fitted(lambda limit: render(tuple(values), limit)).markup


def _printer(line: Callable[[Any], str]) -> Callable[[Any, Any, bool], None]:
    def write(value: Any, printer: Any, cycle: bool) -> None:  # noqa: ARG001 - IPython's signature
        printer.text(line(value))

    return write


def _candidates_table(candidates: tuple[Candidate, ...]) -> Html:
    rows: list[list[Part]] = [
        [
            str(candidate.id),
            str(candidate.island),
            candidate.operator,
            words.ids(candidate.parents),
            words.of_evaluation(candidate.evaluation),
        ]
        for candidate in candidates
    ]
    return table(["id", "island", "made by", "parents", "judged"], rows)


def _environment(trust: TrustLevel | None) -> Html:
    shielded = "no sandbox is open yet" if trust is None else words.of_trust(trust)
    shown = card("Workbench runs on", facts(provenance(shielded).items()))
    return Html(shown.markup, plain=shielded)
