"""Opening a run: create its store, or take up where an earlier sitting stopped."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from workbench.errors import ConfigError
from workbench.evaluation import Evaluator
from workbench.evaluation.evaluator import EVALUATOR_VERSION
from workbench.models import LanguageModel, Sampling
from workbench.programs import Program
from workbench.runs import Manifest, RunStore, provenance
from workbench.search.budget import Budget
from workbench.search.driver import Driver
from workbench.search.methods import IslandSearch, IslandSearchSettings
from workbench.tasks import Task


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """All that is decided before a run starts; stored with it.

    Attributes:
        search: sizes of the search.
        sampling: how replies are drawn.
        budget: what the run may spend.
        seed: of every random stream.
        starts_from: which programs of the task start it: "first" (the first exhibit),
            "exhibits" (all of them) or "drafts" (none).
    """

    search: IslandSearchSettings = field(default_factory=IslandSearchSettings)
    sampling: Sampling = field(default_factory=Sampling)
    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    starts_from: str = "first"

    def __post_init__(self) -> None:
        """Refuse an unknown kind of start.

        Raises:
            ConfigError: `starts_from` is none of the three.
        """
        if self.starts_from not in ("first", "exhibits", "drafts"):
            raise ConfigError(
                f"starts_from must be 'first', 'exhibits' or 'drafts', got {self.starts_from!r}"
            )

    def given(self, task: Task) -> Sequence[Program]:
        """The programs of `task` that the run starts from.

        Raises:
            TaskError: the first program is wanted and the task brings none.
        """
        if self.starts_from == "drafts":
            return ()
        if self.starts_from == "exhibits":
            return tuple(exhibit.program for exhibit in task.exhibits)
        return (task.start,)


_SETTINGS = TypeAdapter(RunSettings)


def open_run(
    path: Path,
    *,
    task: Task,
    model: LanguageModel,
    evaluator: Evaluator,
    settings: RunSettings,
    clock: Callable[[], float] = time.time,
) -> Driver:
    """The run stored at `path`: a new one, or the unfinished or finished one found there.

    Args:
        path: the SQLite file.
        task: what is evolved.
        model: who replies.
        evaluator: who judges.
        settings: all other decisions.
        clock: Unix time in seconds; only recorded, never decided by.

    Raises:
        ConfigError: the settings cannot be, or the run at `path` was made with another task,
            model, setting or version of the evaluator.
        StoreError: the store cannot be used.
    """
    new_search = partial(
        IslandSearch, task, settings.search, seed=settings.seed, given=settings.given(task)
    )
    new_search()  # what it refuses must not leave a run behind
    manifest = _manifest(task, model, evaluator, settings, clock())
    existing = path.exists()
    store = RunStore.open(path, write=True) if existing else RunStore.create(path, manifest)
    try:
        if existing:
            _check_same(store.manifest, manifest, path)
        return Driver(
            task=task,
            new_search=new_search,
            model=model,
            evaluator=evaluator,
            store=store,
            sampling=settings.sampling,
            budget=settings.budget,
            clock=clock,
        )
    except BaseException:
        store.close()
        raise


def stored_settings(manifest: Manifest) -> RunSettings:
    """The settings that a run was made with.

    Raises:
        ConfigError: they are not those of this version.
    """
    try:
        settings = _SETTINGS.validate_python(manifest.settings)
    except ValueError as error:
        raise ConfigError(f"the run's settings cannot be read: {error}") from error
    known = _flatten(_SETTINGS.dump_python(settings, mode="json"))
    unknown = sorted(_flatten(manifest.settings).keys() - known.keys())
    if unknown:
        raise ConfigError(
            f"the run's settings hold what this Workbench does not know ({', '.join(unknown)}): "
            "resume it with the version that wrote it"
        )
    return settings


def _manifest(
    task: Task,
    model: LanguageModel,
    evaluator: Evaluator,
    settings: RunSettings,
    now: float,
) -> Manifest:
    trust = evaluator.sandbox.trust
    return Manifest(
        method=IslandSearch.name,
        task=task.name,
        task_digest=task.digest,
        evaluator_version=EVALUATOR_VERSION,
        model=model.name,
        seed=settings.seed,
        settings=_SETTINGS.dump_python(settings, mode="json"),
        provenance=provenance(f"{trust.name}: {trust.still_possible}"),
        started_at=now,
    )


def _check_same(stored: Manifest, wanted: Manifest, path: Path) -> None:
    """Refuse to carry on a run under other settings, naming each that differs."""
    before, after = _flat(stored), _flat(wanted)
    differing = sorted(key for key in before | after if before.get(key) != after.get(key))
    if differing:
        changes = ", ".join(f"{k}: {before.get(k)!r} -> {after.get(k)!r}" for k in differing)
        raise ConfigError(
            f"the run at {path} was made with other settings ({changes}): "
            "resume it with its own, or choose another place"
        )


def _flat(manifest: Manifest) -> dict[str, Any]:
    """What must agree between sittings, one level deep, so that a difference has a name."""
    names = ("method", "task", "task_digest", "evaluator_version", "model")
    same = {name: getattr(manifest, name) for name in names}
    return same | _flatten(manifest.settings)


def _flatten(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        name = f"{prefix}{key}"
        flat |= _flatten(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return flat
