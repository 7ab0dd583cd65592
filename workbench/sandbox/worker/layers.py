"""Raising the layers that this host allows, each found by trying, none assumed."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from workbench.sandbox.layer import Layer
from workbench.sandbox.worker import cgroup, landlock, libc, namespaces, root, seccomp
from workbench.sandbox.worker.procfs import ProcFiles, thread_count

_FORBIDDEN = "/var/tmp/workbench-sandbox-check"
_MACHINE = os.uname().machine


@dataclass
class Shell:
    """The layers around this worker.

    Attributes:
        without: layers that are left out on request.
        active: layers that hold.
        failures: why the others do not, by layer name.
        procfs: what this process can learn about itself.
        group: the control group that it is in, if it is in one of its own.
    """

    without: frozenset[Layer]
    active: set[Layer] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    procfs: ProcFiles = field(default_factory=ProcFiles)
    group: cgroup.Membership | None = None

    def enter(self) -> None:
        """Namespaces and root; on return this may be another process. Before any thread starts.

        Raises:
            OSError: a layer worked when tried and failed when needed.
        """
        if sys.platform != "linux":
            return
        if self._try(Layer.NAMESPACES, namespaces.isolate):
            group = cgroup.ControlGroup() if self._try(Layer.CGROUP, _check_group) else None
            namespaces.isolate(group.remove if group else None)
            self.group = group.enter() if group else None
            self.procfs = ProcFiles.open()
            if self._try(Layer.ROOT, root.build_root):
                root.build_root()
        else:
            self.procfs = ProcFiles.open()
            libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
            for layer in (Layer.ROOT, Layer.CGROUP):
                self.failures[layer.value] = "needs namespaces of its own"

    def shut(self) -> Callable[[], None]:
        """Give up what the worker itself does not need.

        Returns:
            What each forked program must do last before it starts.

        Raises:
            OSError: a layer worked when tried and failed when needed.
            RuntimeError: an import started a thread, and forking beside threads is not safe.
        """
        if sys.platform != "linux":
            self._try(Layer.SEATBELT, _check_profile)
            return os.setsid
        if thread_count() > 1:
            raise RuntimeError("an import started a thread")
        if Layer.ROOT not in self.active and self._try(Layer.LANDLOCK, _confine):
            _confine()
        libc.drop_capabilities()
        libc.prctl(libc.PR_SET_DUMPABLE, 0)
        # Where the worker is process 1, nothing in its namespace survives it anyway.
        orphan = _nothing if Layer.NAMESPACES in self.active else namespaces.die_with_parent
        if not self._try(Layer.FILTER, _check_filters):
            return partial(_leave_group, orphan)
        _host_filter().install()
        own = _program_filter()

        def last_act() -> None:
            orphan()
            own.install()

        return last_act

    def _try(self, layer: Layer, action: Callable[[], None]) -> bool:
        if layer in self.without:
            self.failures[layer.value] = "left out on request"
            return False
        reason = namespaces.attempt(action)
        if reason is not None:
            self.failures[layer.value] = reason
            return False
        self.active.add(layer)
        return True


def _confine() -> None:
    landlock.confine(root.interpreter_paths(), root.readable_files())


def _host_filter() -> libc.Filter:
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    return libc.Filter(seccomp.host_filter(_MACHINE))


def _program_filter() -> libc.Filter:
    return libc.Filter(seccomp.program_filter(_MACHINE), seccomp.OWN_ID)


def _check_group() -> None:
    group = cgroup.ControlGroup()
    try:
        reason = namespaces.attempt(lambda: _enter(group))
    finally:
        group.remove()
    if reason is not None:
        raise OSError(reason)


def _enter(group: cgroup.ControlGroup) -> None:
    group.enter()


def _check_filters() -> None:
    _host_filter().install()
    _program_filter().install()
    try:
        os.fork()
    except PermissionError:
        return
    raise OSError("the filter was accepted, yet a fork went through")


def _check_profile() -> None:
    """The profile came with the launch; under it, this file cannot be made."""
    try:
        descriptor = os.open(_FORBIDDEN, os.O_WRONLY | os.O_CREAT, 0o600)
    except PermissionError:
        return
    os.close(descriptor)
    os.unlink(_FORBIDDEN)
    raise OSError("no profile is in force")


def _leave_group(orphan: Callable[[], None]) -> None:
    """Without a filter, signals to the own process group would reach the worker."""
    os.setsid()
    orphan()


def _nothing() -> None:
    """There is nothing left to do."""
