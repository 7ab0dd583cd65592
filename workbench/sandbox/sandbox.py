"""The gateway to processes: one protocol, behind which every backend stands."""

from collections.abc import Sequence
from typing import Protocol

from workbench.sandbox.execution import Execution
from workbench.sandbox.job import Job
from workbench.sandbox.limits import Limits
from workbench.sandbox.trust import TrustLevel


class Sandbox(Protocol):
    """Runs untrusted programs.

    A sandbox is safe to use from several threads at once. It is a context manager; leaving
    it ends every process that it started.
    """

    @property
    def trust(self) -> TrustLevel:
        """The level that this host affords, found by trying."""
        ...

    def run(self, jobs: Sequence[Job], limits: Limits) -> list[Execution]:
        """Run `jobs` in order, on one worker, with nothing else on that worker in between.

        Whatever a program does comes back as an Execution; running several jobs in one call
        is what makes their times comparable.

        Args:
            jobs: what to run.
            limits: bounds on each of them.

        Returns:
            As many executions as jobs, in the same order.

        Raises:
            SandboxError: the sandbox itself could not start a job or read its result.
        """
        ...

    def close(self) -> None:
        """End all workers; calling it again does nothing."""
        ...
