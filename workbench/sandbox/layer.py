"""The layers that can stand between a program and the host, and what to do where one is missing."""

from enum import Enum


class Layer(Enum):
    """One means of shielding; each is found by trying it on this host.

    Attributes:
        NAMESPACES: own users, processes, mounts, network, IPC.
        ROOT: a read-only root with the interpreter and nothing else.
        FILTER: a system-call filter.
        CGROUP: a control group that counts memory and tasks.
        LANDLOCK: kernel rules on file access; stands in where there is no root of its own.
        SEATBELT: the system profile of macOS.
    """

    NAMESPACES = "namespaces"
    ROOT = "root"
    FILTER = "filter"
    CGROUP = "cgroup"
    LANDLOCK = "landlock"
    SEATBELT = "seatbelt"

    @property
    def remedy(self) -> str:
        """What the user of a host that lacks it can do."""
        return _REMEDY[self]


_REMEDY = {
    Layer.NAMESPACES: (
        "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, on "
        "Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0; in Docker a seccomp profile "
        "that permits unshare and mount)"
    ),
    Layer.ROOT: "allow mounting within user namespaces",
    Layer.FILTER: "use a kernel with seccomp filters on x86_64 or aarch64",
    Layer.CGROUP: (
        "start within `systemd-run --user --scope -p Delegate=yes` (control groups of version 2), "
        "or as root"
    ),
    Layer.LANDLOCK: "use Linux 6.2 or later with landlock among the active security modules",
    Layer.SEATBELT: "make sure that /usr/bin/sandbox-exec exists",
}
