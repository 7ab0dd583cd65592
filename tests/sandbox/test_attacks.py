"""Programs that attack their judge, its clock or its host; each on both kinds of isolation."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.sandbox import Call, Ending, Execution, Limits, LocalSandbox, Script
from workbench.sandbox.codec import decode
from workbench.sandbox.layer import Layer

LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=1024)
LEVELS = {"namespaces": (), "landlock": (Layer.NAMESPACES,)}


@pytest.fixture(scope="module", params=LEVELS)
def without(request: pytest.FixtureRequest) -> tuple[Layer, ...]:
    return LEVELS[request.param]


@pytest.fixture(scope="module")
def box(without: tuple[Layer, ...]) -> Iterator[LocalSandbox]:
    with LocalSandbox(without=without) as sandbox:
        yield sandbox


def run(box: LocalSandbox, source: str, limits: Limits = LIMITS) -> Execution:
    (execution,) = box.run([Script(source=source)], limits)
    return execution


def still_works(box: LocalSandbox) -> bool:
    return run(box, "print(5)").stdout == b"5\n"


# Each is an expression or statement that must raise OSError.
REFUSED = {
    "fork": "os.fork()",
    "spawn": "subprocess.run(['/bin/true'])",
    "exec": "os.execv('/bin/true', ['true'])",
    "system": "if os.system('true') != 0: raise OSError",
    "inet socket": "socket.socket()",
    "datagram socket": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "unix socket": "socket.socket(socket.AF_UNIX)",
    "netlink socket": "socket.socket(socket.AF_NETLINK)",
    "vsock": "socket.socket(40)",
    "socket pair": "socket.socketpair()",
    "kill worker": "os.kill(os.getppid(), 9)",
    "kill process 1": "os.kill(1, signal.SIGINT)",
    "kill all": "os.kill(-1, 9)",
    "kill group": "os.kill(0, 9)",
    "queue signal": "call(129, os.getppid(), 9, 0)",
    "descriptor's owner": "fcntl.fcntl(2, fcntl.F_SETOWN, os.getppid())",
    "descriptor's signal": "fcntl.fcntl(2, 10, 9)",
    "thread signal": "call(234, os.getppid(), os.getppid(), 9)",
    "ptrace": "call(101, 16, os.getppid(), 0, 0)",
    "read memory": "call(310, os.getppid(), 0, 0, 0, 0, 0)",
    "memory file": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "environment": "open(f'/proc/{os.getppid()}/environ', 'rb').read(1)",
    "write root": "open('/planted', 'w')",
    "write tmp": "open('/tmp/planted', 'w')",
    "write site-packages": "open(os.path.join(os.path.dirname(np.__file__), 'planted'), 'w')",
    "remove": "os.unlink(np.__file__)",
    "change mode": "os.chmod('/tmp', 0o777)",
    "change times": "os.utime('/tmp')",
    "make directory": "os.mkdir('/tmp/planted')",
    "link": "os.symlink('/etc', '/tmp/planted')",
    "pipe file": "os.mkfifo('/tmp/planted')",
    "shared memory": "call(29, 0, 4096, 0o1777)",
    "message queue": "call(68, 0, 0o1777)",
    "memory file of its own": "os.memfd_create('x')",
    "io_uring": "call(425, 1, 0)",
    "keyring": "call(250, 0, -3, 0)",
    "bpf": "call(321, 0, 0, 0)",
    "userfaultfd": "call(323, 0)",
    "unshare": "call(272, 0x10000000)",
    "mount": "call(165, 0, 0, 0, 0, 0)",
    "setns": "call(308, 0, 0)",
    "chroot": "os.chroot('/tmp')",
    "x32 call": "call(0x40000000 | 39)",
    "affinity": "os.sched_setaffinity(0, [0])",
    "scheduler": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "nice": "os.setpriority(os.PRIO_PROCESS, 0, 5)",
    "limit of the worker": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))",
    "more CPU": "up(resource.RLIMIT_CPU)",
    "more memory": "up(resource.RLIMIT_AS)",
    "more output": "up(resource.RLIMIT_FSIZE)",
    "outlive the worker": "check(libc.prctl(1, 0))",
    "many files": "held = [open('/dev/null') for _ in range(1000)]",
    "sparse file": "os.ftruncate(1, 10**9)",
    "passwords": "open('/etc/shadow').read(1)",
}
PREFIX = """
import ctypes, fcntl, os, resource, signal, socket, subprocess, sys
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result == -1: raise OSError(ctypes.get_errno(), 'refused')
def call(*words): check(libc.syscall(*[ctypes.c_long(word) for word in words]))
def up(kind):
    try: resource.setrlimit(kind, (2**40, 2**40))
    except ValueError: raise OSError
try:
    {attempt}
except OSError:
    print('refused')
else:
    print('done')
