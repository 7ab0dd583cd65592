"""Fork one run, watch it from outside, end it when a limit is reached, and collect the facts."""

import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from workbench.sandbox.execution import Ending
from workbench.sandbox.limits import Limits
from workbench.sandbox.worker import child
from workbench.sandbox.worker.files import read_from_start, scratch
from workbench.sandbox.worker.procfs import ProcFiles
from workbench.sandbox.worker.program import Body

_STDERR_TAIL = 8192
_PIPE_BYTES = 65_536
_LEAST_WAIT_S = 0.002
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024
_CORES = os.cpu_count() or 1
_NS = 1e-9
_MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What was seen of one run.

    Attributes:
        killed_for: the limit for which the worker ended it, None if it ended by itself.
        exit_code: exit code, None if a signal ended it.
        signal: number of that signal.
        cpu_s: user plus system seconds from the start stamp to death.
        wall_s: seconds likewise.
        peak_mib: highest resident memory above the worker's; where that is not known, in all.
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
    stdout: bytes
    stderr: bytes
    result: bytes


class Watch:
    """Forks and observes; one run at a time, in a single-threaded process.

    Args:
        channel: socket to the supervisor; when its other end is gone, this process ends.
        shut: what the forked process does last before the program starts.
        procfs: what this process can learn about itself.
    """

    def __init__(self, channel: socket.socket, shut: Callable[[], None], procfs: ProcFiles) -> None:
        # A forked process moves its descriptors to the lowest numbers: none may start out there.
        while os.open(os.devnull, os.O_RDWR) < child.DESCRIPTORS:
            continue
        child.prepare()
        self._channel = channel
        self._shut = shut
        self._procfs = procfs
        self._wakeup, writer = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        # Any Python-level handler will do: what counts is the byte that arrives with it.
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self, body: Body, limits: Limits, *, stdin: bytes = b"") -> Facts:
        """Run `body` in a fork.

        Raises:
            RuntimeError: the forked process failed before the program's start.
            OSError: a descriptor or process could not be had.
        """
        with ExitStack() as stack:
            source, output, result = (
                self._owned(stack, scratch(content)) for content in (stdin, b"", b"")
            )
            memory = self._procfs.memory()
            errors, errors_end = os.pipe()
            stamps, stamps_end = os.pipe()
            self._owned(stack, errors)
            self._owned(stack, stamps)
            setting = child.Setting(
                stdin=source,
                stdout=output,
                stderr=errors_end,
                result=result,
                stamp=stamps_end,
                limits=limits,
                address_space=None if memory is None else memory[0],
                shut=self._shut,
            )
            pid = os.fork()
            if pid == 0:
                child.become(body, setting)
            os.close(errors_end)
            os.close(stamps_end)
            end = self._until_death(pid, errors, limits)
            self._end_all(pid)
            stderr = end.stderr + _drain(errors)
            started_ns, used_ns = self._start(os.read(stamps, child.STAMP.size), end, stderr)
            code = os.waitstatus_to_exitcode(end.status)
            shared = 0 if memory is None else memory[1]
            cpu_s = end.usage.ru_utime + end.usage.ru_stime - used_ns * _NS
            return Facts(
                killed_for=end.killed_for,
                exit_code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                cpu_s=max(cpu_s, 0.0),
                wall_s=(end.at_ns - started_ns) * _NS,
                peak_mib=(end.usage.ru_maxrss * _MAXRSS_UNIT - shared) / _MIB,
                stdout=read_from_start(output, limits.output_kib * 1024 + 1),
                stderr=stderr[-_STDERR_TAIL:],
                result=read_from_start(result, limits.output_kib * 1024 + 1),
            )

    def _owned(self, stack: ExitStack, descriptor: int) -> int:
        stack.callback(os.close, descriptor)
        return descriptor

    def _start(self, stamp: bytes, end: "_Death", stderr: bytes) -> tuple[int, int]:
        """Monotonic and CPU nanoseconds at the program's start."""
        if len(stamp) == child.STAMP.size:
            started_ns, used_ns = child.STAMP.unpack(stamp)
            return started_ns, used_ns
        if end.killed_for is not None:
            return end.forked_ns, 0
        status = os.waitstatus_to_exitcode(end.status)
        detail = stderr.decode(errors="replace").strip()[-2000:]
        raise RuntimeError(f"the run ended before its start with status {status}: {detail}")

    def _until_death(self, pid: int, errors: int, limits: Limits) -> "_Death":
        """Wait for the process, killing it at its limits and keeping the end of its errors."""
        os.set_blocking(errors, False)
        poll = select.poll()
        poll.register(self._wakeup, select.POLLIN)
        poll.register(errors, select.POLLIN)
        poll.register(self._channel, 0)  # reports hang-up only
        forked_ns = time.monotonic_ns()
        killed_for: Ending | None = None
        tail = b""
        while True:
            now_ns = time.monotonic_ns()
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                return _Death(status, usage, forked_ns, now_ns, killed_for, tail)
            wall_s = (now_ns - forked_ns) * _NS
            cpu_s = _cpu_clock(pid)
            if killed_for is None:
                killed_for = _exceeded(cpu_s, wall_s, limits)
                if killed_for is not None:
                    os.kill(pid, signal.SIGKILL)
            wait_s = _next_look(cpu_s, wall_s, limits) if killed_for is None else 1.0
            for descriptor, _event in poll.poll(wait_s * 1000):
                if descriptor == self._wakeup:
                    os.read(self._wakeup, 4096)
                elif descriptor == errors:
                    chunk = _drain(errors)
                    tail = (tail + chunk)[-_STDERR_TAIL:]
                    if not chunk:
                        poll.unregister(errors)
                else:
                    os.kill(pid, signal.SIGKILL)
                    self._end_all(pid)
                    os._exit(0)

    def _end_all(self, group: int) -> None:
        """Kill and reap whatever the ended run left behind; under the filter that is nothing.

        Orphans count as children here: this is process 1, or the reaper appointed for them.
        """
        if sys.platform != "linux":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
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


@dataclass(frozen=True)
class _Death:
    status: int
    usage: resource.struct_rusage
    forked_ns: int
    at_ns: int
    killed_for: Ending | None
    stderr: bytes


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


def _next_look(cpu_s: float, wall_s: float, limits: Limits) -> float:
    """Seconds within which no limit can be reached, given that all cores may be computing."""
    cpu_left = (limits.cpu_s - cpu_s) / _CORES
    return max(min(cpu_left, limits.wall_s - wall_s), _LEAST_WAIT_S)


def _drain(descriptor: int) -> bytes:
    """The end of what a pipe holds now, without waiting for more."""
    tail = b""
    with suppress(BlockingIOError):
        while chunk := os.read(descriptor, _PIPE_BYTES):
            tail = (tail + chunk)[-_STDERR_TAIL:]
    return tail
