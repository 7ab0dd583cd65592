"""A read-only root that holds the interpreter, its libraries and nothing else of the host."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from workbench.sandbox.worker import libc

_RDONLY, _NOSUID, _NODEV, _NOEXEC = 1, 2, 4, 8  # the same bits for mount and mount_setattr
_NEW_MOUNTS = 0x00020000
_BIND, _REC, _PRIVATE = 0x1000, 0x4000, 0x40000
# /nix/store is where the libraries lie on NixOS.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix/store")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_STAGE = "/tmp"  # any directory that exists everywhere; a private mount covers it meanwhile
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}


def interpreter_paths() -> list[str]:
    """Directories that Python needs to run and import, none inside another."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    paths = {os.path.realpath(prefix) for prefix in prefixes} | prefixes
    return _outermost([*_SYSTEM, *paths])


def readable_files() -> list[str]:
    """Single files that programs may read or write besides: the loader's cache, null devices."""
    return [path for path in (*_SYSTEM_FILES, *_DEVICES) if os.path.exists(path)]


def build_root() -> None:
    """Replace the root of a new mount namespace; the process has to be alone in its others.

    Raises:
        OSError: a mount is not allowed here.
    """
    paths, files, mounts = interpreter_paths(), readable_files(), _mounts()
    libc.unshare(_NEW_MOUNTS)  # a failure half-way then leaves others' mounts as they are
    libc.mount("none", "/", "none", _REC | _PRIVATE)
    libc.mount("tmpfs", _STAGE, "tmpfs", _NOSUID | _NODEV)
    os.mkdir(f"{_STAGE}/old")
    os.mkdir(f"{_STAGE}/new")
    libc.mount("tmpfs", f"{_STAGE}/new", "tmpfs", _NOSUID | _NODEV)
    # The first pivot makes the old root reachable under /old, also what the stage covers.
    libc.pivot_root(_STAGE, f"{_STAGE}/old")
    os.chdir("/")
    for path in paths:
        _bind(path, _RDONLY | _NOSUID | _NODEV, mounts)
    for path in files:
        _bind(path, _RDONLY | _NOSUID | _NOEXEC, mounts)
    for name, target in _LINKS.items():
        os.symlink(target, f"/new{name}")
    for directory in ("/proc", "/tmp"):
        os.makedirs(f"/new{directory}", exist_ok=True)
    # Containers that mask parts of /proc forbid a fresh one; programs then see an empty one.
    with suppress(PermissionError):
        libc.mount("proc", "/new/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    os.chdir("/new")
    libc.pivot_root(".", ".")
    libc.detach(".")
    os.chdir("/")
    libc.add_mount_flags("/", _RDONLY)


def _mounts() -> list[str]:
    """Where something is mounted; spaces and the like are written in octal."""
    lines = Path("/proc/self/mounts").read_bytes().splitlines()
    return [line.split()[1].decode("unicode_escape") for line in lines]


def _bind(path: str, attributes: int, mounts: list[str]) -> None:
    """Show one path of the old root in the new one, read-only, with all that is mounted there."""
    source, target = f"/old{path}", Path(f"/new{path}")
    target.parent.mkdir(parents=True, exist_ok=True)
    if os.path.islink(source):
        target.symlink_to(os.readlink(source))
        return
    if os.path.isdir(source):
        target.mkdir()
    else:
        target.touch()
    libc.mount(source, str(target), "none", _BIND | _REC)
    below = [f"/new{name}" for name in mounts if name.startswith(f"{path}/")]
    libc.add_mount_flags(str(target), attributes, below=below)


def _outermost(paths: list[str]) -> list[str]:
    """The paths that exist and lie in no other of them, sorted."""
    kept: list[str] = []
    for path in sorted({path.rstrip("/") for path in paths if os.path.exists(path)}):
        if not any(path == outer or path.startswith(f"{outer}/") for outer in kept):
            kept.append(path)
    return kept
