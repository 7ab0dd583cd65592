"""The commands and their options."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli import demo as demo_command
from workbench.cli import doctor as doctor_command
from workbench.cli import evolve as evolve_command
from workbench.cli import lab as lab_command
from workbench.cli import tasks as tasks_command
from workbench.cli.output import report_error, report_interrupt
from workbench.errors import ConfigError, WorkbenchError
from workbench.models import Sampling
from workbench.population import IslandSettings
from workbench.prompts import ReplyForm
from workbench.runs import STORE_VARIABLE, default_folder
from workbench.sandbox import TrustLevel
from workbench.search import Budget, IslandSearchSettings, RunSettings

_EXIT_FAILURE = 1
_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130

# Typer brings click along or a copy of it, by version; its name for the base is the same in both.
_UsageError: Any = typer.BadParameter.__mro__[1]
# All that `--resume` heeds; the rest is the run's own.
_HEEDED_ON_RESUME = frozenset({"task", "resume", "trust", "as_json"})

app = typer.Typer(
    help="Evolve programs with language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Store = Annotated[
    Path, typer.Option("--store", envvar=STORE_VARIABLE, help="Folder of run stores.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="smollm2-135m, hf:ORG/NAME, a local path, vllm:NAME, openai:NAME, rewriter. "
        "Default: the best local one.",
    ),
]
Trust = Annotated[
    str,
    typer.Option("--trust", help="Lowest sandbox trust level to accept: L3, L2, L1 or L0."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of every random stream.")]

_RUNS = default_folder()


@app.command()
def demo(
    model: Model = None,
    store: Store = _RUNS,
    seed: Seed = 0,
    trust: Trust = "L1",
    as_json: Json = False,
) -> None:
    """Evolve several bundled tasks, with the rewriter beside the model as control."""
    with _exits(as_json):
        demo_command.run(model, store, seed=seed, trust=_level(trust), as_json=as_json)


@app.command()
def evolve(  # noqa: PLR0913 - the options of a command line
    context: typer.Context,
    task: Annotated[str | None, typer.Argument(help="A name from `workbench tasks`.")] = None,
    model: Model = None,
    rounds: Annotated[int, typer.Option(help="Rounds of evolution.")] = 10,
    parents: Annotated[int, typer.Option(help="Parents a round, one child each.")] = 20,
    keep: Annotated[int, typer.Option(help="Children a round that may stay.")] = 5,
    islands: Annotated[int, typer.Option(help="Islands.")] = 5,
    drafts: Annotated[int, typer.Option(help="Starting programs drawn from the model.")] = 0,
    form: Annotated[ReplyForm, typer.Option(help="Whole programs or edits.")] = ReplyForm.REWRITE,
    temperature: Annotated[float, typer.Option(help="Of sampling.")] = 0.7,
    max_tokens: Annotated[int, typer.Option(help="Tokens a completion may have.")] = 1024,
    evaluations: Annotated[
        int | None, typer.Option(help="Stop after this many, drafts included.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with this run store.")] = None,
    store: Store = _RUNS,
    seed: Seed = 0,
    trust: Trust = "L1",
    as_json: Json = False,
) -> None:
    """Evolve one task."""
    with _exits(as_json):
        level = _level(trust)
        if resume is not None:
            _refuse_settings(context)
            evolve_command.resume(resume, task, trust=level, as_json=as_json)
            return
        if task is None:
            raise ConfigError("name a task (see `workbench tasks`) or a run to --resume")
        settings = RunSettings(
            search=IslandSearchSettings(
                rounds=rounds,
                parents=parents,
                keep=keep,
                drafts=drafts,
                form=form,
                islands=IslandSettings(count=islands),
            ),
            sampling=Sampling(temperature=temperature, max_tokens=max_tokens),
            budget=Budget(evaluations=evaluations),
            seed=seed,
            starts_from="drafts" if drafts else "first",
        )
        evolve_command.run(task, model, settings, store, trust=level, as_json=as_json)


@app.command()
def tasks(
    source: Annotated[str, typer.Option(help="bundled or humaneval.")] = "bundled",
    store: Store = _RUNS,
    as_json: Json = False,
) -> None:
    """List the tasks, with the runs of each that are stored."""
    with _exits(as_json):
        tasks_command.run(source, store, as_json=as_json)


@app.command()
def doctor(store: Store = _RUNS, as_json: Json = False) -> None:
    """Show versions, models, the sandbox's layers and disk, and what to do about gaps."""
    with _exits(as_json):
        doctor_command.run(store, as_json=as_json)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    context: typer.Context,
    store: Store = _RUNS,
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 8888,
    as_json: Json = False,
) -> None:
    """Open JupyterLab on the notebooks; further options go to it (as root: --allow-root)."""
    with _exits(as_json):
        lab_command.run(store, context.args, browser=browser, port=port, as_json=as_json)


def main() -> None:
    """Entry point of the `workbench` command."""
    if "--json" not in sys.argv[1:]:
        app()
    try:
        sys.exit(app(standalone_mode=False))
    except _UsageError as error:
        report_error(ConfigError(error.format_message()), as_json=True)
        sys.exit(_EXIT_USAGE)
    except typer.Abort:
        report_interrupt(as_json=True)
        sys.exit(_EXIT_INTERRUPTED)


def _refuse_settings(context: typer.Context) -> None:
    """Refuse what was asked of a run that goes on with settings of its own."""
    given = [
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    ]
    unheeded = [f"--{name.replace('_', '-')}" for name in given if name not in _HEEDED_ON_RESUME]
    if unheeded:
        raise ConfigError(
            f"{', '.join(unheeded)} cannot be set with --resume, which goes on with the run's own "
            "settings: leave it out, or begin a new run"
        )


def _level(name: str) -> TrustLevel:
    try:
        return TrustLevel[name.upper()]
    except KeyError:
        names = ", ".join(level.name for level in TrustLevel)
        raise ConfigError(f"--trust must be one of {names}, got {name!r}") from None


@contextmanager
def _exits(as_json: bool) -> Iterator[None]:
    """Turn errors into messages and exit codes: 2 for a caller's mistake, 1 for the rest."""
    try:
        yield
    except KeyboardInterrupt:
        report_interrupt(as_json=as_json)
        raise typer.Exit(_EXIT_INTERRUPTED) from None
    except WorkbenchError as error:
        report_error(error, as_json=as_json)
        usage = isinstance(error, ConfigError)
        raise typer.Exit(_EXIT_USAGE if usage else _EXIT_FAILURE) from None
