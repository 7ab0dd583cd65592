"""What every sandbox promises, whatever stands behind it: a class to inherit from.

A backend's test class gives a `box` fixture; all programs here are real and run in it.
"""

import zlib
from collections.abc import Iterator

import pytest

from workbench.sandbox import Call, Ending, Execution, Limits, LocalSandbox, Sandbox, Script
from workbench.sandbox.codec import decode, encode
from workbench.sandbox.layer import Layer

LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=1024)
# The wall limit leaves room for a machine that is busy with other things.
SHORT = Limits(cpu_s=0.2, wall_s=1.5, memory_mib=256, output_kib=64)
# Memory that a virtual machine has not used before is slow to touch: 30 microseconds a page.
HOARD = Limits(cpu_s=2.5, wall_s=2.5, memory_mib=64, output_kib=64)

# Each adds two numbers given on one line, in its own way.
READERS = {
    "input": "a, b = map(int, input().split())\nprint(a + b)",
    "binary buffer": "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))",
    "open descriptor 0": "print(sum(map(int, open(0).read().split())))",
    "os.read": "import os\nprint(sum(map(int, os.read(0, 1000).split())))",
    "iterate": "import sys\nfor line in sys.stdin:\n    print(sum(map(int, line.split())))",
    "/dev/stdin": "print(sum(map(int, open('/dev/stdin').read().split())))",
    "numpy": "import sys, numpy as np\nprint(int(np.loadtxt(sys.stdin, dtype=int).sum()))",
    "readline twice": "import sys\nl = sys.stdin.readline()\nassert sys.stdin.readline() == ''\n"
    "print(sum(map(int, l.split())))",
    "main guard": "if __name__ == '__main__':\n    print(sum(map(int, input().split())))",
}

# Each writes exactly "5\n" and ends with code 0, in its own way.
WRITERS = {
    "at exit": "import atexit\natexit.register(lambda: print(5))",
    "thread after main": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(0.05), print(5))).start()",
    "sys.exit": "import sys\nprint(5)\nsys.exit(0)",
    "exit": "print(5)\nexit()",
    "unflushed file": "out = open(1, 'w', closefd=False)\nout.write('5\\n')",
    "unflushed method": "write = open(1, 'w', closefd=False).write\nwrite('5\\n')",
    "os.write": "import os\nos.write(1, b'5\\n')",
    "replaced stdout": "import sys, os\nsys.stdout = os.fdopen(1, 'w')\nprint(5)",
    "executor": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(4) as e: print(sum(e.map(int, '11111')))",
    "deep recursion": "import sys\nsys.setrecursionlimit(300000)\n"
    "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(100000) // 20000)",
    "thread stack": "import sys, threading\nsys.setrecursionlimit(10**6)\n"
    "threading.stack_size(128 * 2**20)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)\n"
    "t = threading.Thread(target=lambda: print(f(50000) // 10000)); t.start(); t.join()",
    "stderr flood": "import sys\nfor _ in range(2000): sys.stderr.write('x' * 999)\nprint(5)",
    "memory error caught": "try:\n    x = bytearray(2**33)\nexcept MemoryError:\n    print(5)",
    "null device": "import os, sys\nold = sys.stdout\n"
    "sys.stdout = open(os.devnull, 'w')\nprint(4)\n"
    "sys.stdout = old\nprint(5)",
    "dataclass": "from dataclasses import dataclass\n"
    "@dataclass\nclass P:\n    x: int\nprint(P(5).x)",
    "raised stack limit": "import resource\nresource.setrlimit(resource.RLIMIT_STACK, "
    "(2**26, resource.getrlimit(resource.RLIMIT_STACK)[1]))\nprint(5)",
}

# (source, exit code, signal) of programs that fail by their own doing.
FAULTS = {
    "name error": ("x", 1, None),
    "past the end": ("input()\ninput()", 1, None),
    "exit code": ("import sys\nprint(5)\nsys.exit(3)", 3, None),
    "exit message": ("raise SystemExit('no')", 1, None),
    "lone surrogate": ("print('\\ud800')", 1, None),
    "raw exit": ("import os\nos._exit(7)", 7, None),
    "segfault": ("import ctypes\nctypes.string_at(0)", None, 11),
    "abort": ("import os\nos.abort()", None, 6),
    "endless recursion": ("def f(): f()\nf()", 1, None),
    "missing module": ("import no_such_module", 1, None),
    "closed stdout": ("import os\nos.close(1)\nprint(5)", 120, None),
}

