"""The forked process before the program's first line: descriptors, limits, filter, start stamp."""

import io
import os
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from workbench.sandbox.limits import Limits
from workbench.sandbox.worker.program import Body

STAMP = struct.Struct("=qq")
PRELUDE_FAILED = 70  # EX_SOFTWARE; means nothing unless the start stamp is missing
_OPEN_FILES = 64
_STACK_MIB = 64
_MIB = 2**20
DESCRIPTORS = 5
_RESULT, _STAMP = 3, 4


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the forked process needs to know.

    Attributes:
        stdin: descriptor of its input.
        stdout: descriptor of its output.
        stderr: descriptor of its error stream.
        result: descriptor that takes its value or marshalled code.
        stamp: descriptor that takes the start stamp.
        limits: bounds on it.
        address_space: bytes that the worker occupies, None where limits on it do not work.
        shut: last act of the prelude: gives up what the program must not have.
    """

    stdin: int
    stdout: int
    stderr: int
    result: int
    stamp: int
    limits: Limits
    address_space: int | None
    shut: Callable[[], None]


def prepare() -> None:
    """Do in one process what all its forks need.

    In a fork, every object that is touched for the first time costs a page; these are many.
    """
    streams = (_stream(0, "strict"), _stream(1, "strict"), _stream(2, "backslashreplace"))
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__dict__.update(zip(("__stdin__", "__stdout__", "__stderr__"), streams, strict=True))
    # Python ignores it, which would leave a program writing into the void until its time is up.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def _stream(descriptor: int, errors: str) -> io.TextIOWrapper:
    """A standard stream as the interpreter makes it; where it leads is settled after the fork."""
    raw = io.FileIO(descriptor, "rb" if descriptor == 0 else "wb", closefd=False)
    buffer = io.BufferedReader(raw) if descriptor == 0 else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, "utf-8", errors, line_buffering=descriptor == 2)


def become(body: Body, setting: Setting) -> NoReturn:
    """Turn this freshly forked process into the program, and end it."""
    code = PRELUDE_FAILED
    try:
        os.setsid()  # signals to a process group must not reach the worker
        _take_descriptors(setting)
        # The number of a closed descriptor, which the program's next file would get.
        signal.set_wakeup_fd(-1)
        _limit(setting)
        setting.shut()
        code = body(_stamp, _RESULT)
    except BaseException:  # noqa: BLE001 -- the last frame of a process: nobody else can tell
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_descriptors(setting: Setting) -> None:
    """Keep five descriptors, numbered from 0, and close all others."""
    sources = (setting.stdin, setting.stdout, setting.stderr, setting.result, setting.stamp)
    # All sources lie above the targets, so no copy overwrites one that is still needed.
    for target, source in enumerate(sources):
        os.dup2(source, target, inheritable=True)
    os.closerange(DESCRIPTORS, 1024)


def _limit(setting: Setting) -> None:
    """Lower resource limits; the exact CPU limit is the worker's, this one stands behind it."""
    limits = setting.limits
    seconds = int(limits.cpu_s) + 2
    _cap(resource.RLIMIT_CPU, seconds)
    # One byte more than allowed tells too much output from just enough.
    _cap(resource.RLIMIT_FSIZE, limits.output_kib * 1024 + 1)
    _cap(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _cap(resource.RLIMIT_CORE, 0)
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    stack = _STACK_MIB * _MIB if most == resource.RLIM_INFINITY else min(most, _STACK_MIB * _MIB)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, most))
    if setting.address_space is not None:
        _cap(resource.RLIMIT_AS, setting.address_space + limits.memory_mib * _MIB)


def _cap(kind: int, bound: int) -> None:
    _, most = resource.getrlimit(kind)
    bound = bound if most == resource.RLIM_INFINITY else min(bound, most)
    resource.setrlimit(kind, (bound, bound))


def _stamp() -> None:
    """Tell the worker that the program starts now; the descriptor is gone before it does.

    The thread's clock, because the process's lags while a CPU limit is set.
    """
    os.write(_STAMP, STAMP.pack(time.monotonic_ns(), time.thread_time_ns()))
    os.close(_STAMP)
