"""A round's records as HTML: requests, replies, steps, outcomes, and a step beside its parent."""

from collections.abc import Iterable
from typing import TypeVar

from workbench.programs import Program
from workbench.runs import Reply, Request, RoundOutcome, Step
from workbench.views import words
from workbench.views.cards import (
    comparison_card,
    completion_card,
    evaluation_card,
    prompt_card,
    verdict_words,
)
from workbench.views.code import code_block
from workbench.views.diff import diff_html
from workbench.views.html import (
    MOST_ROWS,
    Html,
    Part,
    card,
    element,
    facts,
    fitted,
    folded,
    join,
    shorten,
    table,
)

_Record = TypeVar("_Record")


def request_card(request: Request, limit: int) -> Html:
    """What is asked and for whom; the prompt behind a fold."""
    rows: list[tuple[str, Part]] = [
        ("round, island", f"{request.round}, {request.island}"),
        ("parents", words.ids(request.parents)),
    ]
    return card(words.of_request(request), facts(rows), _asked(request, limit))


def reply_card(reply: Reply, limit: int) -> Html:
    """What came, with what was asked behind a fold."""
    parts: list[Part] = [_asked(reply.request, limit)]
    if reply.completion is not None:
        parts.append(completion_card(reply.completion, limit))
    return card(f"Reply to request {reply.request.step}", *parts)


def step_card(step: Step, limit: int, parent: Program | None = None) -> Html:
    """One turn from prompt to evidence.

    Args:
        step: the turn.
        limit: characters that a block of text may have.
        parent: the main parent's program; with it the child is shown as a diff.
    """
    parts: list[Part] = [facts(_step_facts(step)), _asked(step.request, limit)]
    if step.completion is not None:
        parts.append(completion_card(step.completion, limit))
    if step.child is not None:
        parts.append(_child(step.child, parent, limit))
    if step.evaluation is not None:
        parts.append(folded("evaluation", evaluation_card(step.evaluation, limit)))
    if step.comparison is not None:
        parts.append(folded("comparison with the parent", comparison_card(step.comparison, limit)))
    return card(f"Step {step.id}: {verdict_words(step.verdict)}", *parts)


def outcome_card(outcome: RoundOutcome, limit: int) -> Html:  # noqa: ARG001 - one signature
    """Who stays, who goes, who travels, who leads."""
    journeys = "; ".join(
        f"{journey.candidate} from island {journey.source} to {journey.target}"
        for journey in outcome.migrations
    )
    leader = "nobody yet"
    if outcome.best is not None:
        leader = f"{outcome.best} with fitness {words.number(outcome.best_fitness)}"
    rows: list[tuple[str, Part]] = [
        ("kept, best first", words.ids(outcome.kept)),
        ("dropped", words.ids(outcome.dropped)),
        ("migrated", journeys or "none"),
        ("leads", leader),
    ]
    return card(f"Round {outcome.round}", facts(rows))


def step_view(step: Step, steps: Iterable[Step] = ()) -> Html:
    """A step beside its parent: prompt, reasoning, reply, diff, verdicts, evidence.

    Args:
        step: the step to look at.
        steps: the run's steps, among which the parent is looked up; without it the child is
            shown whole.
    """
    main = next(iter(step.request.parents), None)
    parent = next((other.child for other in steps if other.id == main), None)
    shown = fitted(lambda limit: step_card(step, limit, parent))
    return Html(shown.markup, plain=words.of_step(step))


def requests_table(requests: tuple[Request, ...], limit: int) -> Html:
    """A round's requests, each prompt behind a fold."""
    shown, left_out, each = _share_out(requests, limit)
    rows: list[list[Part]] = [
        [
            str(request.step),
            request.operator,
            str(request.island),
            words.ids(request.parents),
            _asked(request, each),
        ]
        for request in shown
    ]
    head = ["step", "how", "island", "parents", "what is asked"]
    return table(head, rows, rows_left_out=left_out)


def replies_table(replies: tuple[Reply, ...], limit: int) -> Html:
    """A round's replies, each behind a fold."""
    shown, left_out, each = _share_out(replies, limit)
    rows: list[list[Part]] = []
    for reply in shown:
        came = reply.completion
        answer = element("span", "a given program")
        if came is not None:
            answer = folded(words.of_completion(came), completion_card(came, each))
        rows.append([str(reply.request.step), str(reply.request.island), answer])
    return table(["step", "island", "what came"], rows, rows_left_out=left_out)


def steps_table(steps: tuple[Step, ...], limit: int) -> Html:
    """What came of each, with its program behind a fold."""
    shown, left_out, each = _share_out(steps, limit)
    rows: list[list[Part]] = []
    for step in shown:
        fitness = words.optional(step.evaluation.fitness if step.evaluation else None)
        rows.append(
            [
                str(step.id),
                str(step.request.island),
                words.ids(step.request.parents),
                verdict_words(step.verdict),
                fitness,
                words.of_comparison(step.comparison) or "-",
                _program_or_failure(step, each),
            ]
        )
    head = ["step", "island", "parents", "verdict", "fitness", "against parent", "program"]
    return table(head, rows, rows_left_out=left_out)


def _share_out(records: tuple[_Record, ...], limit: int) -> tuple[tuple[_Record, ...], int, int]:
    """Records that a table has room for, how many it has not, and each one's characters."""
    shown = records[:MOST_ROWS]
    return shown, len(records) - len(shown), limit // max(len(shown), 1)


def _program_or_failure(step: Step, limit: int) -> Part:
    if step.child is None:
        return shorten(step.failure, limit)
    size = f"{step.child.line_count} lines"
    if step.duplicate_of is not None:
        size += f", same as {step.duplicate_of}"
    return folded(size, code_block(step.child.source.rstrip("\n"), limit=limit))


def _step_facts(step: Step) -> list[tuple[str, Part]]:
    request = step.request
    rows: list[tuple[str, Part]] = [
        ("made by", f"{request.operator}, from {words.ids(request.parents)}"),
        ("round, island", f"{request.round}, {request.island}"),
        ("reply read as", step.edit.value.replace("_", " ")),
    ]
    if step.failure:
        rows.append(("why there is no child", step.failure))
    if step.evaluation is not None:
        rows.append(("judged", words.of_evaluation(step.evaluation)))
    if step.comparison is not None:
        rows.append(("against its parent", words.of_comparison(step.comparison)))
    if step.duplicate_of is not None:
        rows.append(("same text as", str(step.duplicate_of)))
    return rows


def _asked(request: Request, limit: int) -> Html:
    if request.prompt is not None:
        return folded(words.of_prompt(request.prompt), prompt_card(request.prompt, limit))
    if request.program is not None:
        source = request.program.source.rstrip("\n")
        return folded("a given program", code_block(source, limit=limit))
    return element("span", "nothing")


def _child(child: Program, parent: Program | None, limit: int) -> Html:
    if parent is None:
        return join([element("div", "child"), code_block(child.source.rstrip("\n"), limit=limit)])
    shown = diff_html(parent.source, child.source, limit=limit)
    return join([element("div", "child against its parent (- taken out, + put in)"), shown])