# (source, the one ending that is right)
EXCESSES = {
    "busy loop": ("while True: pass", Ending.CPU_LIMIT),
    "busy and deaf": (
        "import signal\nfor s in range(1, 64):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass",
        Ending.CPU_LIMIT,
    ),
    "busy in C": ("9 ** 9 ** 8", Ending.CPU_LIMIT),
    "busy in threads": (
        "import threading\nfor _ in range(3):\n"
        "    threading.Thread(target=lambda: pow(7, 9**8)).start()",
        Ending.CPU_LIMIT,
    ),
    "regex": ("import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", Ending.CPU_LIMIT),
    "work at exit": (
        "import atexit\n@atexit.register\ndef f():\n    while True: pass",
        Ending.CPU_LIMIT,
    ),
    "sleep": ("import time\ntime.sleep(100)", Ending.WALL_LIMIT),
    "stop itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", Ending.WALL_LIMIT),
    "deadlock": (
        "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()",
        Ending.WALL_LIMIT,
    ),
    "hoard": ("x = []\nwhile True: x.append(bytes(10**7))", Ending.MEMORY_LIMIT),
    "numpy hoard": ("import numpy as np\nnp.ones(2**28)", Ending.MEMORY_LIMIT),
    "print for ever": ("while True: print('x' * 100)", Ending.OUTPUT_LIMIT),
    "one large write": (
        "import os\nos.write(1, bytes(10**7))\nos.write(1, b'x')",
        Ending.OUTPUT_LIMIT,
    ),
}

UNCOMPILABLE = {
    "syntax": "def f(:",
    "indentation": "if 1:\nx",
    "null byte": "x = '\0'",
    "lone surrogate": "x = '\ud800'",
    "nesting": "(" * 100_000,
    "long sum": "x = " + "-" * 200_000 + "1",
}


