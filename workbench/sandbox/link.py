"""One worker process and the socket to it, seen from the supervisor."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from workbench.errors import SandboxError, boundary
from workbench.sandbox import frame, seatbelt
from workbench.sandbox.execution import Execution
from workbench.sandbox.job import Call, Job
from workbench.sandbox.layer import Layer
from workbench.sandbox.limits import Limits
from workbench.sandbox.shielding import Survey
from workbench.sandbox.wire import Channel, Message

_START_S = 120.0
_GRACE_S = 60.0  # compiling (30 s at most), the empty program, and a busy machine
_FAREWELL_S = 2.0
_AHEAD_BYTES = 65_536
_CHECKOUT = str(Path(__file__).parents[2])
# Modules register work to be done after each fork: new locks, of which a process of one thread
# has no need, and new seeds. It touches so much memory that a run would cost half as much again.
_LAUNCH = (
    "import os, sys; os.register_at_fork = lambda **hooks: None; sys.path.insert(0, sys.argv[1]); "
    "from workbench.sandbox.worker.serve import main; main()"
)
# All that programs and their interpreter get to know; one thread a library, one arena for all,
# because each further one would reserve 64 MiB of the address space that is limited.
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}


class Link:
    """A started worker.

    Args:
        without: layers to leave out.
        under: what else the command line starts with, and the descriptor that it writes to.

    Raises:
        SandboxError: the worker does not start here, with the reason.

    Attributes:
        survey: what shields the host from this worker.
        runs: jobs that it was given.
    """

    def __init__(
        self, without: Collection[Layer] = (), *, under: tuple[list[str], int] | None = None
    ) -> None:
        self.runs = 0
        outer, inner = socket.socketpair()
        self._channel = Channel(outer)
        with inner:
            try:
                with boundary(SandboxError, f"cannot start a worker with {sys.executable}"):
                    self._process = _launch(inner.fileno(), without, under)
            except SandboxError:
                self._channel.close()
                raise
        try:
            self.survey = _survey(self._receive(_START_S))
        except SandboxError:
            self.close()
            raise

    @property
    def process_id(self) -> int:
        """The worker's process as the host numbers it."""
        return self._process.pid

    def run(self, jobs: Sequence[Job], limits: Limits) -> list[Execution]:
        """Run `jobs`, one after the other.

        While one runs, the next is on its way already, so that the worker does not wait for it;
        but only if it is small, or both ends might wait for each other to read.

        Raises:
            SandboxError: the worker broke or does not answer; it cannot be used again.
        """
        executions: list[Execution] = []
        sent = 0
        for number in range(len(jobs)):
            while sent == number or (sent == number + 1 and _is_small(jobs, sent)):
                self._send(jobs[sent], limits)
                sent += 1
            reply = self._receive(limits.wall_s + _GRACE_S)
            with boundary(SandboxError, "the worker's answer makes no sense"):
                executions.append(_execution(reply, self.survey))
        return executions

    def _send(self, job: Job, limits: Limits) -> None:
        self.runs += 1
        with boundary(SandboxError, "cannot hand a job to the worker"):
            self._channel.send(frame.request(job, limits), timeout_s=_GRACE_S)

    def close(self) -> None:
        """End the worker and all that runs in it; calling it again does nothing."""
        self.dismiss()
        self._channel.close()
        try:
            self._process.wait(_FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def dismiss(self) -> None:
        """Tell the worker to end at once, from any thread; whoever waits for it is told too."""
        with suppress(OSError):  # it is gone already
            self._channel.shutdown()

    def _receive(self, timeout_s: float) -> Message:
        try:
            with boundary(SandboxError, "the worker does not answer"):
                message = self._channel.receive(timeout_s=timeout_s)
        except SandboxError as error:
            raise SandboxError(f"{error}{self._last_words()}") from error
        if message is None:
            raise SandboxError(f"the worker ended unexpectedly{self._last_words()}")
        return message

    def _last_words(self) -> str:
        """The end of what the worker wrote to its error stream, without waiting for more."""
        stream = self._process.stderr
        text = b""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)  # a dying worker's traceback may still be on its way
        with suppress(ValueError):  # another thread has closed this link meanwhile
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                text = (stream.read() or b"").strip()
        return f": {text.decode(errors='replace')[-2000:]}" if text else ""


def survey() -> Survey:
    """Start a worker, see which layers hold around it, and end it.

    Raises:
        SandboxError: no worker starts here.
    """
    link = Link()
    link.close()
    return link.survey


def _launch(
    descriptor: int, without: Collection[Layer], under: tuple[list[str], int] | None
) -> subprocess.Popen[bytes]:
    settings = {
        "descriptor": descriptor,
        "without": [layer.value for layer in without],
        "counted": under is not None,
    }
    first, *others = under or ([],)
    # Not -I: it would ignore the hash seed too. The environment is ours and holds nothing else.
    command = [
        *first,
        sys.executable,
        "-s",
        "-P",
        "-B",
        "-c",
        _LAUNCH,
        _CHECKOUT,
        json.dumps(settings),
    ]
    return subprocess.Popen(
        seatbelt.wrap(command) if Layer.SEATBELT not in without else command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(descriptor, *others),
        env=_ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    )


def _is_small(jobs: Sequence[Job], number: int) -> bool:
    """Whether there is such a job and the socket holds it beside a reply that nobody reads yet."""
    if number >= len(jobs):
        return False
    job = jobs[number]
    data = job.arguments if isinstance(job, Call) else job.stdin
    # A character takes four bytes at most.
    return 4 * len(job.source) + 4 * len(data) < _AHEAD_BYTES


def _survey(reply: Message) -> Survey:
    with boundary(SandboxError, "the worker's report makes no sense"):
        (text,) = reply
        report = json.loads(text)
        return Survey(
            active=frozenset(Layer(name) for name in report["layers"]),
            failures={Layer(name): reason for name, reason in report["failures"].items()},
            notes=tuple(f"{name}: {reason}" for name, reason in report["notes"].items()),
        )


def _execution(reply: Message, survey: Survey) -> Execution:
    packed, stdout, stderr, value = reply
    facts = frame.unpack(packed)._asdict()
    has_value = facts.pop("has_value")
    return Execution(
        stdout=stdout,
        stderr=stderr.decode("utf-8", "replace"),
        value=value.decode("utf-8", "replace") if has_value else None,
        trust=survey.trust,
        **facts,
    )
