"""What a run is made of, fixed when it is created: enough to run it again."""

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass
from typing import Any

from workbench import __version__

_PACKAGES = ("numpy", "torch", "transformers", "vllm", "openai")


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Settings and provenance of a run.

    Attributes:
        method: name of the search method.
        task: name of the task.
        task_digest: digest of all that judges a program of it.
        model: name of the model.
        seed: the run's seed.
        settings: the method's settings, the sampling and the budget, as JSON values.
        provenance: versions and host, for people.
        started_at: Unix time, seconds.
        evaluator_version: of the rules by which programs were judged and timed; 0 where none was
            recorded.
    """

    method: str
    task: str
    task_digest: str
    model: str
    seed: int
    settings: dict[str, Any]
    provenance: dict[str, str]
    started_at: float
    evaluator_version: int = 0


def provenance(trust: str) -> dict[str, str]:
    """Versions and host facts of this process; no names, no paths, nothing secret.

    Args:
        trust: sandbox trust level in words.
    """
    facts = {
        "workbench": __version__,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processors": str(os.cpu_count()),
        "sandbox": trust,
    }
    for package in _PACKAGES:
        try:
            facts[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            facts[package] = "absent"
    return facts
