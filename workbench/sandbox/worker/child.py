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
from typing import NoReturn

from workbench.sandbox.limits import Limits
from workbench.sandbox.worker.program import Body

STAMP = struct.Struct("=qq")
PRELUDE_FAILED = 70  # EX_SOFTWARE; means nothing unless the start stamp is missing
_OPEN_FILES = 64
_LAST_DESCRIPTOR = 1024
_ALARM, _DEFAULT = int(signal.SIGALRM), int(signal.SIG_DFL)
# Without its wrapper, whose enumerations touch 45 pages.
_set_handler = signal._signal.signal  # type: ignore[attr-defined]
_STACK_MIB = 64
_MIB = 2**20
DESCRIPTORS = 5
_RESULT, _STAMP = 3, 4

ResourceLimits = tuple[tuple[int, tuple[int, int]], ...]


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


def resource_limits(
    limits: Limits, address_space: int | None, *, counted: bool = False
) -> ResourceLimits:
    """What the forked process has to set: kind, soft and hard bound.

    Args:
        limits: bounds on the program; the exact CPU limit is the worker's, the one here stands
            behind it.
        address_space: bytes that it may occupy in all, None where limits on it do not work.
        counted: whether it runs under valgrind, which keeps descriptors of its own for itself.
    """
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    _, stack = resource.getrlimit(resource.RLIMIT_STACK)
    bounds = [
        _capped(resource.RLIMIT_CPU, int(limits.cpu_s) + 2),
        # One byte more than allowed tells too much output from just enough.
        _capped(resource.RLIMIT_FSIZE, limits.output_kib * 1024 + 1),
        (resource.RLIMIT_NOFILE, (_OPEN_FILES, files if counted else min(files, _OPEN_FILES))),
        _capped(resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_STACK, (_capped(resource.RLIMIT_STACK, _STACK_MIB * _MIB)[1][0], stack)),
    ]
    if address_space is not None:
        bounds.append(_capped(resource.RLIMIT_AS, address_space))
    return tuple(bounds)


def _capped(kind: int, bound: int) -> tuple[int, tuple[int, int]]:
    _, most = resource.getrlimit(kind)
    bound = bound if most == resource.RLIM_INFINITY else min(bound, most)
    return kind, (bound, bound)


def become(
    body: Body,
    descriptors: tuple[int, int, int, int, int],
    limits: ResourceLimits,
    shut: Callable[[], None],
) -> NoReturn:
    """Turn this freshly forked process into the program, and end it.

    Every object that is touched here for the first time costs the copy of a page, some 3
    microseconds: hence so little is done, and as much as possible before the fork.

    Args:
        body: what to run.
        descriptors: its input, output, error stream, what takes its value or marshalled code, and
            what takes the start stamp; each above the numbers that they get here.
        limits: bounds on its resources.
        shut: last act of the prelude: gives up what the program must not have.
    """
    code = PRELUDE_FAILED
    try:
        # All sources lie above the targets, so no copy overwrites one that is still needed.
        for target, source in enumerate(descriptors):
            os.dup2(source, target)
        os.closerange(DESCRIPTORS, _LAST_DESCRIPTOR)
        _set_handler(_ALARM, _DEFAULT)
        for kind, bounds in limits:
            resource.setrlimit(kind, bounds)
        shut()
        code = body(_stamp, _RESULT)
    except BaseException:  # noqa: BLE001 -- the last frame of a process: nobody else can tell
        traceback.print_exc()
    finally:
        os._exit(code)


def _stamp() -> None:
    """Tell the worker that the program starts now; the descriptor is gone before it does.

    The thread's clock, because the process's lags while a CPU limit is set.
    """
    os.write(_STAMP, STAMP.pack(time.monotonic_ns(), time.thread_time_ns()))
    os.close(_STAMP)
