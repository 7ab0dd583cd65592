"""What is worked with, as HTML: tasks, programs, judgements, prompts, populations.

Every function takes the number of characters that a block of text may have.
"""

from workbench.analysis import RunSummary
from workbench.evaluation import CaseResult, Comparison, Evaluation, Verdict
from workbench.models import Completion
from workbench.population import Candidate, Islands
from workbench.programs import Program
from workbench.prompts import Prompt
from workbench.prompts.parts import describe_share
from workbench.runs import Manifest, RunStore
from workbench.sandbox import TrustLevel
from workbench.tasks import Case, Exhibit, Mode, Task
from workbench.views import words
from workbench.views.code import code_block
from workbench.views.html import (
    MOST_ROWS,
    Html,
    Part,
    block,
    card,
    element,
    facts,
    folded,
    join,
    shorten,
    table,
)

_CASES_SHOWN = 20
_LEAST_OF_A_CASE = 12
_MEMBERS_SHOWN = 8


def task_card(task: Task, limit: int) -> Html:
    """The statement, how it is judged, and the cases behind a fold."""
    how = "a script: standard input to standard output"
    if task.mode is Mode.FUNCTION:
        how = f"a function: {task.function}"
    judged = (
        f"{len(task.cases)} cases, of which prompts may show {len(task.samples)}; "
        f"{task.cpu_limit_s:g} CPU seconds and {task.memory_mib} MiB a case"
    )
    rule = type(task.checker).__name__.lower()
    parts: list[Part] = [
        block(task.statement.strip(), limit=limit),
        facts([("program", how), ("judged by", judged), ("compared by", f"the {rule} rule")]),
        folded("cases", cases_table(task.cases[:_CASES_SHOWN], limit, of=len(task.cases))),
    ]
    if task.exhibits:
        parts.append(folded("programs that come with it", exhibits_table(task.exhibits, limit)))
    return card(f"{task.title} ({task.name})", *parts)


def case_card(case: Case, limit: int) -> Html:
    """Input and expected answer."""
    shown = facts([("seen by", "prompts too" if case.group.value == "sample" else "nobody else")])
    return card(
        words.of_case(case),
        shown,
        element("div", "input"),
        block(case.input, limit=limit),
        element("div", "expected"),
        block(case.expected, limit=limit),
    )


