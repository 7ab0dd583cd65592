"""Runs: what happened, in one SQLite file each."""

from workbench.runs.manifest import Manifest, provenance
from workbench.runs.outcome import RoundOutcome
from workbench.runs.step import Reply, Request, Step
from workbench.runs.store import RunStore, list_runs

__all__ = [
    "Manifest",
    "Reply",
    "Request",
    "RoundOutcome",
    "RunStore",
    "Step",
    "list_runs",
    "provenance",
]
