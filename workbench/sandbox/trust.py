"""How well the host is shielded from a program, in four levels and in words."""

from enum import IntEnum


class TrustLevel(IntEnum):
    """What stands between a program and the host, from nothing to everything at hand.

    Attributes:
        L0: resource limits and a process group only.
        L1: limits, a system-call filter that bans forking and sockets, kernel rules that leave
            only the interpreter's files readable; or the system profile of macOS.
        L2: own user, process, mount, network and IPC namespaces, a read-only root, the filter.
        L3: as L2, with a control group for memory and processes.
    """

    L0 = 0
    L1 = 1
    L2 = 2
    L3 = 3

    @property
    def still_possible(self) -> str:
        """What an attacker could still do at this level, in one sentence."""
        return _STILL_POSSIBLE[self]


_STILL_POSSIBLE = {
    TrustLevel.L0: (
        "Read every file you can read (keys and notebooks included), use the network, "
        "and end your other processes."
    ),
    TrustLevel.L1: (
        "See which other processes and files exist; on macOS also read files outside the homes "
        "and leave files in /tmp; "
        "exploit a fault in the kernel; slow the machine within the limits."
    ),
    TrustLevel.L2: "Exploit a fault in the kernel; slow the machine within the limits.",
    TrustLevel.L3: "Exploit a fault in the kernel.",
}