def cases_table(cases: tuple[Case, ...], limit: int, *, of: int | None = None) -> Html:
    """Cases with their ends cut, the more the less room there is.

    Args:
        cases: what to show.
        limit: characters that all inputs, and all answers, may have together.
        of: how many cases there are, if not these alone.
    """
    shown = cases[:MOST_ROWS]
    each = max(limit // max(len(shown), 1), _LEAST_OF_A_CASE)
    rows: list[list[Part]] = [
        [case.id, case.group.value, shorten(case.input, each), shorten(case.expected, each)]
        for case in shown
    ]
    left_out = (len(cases) if of is None else of) - len(shown)
    return table(["case", "group", "input", "expected"], rows, rows_left_out=left_out)


def exhibits_table(exhibits: tuple[Exhibit, ...], limit: int) -> Html:
    """Programs that come with a task, side by side with their labels."""
    rows: list[list[Part]] = [
        [
            exhibit.name,
            "solves the task" if exhibit.accepted else "wrong on purpose",
            code_block(exhibit.program.source.strip("\n"), limit=limit),
        ]
        for exhibit in exhibits
    ]
    return table(["name", "should be", "program"], rows)


def program_card(program: Program, limit: int) -> Html:
    """The source, coloured."""
    title = f"Program {program.id}, {program.line_count} lines"
    return card(title, code_block(program.source.rstrip("\n"), limit=limit))


def evaluation_card(evaluation: Evaluation, limit: int) -> Html:
    """The figures, and every case behind a fold."""
    rows: list[tuple[str, Part]] = [
        ("verdict", element("b", verdict_words(evaluation.verdict))),
        ("cases passed", describe_share(evaluation.pass_rate)),
        ("fitness", f"{words.number(evaluation.fitness)} by CPU time"),
        ("fitness by wall time", words.number(evaluation.wall_fitness)),
    ]
    if evaluation.mean_cpu_s is not None and evaluation.mean_wall_s is not None:
        mean = f"{words.milliseconds(evaluation.mean_cpu_s)} CPU"
        rows.append(("mean a case", f"{mean}, {words.milliseconds(evaluation.mean_wall_s)} wall"))
    rows.append(("sandbox level", f"L{evaluation.trust}"))
    return card(
        f"Evaluation on {evaluation.task}",
        facts(rows),
        folded(f"{len(evaluation.cases)} cases", results_table(evaluation.cases, limit)),
    )


def results_table(results: tuple[CaseResult, ...], limit: int) -> Html:
    """Verdict, time and first difference, case by case; failures first."""
    failures_first = sorted(results, key=lambda result: result.verdict is Verdict.ACCEPTED)
    rows: list[list[Part]] = [
        [
            result.case_id,
            verdict_words(result.verdict),
            words.milliseconds(result.cpu_s),
            shorten(result.detail, limit),
        ]
        for result in failures_first
    ]
    return table(["case", "verdict", "CPU time", "what happened"], rows)


def verdict_words(verdict: Verdict) -> str:
    """The verdict with a mark in front, so that it is found at a glance."""
    return f"{'✓' if verdict is Verdict.ACCEPTED else '✗'} {verdict.words}"


def comparison_card(comparison: Comparison, limit: int) -> Html:  # noqa: ARG001 - one signature
    """The decision with its evidence."""
    evidence = "none was needed"
    if comparison.pairs:
        evidence = f"{comparison.pairs} interleaved pairs on each of {comparison.cases} cases"
    rows: list[tuple[str, Part]] = [
        ("decision", element("b", words.of_comparison(comparison))),
        ("evidence", evidence),
        ("first, second", f"{comparison.first}, {comparison.second}"),
    ]
    return card("Comparison: seconds of the first / seconds of the second", facts(rows))


def candidate_card(candidate: Candidate, limit: int) -> Html:
    """Program, descent and judgement."""
    descent = f"{candidate.operator}, from {words.ids(candidate.parents)}"
    return card(
        f"Candidate {candidate.id} on island {candidate.island}",
        facts([("judged", words.of_evaluation(candidate.evaluation)), ("made by", descent)]),
        code_block(candidate.program.source.rstrip("\n"), limit=limit),
    )


def islands_card(islands: Islands, limit: int) -> Html:  # noqa: ARG001 - one signature
    """Who lives where, best first."""
    rows: list[list[Part]] = []
    for number, island in enumerate(islands.members):
        best_first = sorted(island, key=lambda member: member.rank, reverse=True)
        members = ", ".join(
            f"{member.id} ({words.number(member.evaluation.fitness)})"
            for member in best_first[:_MEMBERS_SHOWN]
        )
        if len(best_first) > _MEMBERS_SHOWN:
            members += f" and {len(best_first) - _MEMBERS_SHOWN} more"
        rows.append([str(number), str(len(island)), members])
    return card(
        f"Islands: {len(islands.members)}, candidates: {len(islands.everyone)}",
        table(["island", "members", "candidate (fitness), best first"], rows),
    )


def prompt_card(prompt: Prompt, limit: int) -> Html:
    """All that the model is shown, message by message."""
    messages: list[Part] = []
    for message in prompt.conversation:
        messages += [
            element("div", f"{message.role.value}:"),
            block(message.content, limit=limit),
        ]
    origin = f"template {prompt.template}; candidates shown: {words.ids(prompt.shown)}"
    return card(words.of_prompt(prompt), element("div", origin), *messages)


def completion_card(completion: Completion, limit: int) -> Html:
    """Reasoning behind a fold, then the answer."""
    parts: list[Part] = []
    if completion.reasoning:
        parts.append(
            folded(
                f"reasoning, {len(completion.reasoning):,} characters",
                block(completion.reasoning, limit=limit),
            )
        )
    parts.append(block(completion.text, limit=limit))
    return card(words.of_completion(completion), *parts)


def manifest_card(manifest: Manifest, limit: int) -> Html:
    """Settings and provenance."""
    settings = "\n".join(f"{key} = {value}" for key, value in sorted(manifest.settings.items()))
    return card(
        words.of_manifest(manifest),
        folded("settings", block(settings, limit=limit)),
        folded("versions and host", facts(sorted(manifest.provenance.items()))),
    )


def summary_card(summary: RunSummary, limit: int) -> Html:  # noqa: ARG001 - one signature
    """Counts and figures."""
    speed = "not measured"
    if summary.speedup is not None and summary.low is not None and summary.high is not None:
        interval = f"{summary.low:.3g} to {summary.high:.3g}"
        speed = f"{summary.speedup:.3g}x the speed of the start (95 % interval {interval})"
    verdicts = ", ".join(f"{count} {verdict.words}" for verdict, count in summary.verdicts)
    fitness = f"{words.optional(summary.start_fitness)} → {words.optional(summary.best_fitness)}"
    return card(
        f"{summary.task} with {summary.model}",
        facts(
            [
                ("fitness, start to best", fitness),
                ("best against start", speed),
                ("replies", f"{summary.completions}, of which {summary.parsed} held a program"),
                ("programs run", f"{summary.evaluations}, besides {summary.given} given"),
                ("repeated an earlier program", str(summary.duplicates)),
                ("correct", str(summary.accepted)),
                ("better than their parent", str(summary.improved)),
                ("verdicts", verdicts or "none yet"),
                ("time", f"{summary.seconds:.1f} s"),
            ]
        ),
    )


def store_card(store: RunStore, limit: int) -> Html:
    """What the run is made of; reading its steps is left to who asks for them."""
    return join([element("div", words.of_store(store)), manifest_card(store.manifest, limit)])


def trust_card(trust: TrustLevel, limit: int) -> Html:  # noqa: ARG001 - one signature
    """How well the host is shielded."""
    return card(f"Sandbox level {trust.name}", facts([("still possible", trust.still_possible)]))