"""


@pytest.mark.parametrize("attempt", REFUSED)
def test_what_a_program_has_no_business_with_is_refused(box: LocalSandbox, attempt: str) -> None:
    signal_on_excess = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n    "
    execution = run(box, PREFIX.format(attempt=signal_on_excess + REFUSED[attempt]))
    assert execution.stdout == b"refused\n", execution
    assert still_works(box)


def test_the_environment_holds_no_key(
    without: tuple[Layer, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "canary-4711")
    source = (
        "import os, glob\nfound = [str(os.environ)]\n"
        "for path in glob.glob('/proc/[0-9]*/*') + glob.glob('/proc/self/*'):\n"
        "    try: found.append(open(path, 'rb').read(10**5).decode('latin-1'))\n"
        "    except OSError: pass\nprint('canary' + '-4711' in ''.join(found))"
    )
    with LocalSandbox(without=without) as fresh:
        assert run(fresh, source).stdout == b"False\n"


def test_a_file_of_the_user_cannot_be_read(box: LocalSandbox, tmp_path: Path) -> None:
    secret = tmp_path / "expected.txt"
    secret.write_text("canary")
    secret.chmod(0o644)
    execution = run(box, f"print(open({str(secret)!r}).read())")
    assert execution.exit_code == 1
    assert "canary" not in execution.stdout.decode()


def test_only_the_standard_descriptors_and_the_result_are_open(box: LocalSandbox) -> None:
    source = (
        "import os\nopen_ones = []\nfor d in range(4096):\n"
        "    try: os.fstat(d); open_ones.append(d)\n    except OSError: pass\nprint(open_ones)"
    )
    assert run(box, source).stdout == b"[0, 1, 2, 3]\n"


def test_writing_to_every_descriptor_changes_nothing_but_ones_own_output(box: LocalSandbox) -> None:
    source = (
        "import os\nprint(5, flush=True)\nfor d in range(3, 1024):\n"
        "    try: os.write(d, b'V\"accepted\"')\n    except OSError: pass"
    )
    execution = run(box, source)
    assert (execution.stdout, execution.exit_code) == (b"5\n", 0)
    assert still_works(box)


def test_a_forged_value_is_judged_as_the_answer_that_it_is(box: LocalSandbox) -> None:
    source = "import os\ndef f():\n    os.write(3, b'V[[[')\n    os._exit(0)"
    (execution,) = box.run([Call(source=source, function="f")], LIMITS)
    assert execution.value == "[[["
    with pytest.raises(ValueError, match="Expecting"):
        decode(execution.value)


def test_another_programs_source_is_not_found_in_memory(box: LocalSandbox) -> None:
    winner = "MARK = 'ZEBRA-CROSSING-77'\n" + "\n".join(f"x{i} = {i}" for i in range(2000))
    assert run(box, winner).succeeded
    source = (
        "import gc, sys\n"
        "seen = repr([o for o in gc.get_objects() if isinstance(o, (dict, list, tuple))])\n"
        "frame = sys._getframe()\nwhile frame:\n    seen += repr(frame.f_locals)\n"
        "    frame = frame.f_back\n"
        "print(len(seen) > 10**4, 'zebra-crossing-77'.upper() in seen)"
    )
    assert run(box, source).stdout == b"True False\n"


def test_patched_clocks_do_not_change_the_time_that_is_reported(box: LocalSandbox) -> None:
    source = (
        "import time\nnow = time.process_time\n"
        "for name in ('time', 'perf_counter', 'process_time', 'monotonic', 'perf_counter_ns',\n"
        "  'monotonic_ns', 'thread_time_ns', 'thread_time'): setattr(time, name, lambda: 0)\n"
        "start = now()\nwhile now() < start + 0.2: pass"
    )
    assert 0.2 <= run(box, source).cpu_s < 0.3


def test_exiting_at_once_leaves_no_output_and_no_value(box: LocalSandbox) -> None:
    source = "import os\nprint(5)\nos._exit(0)\ndef f(): return 1"
    (script, call) = box.run([Script(source=source), Call(source=source, function="f")], LIMITS)
    assert (script.stdout, script.exit_code) == (b"", 0)
    assert (call.value, call.exit_code) == (None, 0)


def test_no_cache_survives_from_run_to_run(box: LocalSandbox) -> None:
    source = (
        "import sys, math\nprint(hasattr(math, 'planted'), 'planted' in sys.modules)\n"
        "math.planted = 1\nsys.modules['planted'] = math"
    )
    executions = box.run([Script(source=source)] * 3, LIMITS)
    assert [e.stdout for e in executions] == [b"False False\n"] * 3


def test_fork_bomb_and_thread_bomb_end_and_leave_nothing(box: LocalSandbox) -> None:
    forks = run(box, "import os\nwhile True: os.fork()")
    threads = run(
        box,
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(99,)).start()",
        Limits(cpu_s=1, wall_s=3, memory_mib=256),
    )
    assert (forks.exit_code, forks.cpu_s < 0.2) == (1, True)
    assert not threads.succeeded
    assert still_works(box)


def test_ignoring_signals_and_new_sessions_save_no_program(box: LocalSandbox) -> None:
    source = (
        "import os, signal, time\nfor s in range(1, 64):\n"
        "    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "time.sleep(100)"
    )
    execution = run(box, source, Limits(cpu_s=1, wall_s=0.3))
    assert execution.ending is Ending.WALL_LIMIT
    assert execution.signal == signal.SIGKILL
    assert still_works(box)


def test_no_process_of_any_run_is_left(box: LocalSandbox) -> None:
    assert still_works(box)
    before = descendants(os.getpid())
    run(
        box,
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(50,), daemon=True).start()",
    )
    run(box, "import os\nos.setsid()\nos.fork()")
    assert descendants(os.getpid()) == before


def descendants(root: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{root}/task").iterdir():
        for pid in map(int, (task / "children").read_text().split()):
            found += [pid, *descendants(pid)]
    return found
