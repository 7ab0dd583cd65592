"""File access for hosts without namespaces: the kernel lets this process read named paths only.

Not covered: changing the mode, owner or times of files; the system-call filter denies those.
"""

import ctypes
import os
import struct

from workbench.sandbox.worker import libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
# Version 3 (Linux 6.2) is the first that also denies truncation.
_LEAST_VERSION = 3
_FILE_RIGHTS = {3: 2**15 - 1, 4: 2**15 - 1}
_ALL_FILE_RIGHTS = 2**16 - 1
_TCP_RIGHTS = 3
_SCOPES = 3  # abstract sockets and signals stay within


def confine(directories: list[str], files: list[str]) -> None:
    """Allow reading below `directories`, reading and writing `files`, and no other file access.

    Raises:
        OSError: the kernel does not know Landlock, or too old a version of it.
    """
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < _LEAST_VERSION:
        raise OSError(f"Landlock version {version}, {_LEAST_VERSION} is needed")
    attributes = struct.pack(
        "=QQQ", _FILE_RIGHTS.get(version, _ALL_FILE_RIGHTS), _TCP_RIGHTS, _SCOPES
    )[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = libc.syscall(
        _CREATE_RULESET,
        ctypes.create_string_buffer(attributes, len(attributes)),
        len(attributes),
        0,
    )
    for path in directories:
        _allow(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
    for path in files:
        _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, handle), 12)
    libc.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    os.close(handle)
