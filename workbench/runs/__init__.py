"""Runs: what happened, in one SQLite file each."""

from workbench.runs.manifest import Manifest, provenance
from workbench.runs.outcome import RoundOutcome
from workbench.runs.step import Reply, Request, Step
from workbench.runs.store import STORE_VARIABLE, RunStore, default_folder, list_runs

__all__ = [
    "STORE_VARIABLE",
    "Manifest",
    "Reply",
    "Request",
    "RoundOutcome",
    "RunStore",
    "Step",
    "default_folder",
    "list_runs",
    "provenance",
]
