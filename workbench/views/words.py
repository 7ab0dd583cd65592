"""Every record in one line of plain words, for terminals, summaries and lists."""

from workbench.analysis import RunSummary
from workbench.evaluation import Comparison, Decision, Evaluation
from workbench.models import Completion
from workbench.population import Candidate, Islands
from workbench.prompts import Prompt
from workbench.prompts.parts import describe_share
from workbench.runs import Manifest, Reply, Request, RoundOutcome, RunStore, Step
from workbench.sandbox import TrustLevel
from workbench.tasks import Case, Exhibit, Task


def of_task(task: Task) -> str:
    """Name, title and size."""
    return f"Task {task.name}: {task.title}, {len(task.cases)} cases"


def of_case(case: Case) -> str:
    """Which case, and who may see it."""
    return f"Case {case.id} ({case.group.value})"


def of_exhibit(exhibit: Exhibit) -> str:
    """Name, and what it should be judged to be."""
    label = "correct" if exhibit.accepted else "wrong on purpose"
    return f"Exhibit {exhibit.name} ({label}, {exhibit.program.line_count} lines)"


def of_evaluation(evaluation: Evaluation) -> str:
    """Verdict, share of cases, fitness and time."""
    words = f"{evaluation.verdict.words}, {describe_share(evaluation.pass_rate)} of the cases"
    if evaluation.mean_cpu_s is not None:
        words += f", fitness {number(evaluation.fitness)}, {milliseconds(evaluation.mean_cpu_s)}"
    return words


def of_comparison(comparison: Comparison | None) -> str:
    """What was decided, with the interval; empty without a comparison."""
    if comparison is None:
        return ""
    if comparison.decision is Decision.NEWLY_ACCEPTED:
        return "solves the task, which the first does not"
    words: str = comparison.decision.value
    if comparison.speedup is None or comparison.low is None or comparison.high is None:
        return words
    return f"{words}: {comparison.speedup:.3g}x ({comparison.low:.3g} to {comparison.high:.3g})"


def of_candidate(candidate: Candidate) -> str:
    """Who, how good, and where from."""
    return (
        f"Candidate {candidate.id} on island {candidate.island} ({candidate.operator}): "
        f"{of_evaluation(candidate.evaluation)}"
    )


def of_islands(islands: Islands) -> str:
    """How many live where."""
    sizes = ", ".join(str(len(island)) for island in islands.members)
    return f"Islands with {sizes} members"


def of_prompt(prompt: Prompt) -> str:
    """Operator, length and whom it shows."""
    shown = f", shows candidates {ids(prompt.shown)}" if prompt.shown else ""
    return f"Prompt to {prompt.operator}, {len(prompt.text):,} characters{shown}"


def of_completion(completion: Completion) -> str:
    """Length and how it ended."""
    reasoning = f", {len(completion.reasoning):,} of reasoning" if completion.reasoning else ""
    return (
        f"Completion of {len(completion.text):,} characters{reasoning}, "
        f"{completion.completion_tokens:,} tokens, ended by {completion.finish_reason}"
    )


def of_request(request: Request) -> str:
    """What is asked, for where, from whom."""
    return (
        f"Request {request.step}: {request.operator} for island {request.island}, "
        f"parents {ids(request.parents)}"
    )


def of_reply(reply: Reply) -> str:
    """Which request, and what came."""
    came = "a given program" if reply.completion is None else of_completion(reply.completion)
    return f"Reply to {reply.request.step}: {came}"


def of_step(step: Step) -> str:
    """What came of it."""
    judged = of_evaluation(step.evaluation) if step.evaluation else step.verdict.words
    better = ", better than its parent" if step.improved else ""
    return f"Step {step.id} ({step.request.operator}): {judged}{better}"


def of_outcome(outcome: RoundOutcome) -> str:
    """Who was kept and who leads."""
    best = "nobody" if outcome.best is None else str(outcome.best)
    return (
        f"Round {outcome.round}: kept {ids(outcome.kept)}, dropped {ids(outcome.dropped)}, "
        f"{len(outcome.migrations)} migrations, {best} leads with {number(outcome.best_fitness)}"
    )


def of_manifest(manifest: Manifest) -> str:
    """Method, task, model, seed."""
    return (
        f"Run of {manifest.method} on {manifest.task} with {manifest.model}, seed {manifest.seed}"
    )


def of_store(store: RunStore) -> str:
    """The file's name, without its folder."""
    return f"RunStore {store.path.name}"


def of_summary(summary: RunSummary) -> str:
    """Counts, and from where to where."""
    return (
        f"{summary.task} with {summary.model}: fitness {optional(summary.start_fitness)} to "
        f"{optional(summary.best_fitness)}; {summary.completions} replies, {summary.parsed} held "
        f"a program, {summary.accepted} correct, {summary.improved} better than their parent"
    )


def of_trust(trust: TrustLevel) -> str:
    """The level, and what it leaves open."""
    return f"Sandbox level {trust.name}. A program could still: {trust.still_possible}"


def number(value: float) -> str:
    """Four significant digits."""
    return f"{value:.4g}"


def optional(value: float | None) -> str:
    """As `number`, or a dash."""
    return "-" if value is None else number(value)


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds, with their unit."""
    return f"{seconds * 1000:.4g} ms"


def ids(values: tuple[int, ...]) -> str:
    """Ids in a row, or none."""
    return ", ".join(str(value) for value in values) or "none"
