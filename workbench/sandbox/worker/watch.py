"""Fork one run, watch it from outside, end it when a limit is reached, and collect the facts."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from workbench.sandbox.execution import Ending
from workbench.sandbox.limits import Limits
from workbench.sandbox.wire import Channel
from workbench.sandbox.worker import child
from workbench.sandbox.worker.cgroup import Membership
from workbench.sandbox.worker.files import read_from_start, scratch
from workbench.sandbox.worker.procfs import ProcFiles
from workbench.sandbox.worker.program import Body

_STDERR_TAIL = 8192
_PIPE_BYTES = 65_536
_MOST_READS = 8
_KILLED = -int(signal.SIGKILL)
_LEAST_WAIT_S = 0.002
_FIRST_LOOK_S = 0.01
_LAST_LOOK_S = 0.32
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
_CORES = os.cpu_count() or 1
# Where used memory is counted, address space that is only reserved need not be scarce.
_UNTOUCHED = 2**32
_NS = 1e-9
_MIB = 2**20


class Facts(NamedTuple):
    """What was seen of one run.

    Attributes:
        killed_for: the limit for which the worker ended it, None if it ended by itself.
        exit_code: exit code, None if a signal ended it.
        signal: number of that signal.
        cpu_s: user plus system seconds from the start stamp to death.
        wall_s: seconds likewise.
        peak_mib: highest resident memory above the worker's; where that is not known, in all.
        preemptions: how often the kernel took the core away from it.
        out_of_memory: whether the kernel killed it for the memory that it used.
        stdout: output, one byte more than the limit at most.
        stderr: the end of the error stream.
        result: what the body left for the worker.
    """

    killed_for: Ending | None
    exit_code: int | None
    signal: int | None
    cpu_s: float
    wall_s: float
    peak_mib: float
    preemptions: int
    out_of_memory: bool
    stdout: bytes
    stderr: bytes
    result: bytes


@dataclass
class _Run:
    """A run under way."""

    pid: int
    limits: Limits
    forked_ns: int
    killed_for: Ending | None = None
    stderr: bytes = b""
    pause_s: float = _FIRST_LOOK_S


class Watch:
    """Forks and observes; one run at a time, in a single-threaded process.

    Args:
        channel: to the supervisor; when its other end is gone, this process ends.
        shut: what the forked process does last before the program starts.
        procfs: what this process can learn about itself.
        group: the control group that it is in, if it is in one of its own.
        counted: whether all this runs under valgrind.
    """

    def __init__(
        self,
        channel: Channel,
        shut: Callable[[], None],
        procfs: ProcFiles,
        group: Membership | None = None,
        *,
        counted: bool = False,
    ) -> None:
        # A forked process moves its descriptors to the lowest numbers: none may start out there.
        while os.open(os.devnull, os.O_RDWR) < child.DESCRIPTORS:
            continue
        child.prepare()
        self._shut = shut
        self._procfs = procfs
        self._group = group
        self._counted = counted
        self._hang_up = select.poll()
        self._hang_up.register(channel, 0)
        # One pipe for all runs: none of them leaves a process that could write to the next one's.
        self._errors, self._errors_end = os.pipe()
        self._written = select.poll()
        self._written.register(self._errors, select.POLLIN)
        self._run: _Run | None = None
        signal.signal(signal.SIGALRM, self._look)

    def run(self, body: Body, limits: Limits, *, stdin: bytes = b"") -> Facts:
        """Run `body` in a fork.

        Flat, and with few objects, on purpose: after a fork each page that either process
        writes to for the first time is copied.

        Raises:
            RuntimeError: the forked process failed before the program's start.
            OSError: a descriptor or process could not be had.
        """
        opened: list[int] = []
        try:
            opened += [scratch(stdin), scratch(), scratch(), *os.pipe()]
            source, output, result, stamps, stamps_end = opened
            occupied, shared = self._procfs.memory() or (None, 0)
            space = None if occupied is None else occupied + limits.memory_mib * _MIB
            if self._group is not None:
                self._group.allow(limits.memory_mib * _MIB + limits.output_kib * 1024, len(stdin))
                self._group.expose(forks=True)
                space = None if space is None else space + _UNTOUCHED
            descriptors = (source, output, self._errors_end, result, stamps_end)
            resources = child.resource_limits(limits, space, counted=self._counted)
            pid = os.fork()
            if pid == 0:
                child.become(body, descriptors, resources, self._shut)
            if self._group is not None:
                self._group.expose(forks=False)
            run = self._run = _Run(pid, limits, time.monotonic_ns())
            os.close(opened.pop())
            signal.setitimer(signal.ITIMER_REAL, _FIRST_LOOK_S)
            _, status, usage = os.wait4(pid, 0)
            ended_ns = time.monotonic_ns()
            self._run = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._end_all(pid)
            stderr = self._with_errors(run.stderr)
            started_ns, used_ns = _start(os.read(stamps, child.STAMP.size), run, status, stderr)
            code = os.waitstatus_to_exitcode(status)
            most = limits.output_kib * 1024 + 1
            return Facts(
                killed_for=run.killed_for,
                exit_code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                cpu_s=max(usage.ru_utime + usage.ru_stime - used_ns * _NS, 0.0),
                wall_s=(ended_ns - started_ns) * _NS,
                peak_mib=(usage.ru_maxrss * _MAXRSS_UNIT - shared) / _MIB,
                preemptions=usage.ru_nivcsw,
                out_of_memory=code == _KILLED and self._group is not None and self._group.killed(),
                stdout=read_from_start(output, most),
                stderr=stderr,
                result=read_from_start(result, most),
            )
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _look(self, *_signal: object) -> None:
        """Between start and death: keep to the limits, make room for errors, see if anyone waits.

        A signal handler, so that the wait itself is for the death alone: a program that ends
        before the first look is not disturbed by any.
        """
        run = self._run
        if run is None:
            return
        if self._hang_up.poll(0):
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(run.pid, signal.SIGKILL)
                os.waitpid(run.pid, 0)
            self._end_all(run.pid)
            os._exit(0)
        before, run.stderr = run.stderr, self._with_errors(run.stderr)
        wall_s = (time.monotonic_ns() - run.forked_ns) * _NS
        cpu_s = _cpu_clock(run.pid)
        if run.killed_for is None:
            run.killed_for = _exceeded(cpu_s, wall_s, run.limits)
            if run.killed_for is not None:
                with suppress(ProcessLookupError):  # it has ended, and been reaped, just now
                    os.kill(run.pid, signal.SIGKILL)
        run.pause_s = (
            _FIRST_LOOK_S if run.stderr is not before else min(2 * run.pause_s, _LAST_LOOK_S)
        )
        pause_s = min(run.pause_s, _until_limit(cpu_s, wall_s, run.limits))
        signal.setitimer(signal.ITIMER_REAL, pause_s)

    def _with_errors(self, tail: bytes) -> bytes:
        """`tail`, and what the error stream holds now, without waiting for more; its end."""
        # A bounded number of times: a program may write as fast as this reads.
        for _ in range(_MOST_READS):
            if not self._written.poll(0):
                break
            tail = (tail + os.read(self._errors, _PIPE_BYTES))[-_STDERR_TAIL:]
        return tail

    def _end_all(self, group: int) -> None:
        """Kill and reap whatever the ended run left behind; under the filter that is nothing.

        Orphans count as children here: this is process 1, or the reaper appointed for them.
        """
        if sys.platform != "linux":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        if self._procfs.childless():
            return
        with suppress(ChildProcessError):
            while True:
                if os.waitpid(-1, os.WNOHANG)[0]:
                    continue
                # What ends by itself in this very moment cannot be found any more.
                with suppress(ProcessLookupError):
                    if os.getpid() == 1:
                        os.kill(-1, signal.SIGKILL)
                    for pid in self._procfs.child_ids():
                        os.kill(pid, signal.SIGKILL)
                time.sleep(_LEAST_WAIT_S)


def _cpu_clock(pid: int) -> float:
    """CPU seconds that another process has used so far; 0 where that cannot be asked."""
    if sys.platform != "linux":
        return 0.0
    try:
        # The kernel's encoding of "the CPU clock of process pid" (clock_getcpuclockid(3)).
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0  # it ended in this very moment


def _exceeded(cpu_s: float, wall_s: float, limits: Limits) -> Ending | None:
    if cpu_s > limits.cpu_s:
        return Ending.CPU_LIMIT
    return Ending.WALL_LIMIT if wall_s > limits.wall_s else None


def _until_limit(cpu_s: float, wall_s: float, limits: Limits) -> float:
    """Seconds within which no limit can be reached, given that all cores may be computing."""
    cpu_left = (limits.cpu_s - cpu_s) / _CORES
    return max(min(cpu_left, limits.wall_s - wall_s), _LEAST_WAIT_S)


def _start(stamp: bytes, run: _Run, status: int, stderr: bytes) -> tuple[int, int]:
    """Monotonic and CPU nanoseconds at the program's start."""
    if len(stamp) == child.STAMP.size:
        started_ns, used_ns = child.STAMP.unpack(stamp)
        return started_ns, used_ns
    if run.killed_for is not None:
        return run.forked_ns, 0
    code = os.waitstatus_to_exitcode(status)
    detail = stderr.decode(errors="replace").strip()[-2000:]
    raise RuntimeError(f"the run ended before its start with status {code}: {detail}")
