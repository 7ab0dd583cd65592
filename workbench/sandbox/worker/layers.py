"""Raising the layers that this host allows, each found by trying, none assumed."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.sandbox.layer import Layer
from workbench.sandbox.worker import landlock, libc, namespaces, root, seccomp
from workbench.sandbox.worker.procfs import ProcFiles, thread_count


@dataclass
class Shell:
    """The layers around this worker.

    Attributes:
        without: layers that are left out on request.
        active: layers that hold.
        failures: why the others do not, by layer name.
        procfs: what this process can learn about itself.
    """

    without: frozenset[Layer]
    active: set[Layer] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    procfs: ProcFiles = field(default_factory=ProcFiles)

    def enter(self) -> None:
        """Namespaces and root; on return this may be another process. Before any thread starts.

        Raises:
            OSError: a layer worked when tried and failed when needed.
        """
        if sys.platform != "linux":
            return
        if self._try(Layer.NAMESPACES, namespaces.isolate):
            namespaces.isolate()
            self.procfs = ProcFiles.open()
            if self._try(Layer.ROOT, root.build_root):
                root.build_root()
        else:
            self.procfs = ProcFiles.open()
            libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
            self.failures[Layer.ROOT.value] = "needs namespaces of its own"

    def shut(self) -> Callable[[], None]:
        """Give up what the worker itself does not need.

        Returns:
            What each forked program must do last before it starts.

        Raises:
            OSError: a layer worked when tried and failed when needed.
            RuntimeError: an import started a thread, and forking beside threads is not safe.
        """
        if sys.platform != "linux":
            return _nothing
        if thread_count() > 1:
            raise RuntimeError("an import started a thread")
        if Layer.ROOT not in self.active and self._try(Layer.LANDLOCK, _confine):
            _confine()
        libc.drop_capabilities()
        libc.prctl(libc.PR_SET_DUMPABLE, 0)
        if not self._try(Layer.FILTER, _install_filters):
            return namespaces.die_with_parent
        libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
        libc.install_filter(seccomp.host_filter(os.uname().machine))
        return _install_program_filter

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


def _install_filters() -> None:
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.install_filter(seccomp.host_filter(os.uname().machine))
    _install_program_filter()
    try:
        os.fork()
    except PermissionError:
        return
    raise OSError("the filter was accepted, yet a fork went through")


def _install_program_filter() -> None:
    namespaces.die_with_parent()
    libc.install_filter(seccomp.program_filter(os.uname().machine, os.getpid()))


def _nothing() -> None:
    """Where the launch was wrapped, the profile is in force already."""
