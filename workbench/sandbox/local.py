"""The sandbox on this machine: a pool of workers that survive whatever runs in them."""

import queue
import threading
import weakref
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Self

from workbench.errors import ConfigError, SandboxError
from workbench.sandbox.execution import Execution
from workbench.sandbox.job import Call, Job
from workbench.sandbox.layer import Layer
from workbench.sandbox.limits import Limits
from workbench.sandbox.link import Link
from workbench.sandbox.shielding import Survey
from workbench.sandbox.trust import TrustLevel

_RUNS_PER_WORKER = 2000


class LocalSandbox:
    """Runs programs in worker processes on this machine; the package says what that covers.

    Workers start when first needed, are replaced when they break or after 2000 runs, and end
    with this object, with the interpreter, or when it is killed.

    Args:
        workers: how many jobs may run at the same time; for timing use one.
        allow: the lowest trust level to accept.
        without: layers to leave out; each lowers the level that `allow` is held against.

    Raises:
        ConfigError: `workers` is less than one.
    """

    def __init__(
        self,
        workers: int = 1,
        *,
        allow: TrustLevel = TrustLevel.L1,
        without: Collection[Layer] = (),
    ) -> None:
        if workers < 1:
            raise ConfigError(f"sandbox.workers must be at least 1, got {workers}")
        self._allow = allow
        self._without = frozenset(without)
        # Last in, first out: a worker that is warm is used before another one is started.
        self._slots, self._slots_apart = _slots(workers), _slots(workers)
        self._live: set[Link] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._at_exit = weakref.finalize(self, _end_all, self._live)

    @property
    def trust(self) -> TrustLevel:
        """The level that this host affords, found by trying.

        Raises:
            SandboxError: no worker starts, or the level is below what is allowed.
        """
        return self.survey.trust

    @property
    def survey(self) -> Survey:
        """The layers around a worker of this sandbox.

        Raises:
            SandboxError: no worker starts, or the level is below what is allowed.
        """
        link = self._take(self._slots)
        self._slots.put(link)
        return link.survey

    def run(self, jobs: Sequence[Job], limits: Limits) -> list[Execution]:
        """Run `jobs` in order on one worker, with nothing else on it in between.

        When the worker breaks, all of them are run again on a fresh one, so that their times
        stay comparable; once.

        Raises:
            ConfigError: some of the jobs go apart and some do not.
            SandboxError: no worker starts, or two in a row broke under these jobs.
        """
        try:
            return self._attempt(jobs, limits)
        except SandboxError:
            self._refuse_if_closed()
            return self._attempt(jobs, limits)

    def close(self) -> None:
        """End all workers, also those at work; calling it again does nothing."""
        with self._lock:
            self._closed.set()
        self._at_exit()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _attempt(self, jobs: Sequence[Job], limits: Limits) -> list[Execution]:
        slots = self._slots_apart if _apart(jobs) else self._slots
        link = self._take(slots)
        usable: Link | None = None
        try:
            executions = link.run(jobs, limits)
            usable = link
        finally:
            # Also when interrupted half-way: the next answer on this socket would be a stale one.
            if usable is None:
                self._discard(link)
            slots.put(usable)
        return executions

    def _take(self, slots: "queue.LifoQueue[Link | None]") -> Link:
        """A worker of one's own, started if necessary; its slot is free again on failure."""
        self._refuse_if_closed()
        link = slots.get()
        try:
            if link is not None and link.runs >= _RUNS_PER_WORKER:
                self._discard(link)
                link = None
            if link is None:
                link = self._start()
        except BaseException:
            slots.put(None)
            raise
        return link

    def _start(self) -> Link:
        self._refuse_if_closed()
        link = Link(self._without)
        with self._lock:
            self._live.add(link)
        try:
            self._refuse_if_closed()
            self._refuse_if_below(link.survey)
        except SandboxError:
            self._discard(link)
            raise
        return link

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise SandboxError("this sandbox is closed; make a new one")

    def _refuse_if_below(self, survey: Survey) -> None:
        if survey.trust >= self._allow:
            return
        name, could = survey.trust.name, survey.still_possible
        raise SandboxError(
            f"this host shields programs at level {name} only, and {self._allow.name} is asked "
            f"for. At {name} a program could still: {could} To accept that, pass "
            f"allow=TrustLevel.{name} (on the command line --trust {name}). "
            f"To raise the level: {'; '.join(survey.hints)}"
        )

    def _discard(self, link: Link) -> None:
        link.close()
        with self._lock:
            self._live.discard(link)


def _apart(jobs: Sequence[Job]) -> bool:
    kinds = {isinstance(job, Call) and job.apart for job in jobs}
    if len(kinds) > 1:
        raise ConfigError("jobs that go apart and jobs that do not cannot share a batch")
    return kinds == {True}


def _slots(workers: int) -> "queue.LifoQueue[Link | None]":
    """Room for so many workers, none of them started."""
    slots: queue.LifoQueue[Link | None] = queue.LifoQueue()
    for _ in range(workers):
        slots.put(None)
    return slots


def _end_all(links: set[Link]) -> None:
    """Tell all first and wait afterwards, so that ending many takes no longer than ending one."""
    for link in list(links):
        link.dismiss()
    for link in list(links):
        link.close()
        links.discard(link)
