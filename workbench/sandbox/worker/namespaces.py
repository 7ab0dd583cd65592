"""Own user, process, network, IPC and host-name namespaces; no rights needed on the host."""

import os
import signal
import socket
from collections.abc import Callable

from workbench.sandbox.worker import libc

_NEWUTS = 0x04000000
_NEWIPC = 0x08000000
_NEWUSER = 0x10000000
_NEWPID = 0x20000000
_NEWNET = 0x40000000
_INNER_ID = 1000


def isolate(at_end: Callable[[], None] | None = None) -> None:
    """Go on as process 1 of new namespaces; the calling process stays behind and waits for it.

    Args:
        at_end: what the calling process does when process 1 is dead.

    Raises:
        OSError: the host does not allow it; the process is as it was.
    """
    user, group = os.geteuid(), os.getegid()
    libc.unshare(_NEWUSER | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{_INNER_ID} {user} 1")
    _write("/proc/self/gid_map", f"{_INNER_ID} {group} 1")
    socket.sethostname("sandbox")
    first = os.fork()
    if first:
        _stand_by(first, at_end)
    die_with_parent()


def die_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent ends.

    Raises:
        OSError: the kernel refused.
    """
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)


def attempt(action: Callable[[], None]) -> str | None:
    """Try something irreversible in a throw-away process.

    Returns:
        None if it works here, or why it does not.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            action()
            code = 0
        except OSError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(code)
    os.close(writer)
    with open(reader, "rb") as pipe:
        reason = pipe.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return None if status == 0 else reason or f"ended with status {status}"


def _stand_by(pid: int, at_end: Callable[[], None] | None) -> None:
    """End when, and as, process `pid` does; hold nothing open meanwhile."""
    os.closerange(3, 1024)
    _, status = os.waitpid(pid, 0)
    if at_end is not None:
        at_end()
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
