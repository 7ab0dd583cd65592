"""Counting instructions instead of seconds, for the ties that time leaves. Needs valgrind.

The whole worker runs under cachegrind, behind the same layers. A fork inherits the count so far,
so the empty program runs before and after each job: what it counts, and what the worker counts
between two of them, is taken off. What is left agrees to some 100,000 instructions, whatever
else the machine does; start-up takes 7 s, a run some 40 times as long.

Not covered: what instructions cost. A program of fewer instructions may be slower, where it
misses the caches or the compiled loops of a library.
"""

import os
import re
import shutil
from collections.abc import Collection
from dataclasses import replace
from types import TracebackType
from typing import Self

from workbench.errors import SandboxError, boundary
from workbench.sandbox.execution import Execution
from workbench.sandbox.job import Job, Script
from workbench.sandbox.layer import Layer
from workbench.sandbox.limits import Limits
from workbench.sandbox.link import Link
from workbench.sandbox.trust import TrustLevel

JITTER = 250_000
"""By so many instructions two counts of the same run may differ."""

_TOOL = "valgrind"
_TIMES_SLOWER = 60
_MORE_MIB = 1024
_COUNT = re.compile(rb"I\s+refs:\s+([\d,]+)")
_EMPTY = Script(source="")
_BYTES = 2**16


class InstructionCounter:
    """A worker under cachegrind.

    Args:
        allow: the lowest trust level to accept.
        without: layers to leave out.

    Raises:
        SandboxError: valgrind is not there, no worker starts under it, or the level is below
            what is allowed.
    """

    def __init__(
        self, *, allow: TrustLevel = TrustLevel.L1, without: Collection[Layer] = ()
    ) -> None:
        if not self.available():
            raise SandboxError(
                "valgrind is not installed: install your system's package of that name"
            )
        self._counts, writer = os.pipe()
        os.set_blocking(self._counts, False)
        command = [
            _TOOL, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
            "--vgdb=no", f"--log-fd={writer}",
        ]  # fmt: skip
        try:
            self._link = Link(without, under=(command, writer))
        except SandboxError:
            os.close(self._counts)
            raise
        finally:
            os.close(writer)
        if self._link.survey.trust < allow:
            level = self._link.survey.trust.name
            self.close()
            raise SandboxError(f"under valgrind this host shields programs at level {level} only")

    @staticmethod
    def available() -> bool:
        """Whether valgrind is installed."""
        return shutil.which(_TOOL) is not None

    def count(self, job: Job, limits: Limits) -> tuple[Execution, int | None]:
        """Run `job` once, with what limits allow stretched to what valgrind takes.

        Returns:
            The execution, whose times are valgrind's, and the instructions that the job took
            beyond an empty program; None if it did not end by itself.

        Raises:
            SandboxError: the worker broke, or valgrind did not say.
        """
        stretched = replace(
            limits,
            cpu_s=limits.cpu_s * _TIMES_SLOWER,
            wall_s=limits.wall_s * _TIMES_SLOWER,
            memory_mib=limits.memory_mib + _MORE_MIB,
        )
        (first, _), (second, _), (whole, execution) = (
            self._run(each, stretched) for each in (_EMPTY, _EMPTY, job)
        )
        if execution.exit_code is None or first is None or second is None or whole is None:
            return execution, None
        return execution, max(whole - second - (second - first), 0)

    def close(self) -> None:
        """End the worker."""
        self._link.close()
        os.close(self._counts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, job: Job, limits: Limits) -> tuple[int | None, Execution]:
        """The count with which the last process ended, and what was seen of it."""
        (execution,) = self._link.run([job], limits)
        text = b""
        with boundary(SandboxError, "cannot read what valgrind counted"):
            while (chunk := self._read()) != b"":
                text += chunk
        found = _COUNT.findall(text)
        return (int(found[-1].replace(b",", b"")) if found else None), execution

    def _read(self) -> bytes:
        try:
            return os.read(self._counts, _BYTES)
        except BlockingIOError:
            return b""
