"""Compiled programs, kept where no forked program can find another's."""

import hashlib
import os
from collections import OrderedDict

from workbench.sandbox.limits import Limits
from workbench.sandbox.worker.files import read_from_start, scratch
from workbench.sandbox.worker.program import compiling
from workbench.sandbox.worker.watch import Facts, Watch

_LIMITS = Limits(cpu_s=10, wall_s=30, memory_mib=1024, output_kib=65_536)
_KEPT = 16


class CompiledPrograms:
    """Marshalled code by source; compiling happens in a fork, for it can be made to explode.

    The code lies in anonymous files, not in this process's memory: a fork inherits memory, and
    a program that searched it would find the programs that ran before it.

    Args:
        watch: what forks and observes.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._files: OrderedDict[bytes, int] = OrderedDict()

    def code(self, source: bytes) -> bytes | Facts:
        """Marshalled code of `source`, or what was seen of the attempt to compile it.

        Raises:
            RuntimeError: the fork failed before it began.
            OSError: likewise.
        """
        key = hashlib.sha256(source).digest()
        if key in self._files:
            self._files.move_to_end(key)
            return read_from_start(self._files[key], _LIMITS.output_kib * 1024)
        facts = self._watch.run(compiling(source), _LIMITS)
        if facts.exit_code != 0:
            return facts
        self._files[key] = scratch(facts.result)
        if len(self._files) > _KEPT:
            _, oldest = self._files.popitem(last=False)
            os.close(oldest)
        return facts.result
