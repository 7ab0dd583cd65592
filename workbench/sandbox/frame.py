"""What supervisor and worker say to each other about one job, as bytes of fixed layout.

The worker reads and writes between two forks, where each object that it touches costs: hence
no text format here.
"""

import struct
from dataclasses import astuple
from typing import NamedTuple

from workbench.sandbox.execution import Ending
from workbench.sandbox.job import Call, Job
from workbench.sandbox.limits import Limits
from workbench.sandbox.wire import Message

_LIMITS = struct.Struct(">ddQQ")
_MEASURED = struct.Struct(">BhhdddddI?")
_ENDINGS = tuple(Ending)
_NONE = -1


class Measured(NamedTuple):
    """Figures of one run; each as in `Execution`.

    Attributes:
        has_value: whether a call left a value.
    """

    ending: Ending
    exit_code: int | None
    signal: int | None
    cpu_s: float
    wall_s: float
    baseline_cpu_s: float
    baseline_wall_s: float
    peak_mib: float
    preemptions: int
    has_value: bool


def request(job: Job, limits: Limits) -> Message:
    """Limits, source, input or arguments, and the function to call, of which a script has none."""
    source = job.source.encode("utf-8", "surrogatepass")
    bounds = _LIMITS.pack(*astuple(limits))
    if isinstance(job, Call):
        return bounds, source, job.arguments.encode(), job.function.encode()
    return bounds, source, job.stdin


def limits(packed: bytes) -> Limits:
    """The limits of a request.

    Raises:
        struct.error: they are not packed limits.
        ConfigError: they cannot be limits.
    """
    cpu_s, wall_s, memory_mib, output_kib = _LIMITS.unpack(packed)
    return Limits(cpu_s=cpu_s, wall_s=wall_s, memory_mib=memory_mib, output_kib=output_kib)


def pack(measured: Measured) -> bytes:
    """The figures as the worker sends them."""
    ending, exit_code, signal, *rest = measured
    codes = [_NONE if code is None else code for code in (exit_code, signal)]
    return _MEASURED.pack(_ENDINGS.index(ending), *codes, *rest)


def unpack(packed: bytes) -> Measured:
    """The figures as the supervisor reads them.

    Raises:
        struct.error: they are not packed figures.
        IndexError: there is no such ending.
    """
    number, *figures = _MEASURED.unpack(packed)
    codes = [None if code == _NONE else code for code in figures[:2]]
    return Measured._make([_ENDINGS[number], *codes, *figures[2:]])
