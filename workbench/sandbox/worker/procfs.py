"""What /proc tells this process about itself, read through descriptors opened in time."""

import os
import resource
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class ProcFiles:
    """Open descriptors, None where the host has no such file.

    Attributes:
        statm: memory figures of this process.
        children: ids of this process's children.
    """

    statm: int | None = None
    children: int | None = None

    @classmethod
    def open(cls) -> "ProcFiles":
        """Open what there is; has to be called by the process that it is about."""
        return cls(_open("/proc/self/statm"), _open("/proc/thread-self/children"))

    def memory(self) -> tuple[int, int] | None:
        """Bytes of address space, and of resident memory, that a fork starts out with."""
        if self.statm is None:
            return None
        space, resident, *_ = os.pread(self.statm, 128, 0).split()
        return int(space) * resource.getpagesize(), int(resident) * resource.getpagesize()

    def childless(self) -> bool:
        """Whether it is certain that there is nothing to reap."""
        return self.children is not None and not os.pread(self.children, 1, 0)

    def child_ids(self) -> list[int]:
        """Ids of the processes that this one would have to reap."""
        if self.children is None:
            return []
        return [int(pid) for pid in os.pread(self.children, 65_536, 0).split()]


def thread_count() -> int:
    """Threads of this process, those of C libraries included; 1 where it cannot be told."""
    if sys.platform != "linux" or not os.path.isdir("/proc/self/task"):
        return 1
    return len(os.listdir("/proc/self/task"))


def _open(path: str) -> int | None:
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC) if os.path.exists(path) else None
