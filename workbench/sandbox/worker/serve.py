"""The worker's life: isolate, load, report, then one job after the other until nobody asks."""

import json
import marshal
import os
import signal
import socket
import sys
import time
from contextlib import suppress

from workbench.sandbox import frame
from workbench.sandbox.execution import Ending
from workbench.sandbox.layer import Layer
from workbench.sandbox.limits import Limits
from workbench.sandbox.wire import Channel, Message
from workbench.sandbox.worker import libc, program
from workbench.sandbox.worker.baseline import Baseline, RollingBaseline
from workbench.sandbox.worker.compiled import CompiledPrograms
from workbench.sandbox.worker.layers import Shell
from workbench.sandbox.worker.preload import preload
from workbench.sandbox.worker.watch import Facts, Watch

_EMPTY_LIMITS = Limits()
_EMPTY_CODE = marshal.dumps(compile("", program.FILE_NAME, "exec"))
_EMPTY_RUNS_AT_START = 5
_RUNS_BETWEEN_EMPTY = 40
_SETTLED_S = 0.25
_NEAR_MEMORY_LIMIT = 0.9
_LARGE_BYTES = 2**20


def main() -> None:
    """Serve on the inherited socket until the other end closes; called by the launch line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the notebook, not for its workers
    settings = json.loads(sys.argv[2])
    channel = Channel(socket.socket(fileno=settings["descriptor"]))
    shell = Shell(frozenset(Layer(name) for name in settings["without"]))
    shell.enter()
    problem = preload()
    watch = Watch(channel, shell.shut(), shell.procfs, shell.group, counted=settings["counted"])
    _forget_ourselves()
    worker = Worker(watch)
    notes = {} if problem is None else {"numpy": problem}
    report = {
        "layers": [layer.value for layer in shell.active],
        "failures": shell.failures,
        "notes": notes,
    }
    channel.send((json.dumps(report).encode(),))
    while (message := channel.receive()) is not None:
        reply = worker.answer(message)
        channel.send(reply)
        if sum(map(len, message + reply)) > _LARGE_BYTES:
            del message, reply
            libc.release_free_memory()


class Worker:
    """Turns requests into replies.

    Args:
        watch: what forks and observes.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._stage = program.Stage()
        self._programs = CompiledPrograms(watch)
        self._baseline = RollingBaseline()
        self._runs = 0
        self._packed, self._limits = b"", _EMPTY_LIMITS
        self._cores = os.sched_getaffinity(0) if sys.platform == "linux" else set()
        self._settled_s = -_SETTLED_S
        self._settle()
        for _ in range(_EMPTY_RUNS_AT_START):
            self._measure_empty()

    def answer(self, request: Message) -> Message:
        """Run what a request asks for.

        Raises:
            RuntimeError: the run could not be started.
            OSError: likewise.
        """
        packed, source, data, *function = request
        if packed != self._packed:
            self._packed, self._limits = packed, frame.limits(packed)
        limits = self._limits
        code = self._programs.code(source)
        if isinstance(code, Facts):
            return self._reply(Ending.COMPILE_ERROR, code, limits)
        self._settle()
        if self._runs % _RUNS_BETWEEN_EMPTY == 0:
            self._measure_empty()
        self._runs += 1
        if function:
            body = self._stage.call(code, source, function[0].decode(), data.decode())
            facts = self._watch.run(body, limits)
        else:
            facts = self._watch.run(self._stage.script(code, source), limits, stdin=data)
        return self._reply(self._ending(facts, limits), facts, limits)

    def _settle(self) -> None:
        """Let the scheduler choose a core from time to time, and stay on it meanwhile.

        Left alone, it moves every fork to another core, where nothing that a run copies is in
        the cache: runs take a fifth longer, some more and some less.
        """
        if sys.platform != "linux" or time.monotonic() - self._settled_s < _SETTLED_S:
            return
        with suppress(OSError):  # a container may forbid it
            os.sched_setaffinity(0, self._cores)
        self._run_empty()
        with suppress(OSError):
            os.sched_setaffinity(0, {libc.current_core()})
        self._settled_s = time.monotonic()

    def _measure_empty(self) -> None:
        facts = self._run_empty()
        self._baseline.add(Baseline(facts.cpu_s, facts.wall_s, facts.peak_mib))

    def _run_empty(self) -> Facts:
        return self._watch.run(self._stage.script(_EMPTY_CODE, b""), _EMPTY_LIMITS)

    def _ending(self, facts: Facts, limits: Limits) -> Ending:
        """The first that applies: time, memory, output, a signal, its own end."""
        peak_mib = facts.peak_mib - self._baseline.now.peak_mib
        crashed_full = facts.signal in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS)
        if facts.killed_for is not None:
            return facts.killed_for
        if facts.cpu_s > limits.cpu_s or facts.signal == signal.SIGXCPU:
            return Ending.CPU_LIMIT
        if facts.wall_s > limits.wall_s:
            return Ending.WALL_LIMIT
        if facts.result.startswith(program.OUT_OF_MEMORY) or peak_mib > limits.memory_mib:
            return Ending.MEMORY_LIMIT
        if crashed_full and peak_mib > _NEAR_MEMORY_LIMIT * limits.memory_mib:
            return Ending.MEMORY_LIMIT
        if facts.out_of_memory:
            return Ending.MEMORY_LIMIT
        if facts.signal == signal.SIGXFSZ or len(facts.stdout) > limits.output_kib * 1024:
            return Ending.OUTPUT_LIMIT
        return Ending.EXITED if facts.signal is None else Ending.KILLED

    def _reply(self, ending: Ending, facts: Facts, limits: Limits) -> Message:
        baseline = self._baseline.now
        value = facts.result.removeprefix(program.VALUE)
        measured = frame.Measured(
            ending=ending,
            exit_code=facts.exit_code,
            signal=facts.signal,
            cpu_s=facts.cpu_s,
            wall_s=facts.wall_s,
            baseline_cpu_s=baseline.cpu_s,
            baseline_wall_s=baseline.wall_s,
            peak_mib=max(facts.peak_mib - baseline.peak_mib, 0.0),
            preemptions=facts.preemptions,
            has_value=facts.result.startswith(program.VALUE),
        )
        stdout = facts.stdout[: limits.output_kib * 1024]
        return frame.pack(measured), stdout, facts.stderr, value


def _forget_ourselves() -> None:
    """Programs find no module of ours by name; the functions in use stay alive without one."""
    sys.path.remove(sys.argv[1])
    for name in [name for name in sys.modules if name.split(".")[0] == "workbench"]:
        del sys.modules[name]