class SandboxContract:
    """Inherit and give a `box` fixture."""

    def run(
        self, box: Sandbox, source: str, stdin: bytes = b"", limits: Limits = LIMITS
    ) -> Execution:
        (execution,) = box.run([Script(source=source, stdin=stdin)], limits)
        return execution

    def call(self, box: Sandbox, source: str, function: str, *arguments: object) -> Execution:
        job = Call(source=source, function=function, arguments=encode(list(arguments)))
        (execution,) = box.run([job], LIMITS)
        return execution

    @pytest.mark.parametrize("way", READERS)
    def test_input_is_read_in_every_way_that_python_has(self, box: Sandbox, way: str) -> None:
        execution = self.run(box, READERS[way], b"2 3\n")
        assert execution.succeeded, execution.stderr
        assert execution.stdout == b"5\n"

    @pytest.mark.parametrize("way", WRITERS)
    def test_output_arrives_however_it_was_written(self, box: Sandbox, way: str) -> None:
        execution = self.run(box, WRITERS[way])
        assert execution.succeeded, execution.stderr
        assert execution.stdout == b"5\n"

    def test_output_is_bytes_as_written(self, box: Sandbox) -> None:
        execution = self.run(box, "import sys\nsys.stdout.buffer.write(bytes(range(256)))")
        assert execution.stdout == bytes(range(256))
        assert self.run(box, "print('žluť')").stdout == "žluť\n".encode()
        assert len(self.run(box, "print(10**5000)").stdout) == 5002

    def test_input_ends_where_it_ends(self, box: Sandbox) -> None:
        source = "import sys\nprint(repr(sys.stdin.read()))"
        assert self.run(box, source, b"").stdout == b"''\n"
        assert self.run(box, source, b"a\r\nb").stdout == b"'a\\nb'\n"

    def test_a_large_input_arrives_whole(self, box: Sandbox) -> None:
        data = bytes(range(256)) * 20_000
        source = "import sys, zlib\nprint(zlib.crc32(sys.stdin.buffer.read()))"
        assert self.run(box, source, data).stdout == b"%d\n" % zlib.crc32(data)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_faults_show_their_true_exit_code_or_signal(self, box: Sandbox, fault: str) -> None:
        source, code, signal = FAULTS[fault]
        execution = self.run(box, source, b"1\n")
        assert (execution.exit_code, execution.signal) == (code, signal), execution.stderr
        assert execution.ending is (Ending.EXITED if signal is None else Ending.KILLED)
        assert not execution.succeeded

    def test_a_traceback_starts_at_the_programs_own_line(self, box: Sandbox) -> None:
        execution = self.run(box, "def f():\n    return 1 / 0\nf()")
        assert execution.stderr == (
            "Traceback (most recent call last):\n"
            '  File "program.py", line 3, in <module>\n    f()\n'
            '  File "program.py", line 2, in f\n    return 1 / 0\n           ~~^~~\n'
            "ZeroDivisionError: division by zero\n"
        )

    def test_only_the_end_of_the_error_stream_is_kept(self, box: Sandbox) -> None:
        source = "import sys\nfor i in range(100000): print(i, file=sys.stderr)"
        execution = self.run(box, source)
        assert execution.stderr.endswith("99998\n99999\n")
        assert len(execution.stderr) == 8192

    @pytest.mark.parametrize("kind", UNCOMPILABLE)
    def test_what_python_cannot_compile_is_a_compile_error(self, box: Sandbox, kind: str) -> None:
        execution = self.run(box, UNCOMPILABLE[kind])
        assert execution.ending is Ending.COMPILE_ERROR, execution
        assert execution.stdout == b""
        assert self.run(box, "print(5)").stdout == b"5\n"

    @pytest.mark.parametrize("excess", EXCESSES)
    def test_each_limit_ends_what_exceeds_it(self, box: Sandbox, excess: str) -> None:
        source, ending = EXCESSES[excess]
        limits = HOARD if ending is Ending.MEMORY_LIMIT else SHORT
        execution = self.run(box, source, limits=limits)
        assert execution.ending is ending, execution
        assert len(execution.stdout) <= 64 * 1024
        assert execution.wall_s < 3
        assert self.run(box, "print(5)").stdout == b"5\n"

    def test_output_of_exactly_the_limit_is_allowed(self, box: Sandbox) -> None:
        source = "import sys\nsys.stdout.write('x' * {})"
        at_limit = self.run(box, source.format(64 * 1024), limits=SHORT)
        above = self.run(box, source.format(64 * 1024 + 1), limits=SHORT)
        assert at_limit.succeeded
        assert len(at_limit.stdout) == 64 * 1024
        assert above.ending is Ending.OUTPUT_LIMIT

    def test_the_smallest_limits_bind_without_breaking_the_worker(self, box: Sandbox) -> None:
        tiny = Limits(cpu_s=0.001, wall_s=0.001, memory_mib=1, output_kib=1)
        execution = self.run(box, "x = bytearray(10**9)", limits=tiny)
        assert execution.ending in (Ending.CPU_LIMIT, Ending.WALL_LIMIT, Ending.MEMORY_LIMIT)
        small = Limits(cpu_s=2, wall_s=6, memory_mib=8, output_kib=1)
        assert self.run(box, "print(5)", limits=small).stdout == b"5\n"
        assert self.run(box, "x = bytearray(2**26)", limits=small).ending is Ending.MEMORY_LIMIT

    def test_a_call_returns_its_value_exactly(self, box: Sandbox) -> None:
        value = [(1, 2.5), {3: {"x"}}, float("inf"), b"\0", 10**2000, None, True]
        execution = self.call(box, "def f(x): return x", "f", value)
        assert execution.succeeded, execution.stderr
        assert decode(execution.value or "") == value

    def test_a_call_of_a_method_goes_to_a_fresh_instance(self, box: Sandbox) -> None:
        source = (
            "class Solution:\n    def __init__(self): self.k = 2\n"
            "    def f(self, x): return self.k * x"
        )
        execution = self.call(box, source, "Solution.f", 21)
        assert decode(execution.value or "") == 42

    def test_a_module_that_is_called_is_not_main(self, box: Sandbox) -> None:
        source = "def f(): return __name__ == '__main__'\nif f(): raise RuntimeError"
        assert decode(self.call(box, source, "f").value or "") is False

    def test_what_a_call_prints_is_kept_apart_from_its_value(self, box: Sandbox) -> None:
        execution = self.call(box, "def f():\n    print('hello')\n    return 1", "f")
        assert (execution.stdout, execution.value) == (b"hello\n", "1")

    @pytest.mark.parametrize(
        "source",
        ["def f(): raise ValueError('no')", "def g(): pass", "def f(): return object()", "f = 3"],
    )
    def test_a_call_that_comes_to_no_value_fails(self, box: Sandbox, source: str) -> None:
        execution = self.call(box, source, "f")
        assert (execution.exit_code, execution.value) == (1, None)
        assert "Error" in execution.stderr.splitlines()[-1]

    def test_loading_the_module_counts_towards_the_time_of_a_call(self, box: Sandbox) -> None:
        source = (
            "import time\nend = time.process_time() + 0.2\n"
            "while time.process_time() < end: pass\ndef f(): return 1"
        )
        assert self.call(box, source, "f").cpu_s > 0.19

    def test_time_is_counted_from_start_to_death(self, box: Sandbox) -> None:
        source = "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.3: pass\n"
        busy = self.run(box, source)
        idle = self.run(box, "import time\ntime.sleep(0.3)")
        early = self.run(
            box, f"import atexit\nprint(1)\n@atexit.register\ndef f():\n    exec({source!r})"
        )
        assert 0.3 <= busy.cpu_s < 0.4
        assert idle.cpu_s < 0.05
        assert 0.3 <= idle.wall_s < 0.5
        assert early.cpu_s >= 0.3

    def test_work_in_threads_is_counted(self, box: Sandbox) -> None:
        source = (
            "import threading, time\ndef work():\n    t = time.thread_time()\n"
            "    while time.thread_time() < t + 0.2: pass\n"
            "ts = [threading.Thread(target=work) for _ in range(2)]\n"
            "[t.start() for t in ts]\n[t.join() for t in ts]"
        )
        assert self.run(box, source).cpu_s >= 0.4

    def test_the_empty_program_costs_what_the_baseline_says(self, box: Sandbox) -> None:
        executions = box.run([Script(source="pass")] * 30, LIMITS)
        cpu_s = sorted(e.cpu_s for e in executions)[15]
        assert cpu_s == pytest.approx(executions[-1].baseline_cpu_s, rel=0.5)
        assert all(e.baseline_cpu_s < 0.01 for e in executions)

    def test_peak_memory_is_what_the_program_added(self, box: Sandbox) -> None:
        execution = self.run(box, "x = bytearray(100 * 2**20)")
        assert 95 < execution.peak_mib < 115
        assert self.run(box, "pass").peak_mib < 5

    def test_executions_come_in_the_order_of_their_jobs(self, box: Sandbox) -> None:
        jobs = [Script(source="print(input())", stdin=b"%d" % i) for i in range(10)]
        assert [int(e.stdout) for e in box.run(jobs, LIMITS)] == list(range(10))

    def test_no_run_leaves_anything_to_the_next(self, box: Sandbox) -> None:
        spoil = (
            "import builtins, json, sys, math, fcntl, os\nbuiltins.print = json.dumps = None\n"
            "math.pi = 3\nsys.modules['heapq'] = None\nfcntl.fcntl(1, fcntl.F_SETFL, os.O_APPEND)"
        )
        check = (
            "import json, math, heapq\nprint(json.dumps([math.pi > 3, heapq.nsmallest(1, [2, 1])]))"
        )
        assert self.run(box, spoil).succeeded
        assert self.run(box, check).stdout == b"[true, [1]]\n"

    def test_hashing_is_the_same_in_every_run(self, box: Sandbox) -> None:
        first, second = (self.run(box, "print(hash('x'))") for _ in range(2))
        assert first.stdout == second.stdout


@pytest.fixture(scope="module")
def isolated() -> Iterator[Sandbox]:
    with LocalSandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def unisolated() -> Iterator[Sandbox]:
    with LocalSandbox(without=[Layer.NAMESPACES]) as sandbox:
        yield sandbox


class TestLocalSandbox(SandboxContract):
    @pytest.fixture
    def box(self, isolated: Sandbox) -> Sandbox:
        return isolated


class TestLocalSandboxWithoutNamespaces(SandboxContract):
    """The path of containers and of hosts that forbid user namespaces."""

    @pytest.fixture
    def box(self, unisolated: Sandbox) -> Sandbox:
        return unisolated
