"""Running untrusted programs: one gateway to processes, clocks and limits outside them.

A program is whatever a model wrote: broken, wasteful, or written to please its judge. It gets
its input and leaves its output; expected answers, clocks, limits and verdicts are elsewhere.

How it runs
    A supervisor (`LocalSandbox`, in the notebook's process) holds worker processes. A worker
    is process 1 of its own namespaces, has the interpreter and numpy loaded, one thread, and
    an environment that it was launched with and nothing else. Every run is a fork of it:
    five descriptors, limits, a system-call filter, a start stamp, the program. The worker
    waits for the death from outside, so nothing that a program does to clocks, modules or
    exit codes of its own changes what is reported.

Levels, found by trying and stored with every execution
    L3  namespaces (user, process, mount, network, IPC, host name), a read-only root with the
        interpreter and nothing else, a system-call filter (no new processes, no exec, no
        sockets, no signals to others, no foreign calling conventions), a control group.
    L2  the same without a control group: memory is limited as address space, so what is
        reserved counts, used or not.
    L1  without namespaces: Landlock (Linux 6.2 or later) and the filter; or, on macOS, the
        system's profile.
    L0  limits on resources and no more. Only for those who ask for it by name.

Covered
    The host's files, environment, network and processes; other programs' sources, inputs and
    runs; the supervisor's memory, which holds what is expected; time, memory, output, open
    files, threads and new processes; programs that forge results, replace functions, ignore
    signals, stop or outlive themselves; sources that are built to exhaust the compiler.

Not covered
    Faults in the kernel. What processors leak between programs through caches and timing.
    Wear: a program may use the processor and memory that it is allowed, as often as it is
    run. At L1 a program sees which other processes exist. Programs that need subprocesses
    or sockets do not run at all. Extension modules are trusted as far as they are installed.

Residual risk, and a heavier box
    One kernel separates a program from the host. Where models may be taught or paid to
    attack it, put the whole of Workbench, or a notebook server of its own, into a box that
    does not share that kernel: a virtual machine, or a container under gVisor
    (`docker run --runtime=runsc --network none --read-only --tmpfs /tmp --pids-limit 512
    --cap-drop ALL`, with the runs' folder mounted). The workers need nothing from outside
    and come up at the level that the box affords: `survey()` tells, also within it. A plain
    container forbids namespaces by default; give it a seccomp profile that permits
    `unshare` and `mount`, or accept L1.

Departures from running `python program.py`: `worker.program` lists them.
"""

from workbench.sandbox.execution import Ending, Execution
from workbench.sandbox.job import Call, Job, Script
from workbench.sandbox.limits import Limits
from workbench.sandbox.link import survey
from workbench.sandbox.local import LocalSandbox
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.trust import TrustLevel

__all__ = [
    "Call",
    "Ending",
    "Execution",
    "Job",
    "Limits",
    "LocalSandbox",
    "Sandbox",
    "Script",
    "TrustLevel",
    "survey",
]
