"""System calls that the standard library does not offer, through the C library. Linux only."""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

_library = ctypes.CDLL(None, use_errno=True)
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MNT_DETACH = 2
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
    words = [ctypes.c_ulong(word) for word in (first, second, 0, 0)]
    check(_library.prctl(option, *words), f"prctl {option}")


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


def add_mount_flags(target: str, attributes: int, *, recursive: bool) -> None:
    """Add attributes (read-only, no devices, ...) to a mount and, if asked, to those below it.

    Raises:
        OSError: the kernel refused, or is older than 5.12.
    """
    settings = ctypes.create_string_buffer(
        attributes.to_bytes(8, "little") + bytes(24), 32
    )  # struct mount_attr: set, clear, propagation, user namespace
    path = ctypes.create_string_buffer(target.encode())
    flags = _AT_RECURSIVE if recursive else 0
    syscall(_MOUNT_SETATTR, _AT_FDCWD, path, flags, settings, 32)


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


def release_free_memory() -> None:
    """Give freed heap back to the kernel, where the C library can: forks inherit the rest."""
    if hasattr(_library, "malloc_trim"):
        _library.malloc_trim(0)


def install_filter(program: bytes) -> None:
    """Put this process and its children under a seccomp filter (a BPF program).

    Raises:
        OSError: the kernel refused.
    """
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count in 16 bits, padding, a pointer.
    descriptor = (len(program) // 8).to_bytes(8, "little")
    descriptor += ctypes.addressof(code).to_bytes(8, "little")
    holder = ctypes.create_string_buffer(descriptor, 16)
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(holder))
