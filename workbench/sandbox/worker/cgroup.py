"""A control group for one worker, whose memory and tasks the kernel counts; of either version.

The group hangs below the one that this process is in (version 1), or beside it (version 2, where
a group that holds processes may have no children). Version 2 needs that place to be delegated to
the user, as it is within `systemd-run --user --scope`; version 1 needs root.

Not covered: the share of the processors. Clocks and their limits are the worker's.
"""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PREFIX = "workbench-"
_MOST_TASKS = 256
_MIB = 2**20
# Cache and kernel memory are counted too, and the count is coarse.
_SLACK_BYTES = 16 * _MIB
_CHANGE_BYTES = 4 * _MIB
_REMOVAL_TRIES = 100
_KILLED_FIRST, _AS_OTHERS = b"1000", b"0"


class Version(NamedTuple):
    """What the two versions call the same files; "0" in the last one means no swapping."""

    limit: str
    usage: str
    events: str
    swap: str


VERSION_1 = Version(
    "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", "memory.swappiness"
)
VERSION_2 = Version("memory.max", "memory.current", "memory.events", "memory.swap.max")


class ControlGroup:
    """A new group without a process; made, and removed, by one that stays outside.

    Raises:
        OSError: this process may not make one here.
    """

    def __init__(self) -> None:
        own, mounts = (Path(f"/proc/self/{name}").read_text() for name in ("cgroup", "mounts"))
        version, memory, tasks = places(own, mounts)
        name = f"{_PREFIX}{os.getpid()}-{time.monotonic_ns()}"
        self._version = version
        self._memory, self._tasks = memory / name, tasks / name
        try:
            for place in {memory, tasks}:
                _sweep(place)
                (place / name).mkdir()
            (self._tasks / "pids.max").write_text(str(_MOST_TASKS))
            with suppress(FileNotFoundError):  # a kernel without swap
                (self._memory / version.swap).write_text("0")
        except OSError as error:
            self.remove()
            # Without the name that it would have had, so that equal hosts give equal reasons.
            raise OSError(error.errno, f"{memory}, {tasks}: {error.strerror}") from error

    def enter(self) -> "Membership":
        """Move this process into it.

        Raises:
            OSError: the kernel refused, or does not count.
        """
        for folder in {self._memory, self._tasks}:
            (folder / "cgroup.procs").write_text("0")
        return Membership(
            usage=_open(self._memory / self._version.usage, os.O_RDONLY),
            limit=_open(self._memory / self._version.limit, os.O_WRONLY),
            events=_open(self._memory / self._version.events, os.O_RDONLY),
            urgency=_open(Path("/proc/self/oom_score_adj"), os.O_WRONLY),
        )

    def remove(self) -> None:
        """Take it away; the last of its processes may still be on its way out."""
        for folder in {self._memory, self._tasks}:
            for _ in range(_REMOVAL_TRIES):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break


class Membership:
    """What a member reads and sets, through descriptors: the files are soon out of its sight.

    Args:
        usage: bytes in use.
        limit: bytes that may be.
        events: how often the kernel killed for memory.
        urgency: how readily it kills this process, and what it forks from now on.

    Raises:
        OSError: memory is not counted.
    """

    def __init__(self, *, usage: int, limit: int, events: int, urgency: int) -> None:
        self._usage, self._limit = usage, limit
        self._events, self._urgency = events, urgency
        self._kills = self._killed_so_far()
        self._allowed = 0
        touched = bytearray(_MIB)
        if self._in_use() < len(touched):
            raise OSError("the memory of this process is not counted")
        self.allow(2**40, 0)

    def allow(self, count: int, held: int) -> None:
        """Let `count` bytes be used beyond those that are, of which a job holds `held`.

        Raises:
            OSError: the kernel refused.
        """
        # What the worker itself uses hardly changes: only a job's own bytes are worth a new look.
        wanted = count + held // _CHANGE_BYTES * _CHANGE_BYTES
        if wanted != self._allowed:
            os.pwrite(self._limit, str(self._in_use() + count + _SLACK_BYTES).encode(), 0)
            self._allowed = wanted

    def expose(self, *, forks: bool) -> None:
        """Have what is forked from now on killed before others, or no more."""
        os.pwrite(self._urgency, _KILLED_FIRST if forks else _AS_OTHERS, 0)

    def killed(self) -> bool:
        """Whether the kernel has killed for memory since this was last asked."""
        before, self._kills = self._kills, self._killed_so_far()
        return self._kills > before

    def _in_use(self) -> int:
        return int(os.pread(self._usage, 64, 0))

    def _killed_so_far(self) -> int:
        found = re.search(rb"^oom_kill (\d+)", os.pread(self._events, 4096, 0), re.MULTILINE)
        if found is None:
            raise OSError("the kernel does not count whom it kills for memory")
        return int(found[1])


def places(own: str, mounts: str) -> tuple[Version, Path, Path]:
    """Version, and the folders in which groups for memory and for tasks can be made.

    Args:
        own: the text of /proc/self/cgroup.
        mounts: the text of /proc/self/mounts.

    Raises:
        OSError: there are none, and why.
    """
    groups, roots = _groups(own), _roots(mounts)
    if {"memory", "pids"} <= groups.keys() & roots.keys():
        memory, tasks = (roots[name] / groups[name].lstrip("/") for name in ("memory", "pids"))
        return VERSION_1, memory, tasks
    if "" not in groups or "" not in roots:
        raise OSError("no control groups are mounted here")
    if groups[""] == "/":
        raise OSError("this process is in the root of its control groups: nothing is delegated")
    beside = (roots[""] / groups[""].lstrip("/")).parent
    enabled = (beside / "cgroup.subtree_control").read_text().split()
    if not {"memory", "pids"} <= set(enabled):
        raise OSError(f"{beside} hands down {' '.join(enabled) or 'nothing'}, not memory and pids")
    return VERSION_2, beside, beside


def _groups(own: str) -> dict[str, str]:
    """The group of a process by controller; under "" that of version 2."""
    found: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        found.update(dict.fromkeys(controllers.split(","), path))
    return found


def _roots(mounts: str) -> dict[str, Path]:
    """Where the groups of each controller are mounted; under "" those of version 2."""
    found: dict[str, Path] = {}
    for line in mounts.splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found.setdefault("", Path(folder))
        if kind == "cgroup":
            found.update(dict.fromkeys(options.split(","), Path(folder)))
    return found


def _sweep(place: Path) -> None:
    """Remove groups that a process killed in mid-life has left behind."""
    for folder in place.glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).split("-")[0]
        if not Path(f"/proc/{pid}").exists():
            with suppress(OSError):  # in use all the same, or another user's
                folder.rmdir()


def _open(path: Path, mode: int) -> int:
    return os.open(path, mode | os.O_CLOEXEC)
