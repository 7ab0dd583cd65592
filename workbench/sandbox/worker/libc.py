"""System calls that the standard library does not offer, through the C library. Linux only."""

import ctypes
import errno
import os
import re
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_library = ctypes.CDLL(None, use_errno=True)
_prctl = _library.prctl
_prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MNT_DETACH = 2
_REMOUNT_BIND = 0x20 | 0x1000
_SAME_IN_BOTH = 1 | 2 | 4 | 8 | 1024 | 2048  # read-only, ..., no access times
_ST_RELATIME, _MS_RELATIME = 4096, 2**21
_CAPABILITY_VERSION_3 = 0x20080522


def check(result: int, action: str) -> int:
    """`result`, unless it is the C library's sign of failure.

    Raises:
        OSError: the call failed; the text names `action`.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{action}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """Raw system call; every argument is widened to a machine word.

    Raises:
        OSError: the kernel refused.
    """
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return check(_library.syscall(ctypes.c_long(number), *words), f"system call {number}")


def prctl(option: int, first: int = 0, second: int = 0) -> None:
    """Change one property of this process.

    Raises:
        OSError: the kernel refused.
    """
    check(_prctl(option, first, second, 0, 0), f"prctl {option}")


def unshare(flags: int) -> None:
    """Move this process into new namespaces.

    Raises:
        OSError: the kernel refused.
    """
    check(_library.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int) -> None:
    """Mount, bind, or change propagation.

    Raises:
        OSError: the kernel refused.
    """
    result = _library.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None
    )
    check(result, f"mount {target}")


def add_mount_flags(target: str, attributes: int, *, below: Sequence[str] | None = None) -> None:
    """Add attributes (read-only, no devices, ...) to a mount and, if they are given, those below.

    Raises:
        OSError: the kernel refused.
    """
    settings = ctypes.create_string_buffer(
        attributes.to_bytes(8, "little") + bytes(24), 32
    )  # struct mount_attr: set, clear, propagation, user namespace
    path = ctypes.create_string_buffer(target.encode())
    flags = 0 if below is None else _AT_RECURSIVE
    try:
        syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, settings, 32)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        # Before Linux 5.12, and under valgrind: one mount after the other.
        for place in (target, *(below or ())):
            kept = _as_mount_flags(os.statvfs(place).f_flag)
            mount("none", place, "none", _REMOUNT_BIND | attributes | kept)


def _as_mount_flags(flags: int) -> int:
    """Flags of statvfs(3) as mount(2) wants them: those that a remount may not drop."""
    relatime = _MS_RELATIME if flags & _ST_RELATIME else 0
    return flags & _SAME_IN_BOTH | relatime


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and hang the former root at `old`.

    Raises:
        OSError: the kernel refused.
    """
    new_path, old_path = (ctypes.create_string_buffer(path.encode()) for path in (new, old))
    syscall(_PIVOT_ROOT[os.uname().machine], new_path, old_path)


def detach(target: str) -> None:
    """Unmount `target` and all below it.

    Raises:
        OSError: the kernel refused.
    """
    check(_library.umount2(target.encode(), _MNT_DETACH), f"unmount {target}")


def drop_capabilities() -> None:
    """Give up every capability for good (there is no exec after this that could regain them).

    Raises:
        OSError: the kernel refused.
    """
    header = ctypes.create_string_buffer(_CAPABILITY_VERSION_3.to_bytes(4, "little") + bytes(4), 8)
    check(_library.capset(header, ctypes.create_string_buffer(24)), "capset")


def current_core() -> int:
    """Number of the core that this process runs on."""
    return int(_library.sched_getcpu())


def release_free_memory() -> None:
    """Give freed heap back to the kernel, where the C library can: forks inherit the rest."""
    if hasattr(_library, "malloc_trim"):
        _library.malloc_trim(0)


class Filter:
    """A seccomp filter laid out in memory, ready for the kernel.

    Args:
        program: BPF instructions.
        blank: stands where the installing process's own id belongs; none if empty.
    """

    def __init__(self, program: bytes, blank: bytes = b"") -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        self._blanks = [
            ctypes.c_uint32.from_buffer(self._code, found.start())
            for found in re.finditer(re.escape(blank), program)
            if blank
        ]
        # struct sock_fprog: a count in 16 bits, padding, a pointer.
        descriptor = (len(program) // 8).to_bytes(8, "little")
        descriptor += ctypes.addressof(self._code).to_bytes(8, "little")
        self._holder = ctypes.create_string_buffer(descriptor, 16)
        self._arguments = (PR_SET_SECCOMP, 2, ctypes.addressof(self._holder), 0, 0)

    def install(self) -> None:
        """Put this process and its children under the filter.

        Raises:
            OSError: the kernel refused.
        """
        for place in self._blanks:
            place.value = os.getpid()
        if _prctl(*self._arguments):  # in a fork, hence without what `check` would touch
            check(-1, "prctl seccomp")
