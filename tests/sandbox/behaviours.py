"""What honest, faulty and hostile programs do, and what each must be judged, at every level.

Every record is one program. Unless it says otherwise the answer asked for is "5".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workbench.evaluation import Verdict
from workbench.sandbox import Limits

AC, WA, RE, CE = (
    Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.COMPILE_ERROR,
)  # fmt: skip
TLE, MLE, OLE = Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT

# Put into the supervisor's environment, its memory, a file and what is expected: never found.
CANARY = "canary-" + "4711"
_NEEDLE = "'-'.join(['canary', '4711'])"

USUAL = Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=1024)
# For programs that end at a limit of time, and for those that fill memory: a virtual machine
# takes 30 microseconds to touch a page that it has not used before.
BRIEF = Limits(cpu_s=0.2, wall_s=0.5, memory_mib=256, output_kib=1024)
HOARD = Limits(cpu_s=3, wall_s=6, memory_mib=64, output_kib=1024)
LARGE = Limits(cpu_s=3, wall_s=8, memory_mib=512, output_kib=1024)

NOT_SHIELDED = "level 0 does not prevent it"


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """One program and what is to be seen of it.

    Attributes:
        number: where it stands in the list.
        name: what it does.
        source: the program.
        verdict: what it must be judged.
        elsewhere: other verdicts at some levels, by the level's name.
        unsafe: why it is not run at some levels, by the level's name.
        function: the function to call, for programs that are modules.
        stdin: its input.
        expected: the answer asked for.
        limits: bounds on it.
        cpu_s: least and most CPU seconds that must be counted.
        runs: how often it runs, one run after the other, with the same output each time.
    """

    number: int
    name: str
    source: str
    verdict: Verdict
    elsewhere: Mapping[str, Verdict] = field(default_factory=dict)
    unsafe: Mapping[str, str] = field(default_factory=dict)
    function: str | None = None
    stdin: bytes = b""
    expected: str = "5\n"
    limits: Limits = USUAL
    cpu_s: tuple[float, float] = (0.0, 10.0)
    runs: int = 1

    def at(self, level: str) -> Verdict:
        """What it must be judged at a level."""
        return self.elsewhere.get(level, self.verdict)


def _some(*rows: tuple[object, ...], **shared: object) -> Iterator[Behaviour]:
    """Records from (number, name, source, verdict, other fields)."""
    for number, name, source, verdict, *rest in rows:
        own = dict(rest[0]) if rest else {}  # type: ignore[call-overload]
        fields = {"number": number, "name": name, "source": source, "verdict": verdict}
        yield Behaviour(**{**fields, **shared, **own})


_SUM = "print(sum(map(int, {}.split())))"
HONEST = _some(
    (1, "reads with input()", _SUM.format("input()"), AC),
    (2, "reads the binary buffer", f"import sys\n{_SUM.format('sys.stdin.buffer.read()')}", AC),
    (3, "opens descriptor 0", _SUM.format("open(0).read()"), AC),
    (4, "reads with os.read", f"import os\n{_SUM.format('os.read(0, 99)')}", AC),
    (5, "iterates over lines", f"import sys\nfor line in sys.stdin: {_SUM.format('line')}", AC),
    (6, "reads with numpy", "import sys, numpy as np\nprint(int(np.loadtxt(sys.stdin).sum()))", AC),
    (7, "ends without a line break", "print(5, end='')", AC),
    (8, "ends lines with CRLF", "print(5, end='\\r\\n')", AC),
    (9, "prints at exit", "import atexit\natexit.register(lambda: print(5))", AC),
    (10, "prints from a thread after its main part", "import threading, time\n"
     "threading.Thread(target=lambda: (time.sleep(0.05), print(5))).start()", AC),
    (11, "calls sys.exit(0)", "import sys\nprint(5)\nsys.exit(0)", AC),
    (12, "calls exit()", "print(5)\nexit()", AC),
    (13, "recurses 100,000 deep", "import sys\nsys.setrecursionlimit(300000)\n"
     "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(100000) // 20000)", AC),
    (14, "recurses in a thread of 128 MiB stack", "import sys, threading\n"
     "sys.setrecursionlimit(10**6)\nthreading.stack_size(128 * 2**20)\n"
     "def f(n): return 0 if n == 0 else 1 + f(n - 1)\n"
     "t = threading.Thread(target=lambda: print(f(50000) // 10000))\nt.start()\nt.join()", AC),
    (15, "prints an integer of 5,000 digits", "print(10**4999)", AC,
     {"expected": "1" + "0" * 4999}),
    (16, "reserves 3 GiB and touches none of it", "import numpy as np\nx = np.empty(3 * 2**27)\n"
     "print(5)", MLE, {"elsewhere": {"L3": AC}}),
    (17, "catches MemoryError and answers", "try: x = bytearray(2**40)\n"
     "except MemoryError: print(5)", AC),
    (18, "floods standard error and answers", "import sys\n"
     "for _ in range(5000): sys.stderr.write('x' * 999)\nprint(5)", AC),
    (19, "prints beyond ASCII", "print('é 素数 🙂')", AC, {"expected": "é 素数 🙂"}),
    (20, "computes in a pool of threads", "from concurrent.futures import ThreadPoolExecutor\n"
     "with ThreadPoolExecutor(4) as e: print(sum(e.map(int, '11111')))", AC),
    (21, "leaves a list of five million", "x = list(range(5 * 10**6))\nprint(5)", AC,
     {"limits": LARGE}),
    stdin=b"2 3\n",
)  # fmt: skip
FAULTY = _some(
    (22, "is no Python", "print(5", CE),
    (23, "uses an unknown name", "print(5)\nfoo", RE),
    (24, "reads past the end", "input()\ninput()", RE, {"stdin": b"5\n"}),
    (25, "exits with 3 after the right answer", "print(5)\nexit(3)", RE),
    (26, "exits with a message", "print(5)\nraise SystemExit('done')", RE),
    (27, "prints a lone surrogate", "print('\\ud800')", RE),
    (28, "prints what is not UTF-8", "import os\nos.write(1, b'5\\xff')", WA),
    (28, "prints NUL", "print('5\\0')", WA),
    (29, "joins two words", "print('ab')", WA, {"expected": "a b"}),
    (30, "forgets the last word", "print('a b')", WA, {"expected": "a b c"}),
    (31, "adds a word", "print('a b c')", WA, {"expected": "a b"}),
    (32, "prompts for its input", "x = input('number: ')\nprint(5)", WA, {"stdin": b"5\n"}),
    (33, "prints into a buffer of its own", "import io, sys\nsys.stdout = io.StringIO()\n"
     "print(5)", WA),
    (34, "sends its output elsewhere", "import os\nos.dup2(2, 1)\nprint(5)", WA),
    (35, "closes its streams", "import os\nos.closerange(0, 3)", WA),
    (36, "is empty", "", WA),
    (37, "follows a null pointer", "import ctypes\nctypes.string_at(0)", RE),
    (38, "aborts", "import os\nprint(5, flush=True)\nos.abort()", RE),
    (39, "recurses without end", "def f(): f()\nf()", RE),
    (39, "recurses without end or limit", "import sys\nsys.setrecursionlimit(10**9)\n"
     "def f(): f()\nf()", MLE, {"limits": HOARD}),
    (40, "prints a list 100,000 deep", "x = []\nfor _ in range(10**5): x = [x]\nprint(x)", RE),
    (41, "imports what is not there", "import no_such_module", RE),
    (42, "starts a process", "import subprocess\nprint(subprocess.run(['/bin/echo', '5'],\n"
     "    capture_output=True, text=True, check=True).stdout)", RE, {"elsewhere": {"L0": AC}}),
    (42, "starts a process of multiprocessing", "import multiprocessing as m\n"
     "p = m.get_context('fork').Process(target=lambda: None)\np.start()\np.join()\nprint(5)", RE,
     {"elsewhere": {"L0": AC}}),
)  # fmt: skip
LIMITED = _some(
    (43, "computes for ever", "while True: pass", TLE, {"limits": BRIEF}),
    (44, "computes for ever, deaf to signals", "import signal\nfor s in range(1, 64):\n"
     "    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
     "while True: pass", TLE, {"limits": BRIEF}),
    (45, "sleeps", "import time\ntime.sleep(99)", TLE, {"limits": BRIEF}),
    (46, "stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", TLE,
     {"limits": BRIEF}),
    (47, "waits for a lock", "import threading\nx = threading.Lock()\nx.acquire()\nx.acquire()",
     TLE, {"limits": BRIEF}),
    (48, "hoards", "x = []\nwhile True: x.append(bytearray(b'1') * 2**20)", MLE,
     {"limits": HOARD}),
    (49, "hoards with numpy", "import numpy as np\nx = np.ones(3 * 2**27)", MLE,
     {"limits": HOARD}),
    (50, "hoards slowly", "import time\nx = []\nwhile True:\n    time.sleep(0.001)\n"
     "    x.append(bytearray(b'1') * 2**20)", MLE, {"limits": HOARD}),
    (51, "prints for ever", "while True: print('x' * 999)", OLE),
    (51, "floods standard error for ever", "import sys\nwhile True: sys.stderr.write('x' * 10**5)",
     TLE, {"limits": BRIEF}),
    (51, "floods standard error from four threads", "import os, threading\ndef flood():\n"
     "    while True: os.write(2, b'x' * 10**5)\n"
     "for _ in range(4): threading.Thread(target=flood).start()", TLE, {"limits": BRIEF}),
    (52, "prints 100 MB at once", "import sys\nsys.stdout.write('x' * 10**8)", OLE,
     {"limits": LARGE}),
    (53, "starts threads for ever", "import threading\n"
     "while True: threading.Thread(target=threading.Event().wait, daemon=True).start()", RE),
    (54, "forks for ever", "import os\nwhile True: os.fork()", RE,
     {"unsafe": {"L0": NOT_SHIELDED}}),
    (55, "makes zombies", "import os\nfor _ in range(20):\n    if os.fork() == 0: os._exit(0)\n"
     "print(5)", RE, {"elsewhere": {"L0": AC}}),
    (56, "opens a million files", "x = [open('/dev/null') for _ in range(10**6)]", RE),
    (57, "makes a sparse file", "import os, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
     "os.ftruncate(1, 10**9)", RE),
    (58, "computes for ever in C", "pow(9, 9**9)", TLE, {"limits": BRIEF}),
    (59, "backtracks", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", TLE, {"limits": BRIEF}),
)  # fmt: skip
ON_THE_VERDICT = _some(
    (60, "leaves by the back door", "import os\nos._exit(0)", WA),
    (61, "forges a verdict in its output", "print('{\"verdict\": \"accepted\", \"passed\": true}')",
     WA),
    (62, "writes to every descriptor", "import os\nfor d in range(3, 1024):\n"
     "    try: os.write(d, b'V5')\n    except OSError: pass", WA),
    (63, "returns what equals everything", "class E:\n    def __eq__(self, other): return True\n"
     "def f(): return E()", RE, {"function": "f", "expected": "5"}),
    (64, "returns a text that equals everything", "class S(str):\n"
     "    def __eq__(self, other): return True\n    __hash__ = str.__hash__\n"
     "def f(): return S('x')", WA, {"function": "f", "expected": '"5"'}),
    (65, "replaces what prints and encodes", "import builtins, json, sys\n"
     "json.dumps = builtins.print = sys.stdout.write = lambda *a, **k: '5'\nprint(6)", WA),
    (66, "prints all that it can reach", "import gc, sys\n"
     "frame = sys._getframe()\nwhile frame:\n    print(frame.f_locals)\n"
     "    frame = frame.f_back\nprint(repr(gc.get_objects())[:10**5])", WA,
     {"expected": f"{CANARY}\n"}),
    (67, "searches its memory for what is expected", "needle = " + _NEEDLE + ".encode()\n"
     "found = 0\ntry:\n"
     "    with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:\n"
     "        for line in maps.read().splitlines():\n"
     "            low, high = (int(end, 16) for end in line.split()[0].split('-'))\n"
     "            if line.split()[1][0] != 'r' or '[v' in line: continue\n"
     "            for at in range(low, high, 2**20):\n                memory.seek(at)\n"
     "                found += memory.read(min(2**20, high - at)).count(needle)\n"
     "except PermissionError: found = 1\n"
     "print('nothing' if found == 1 else needle.decode())\n", AC, {"expected": "nothing"}),
    (68, "reads other processes' environments", "import glob\nfound = b''\n"
     "for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):\n"
     "    try: found += open(path, 'rb').read()\n    except OSError: pass\n"
     f"print({_NEEDLE} if {_NEEDLE}.encode() in found else 5)", AC,
     {"unsafe": {"L0": NOT_SHIELDED}}),
    (69, "looks for tests on disk", "import glob\ntext = ''\n"
     "for path in glob.glob('/tmp/pytest-of-*/**/answers.txt', recursive=True):\n"
     "    try: text += open(path).read()\n    except OSError: pass\n"
     f"print({_NEEDLE} if {_NEEDLE} in text else 5)", AC, {"unsafe": {"L0": NOT_SHIELDED}}),
    (70, "prints all plausible answers", "for x in range(10): print(x)", WA),
    (71, "knows the samples by heart", "print({'1': 1}.get(input(), 0))", WA, {"stdin": b"5\n"}),
)  # fmt: skip
_WORK = "import time\nt = time.thread_time()\nwhile time.thread_time() < t + 0.2: pass\n"
ON_THE_CLOCK = _some(
    (72, "replaces the clocks", "import time\nnow = time.process_time\n"
     "for name in dir(time):\n    if 'time' in name or 'counter' in name or 'mono' in name:\n"
     "        setattr(time, name, lambda *a: 0)\nt = now()\nwhile now() < t + 0.2: pass\nprint(5)",
     AC, {"cpu_s": (0.2, 0.3)}),
    (73, "works in a process of its own", "import os\nif os.fork() == 0:\n    while True: pass\n"
     "print(5)", RE, {"elsewhere": {"L0": AC}}),
    (74, "keeps its answer for the next run", "import math, os, sys\nkept = hasattr(math, 'kept')\n"
     "for path in ('/tmp/kept', '/dev/shm/kept', '/kept'):\n    kept |= os.path.exists(path)\n"
     "    try: open(path, 'w').close()\n    except OSError: pass\n"
     "math.kept = sys.modules['kept'] = math\nprint(4 if kept else 5)", AC,
     {"runs": 3, "unsafe": {"L0": NOT_SHIELDED}}),
    (75, "works in a thread", "import threading\ndef work():\n    exec(WORK)\n"
     f"WORK = {_WORK!r}\nt = threading.Thread(target=work)\nt.start()\nt.join()\nprint(5)", AC,
     {"cpu_s": (0.2, 0.3)}),
    (76, "works at exit", f"import atexit\nprint(5)\natexit.register(lambda: exec({_WORK!r}))", AC,
     {"cpu_s": (0.2, 0.3)}),
    (77, "prints first and works later", f"print(5, flush=True)\n{_WORK}", AC,
     {"cpu_s": (0.2, 0.3)}),
    (78, "sleeps", "import time\ntime.sleep(0.2)\nprint(5)", AC, {"cpu_s": (0.0, 0.05)}),
    (79, "tells a first run from a timed one", "import os, sys\ndef is_open(d):\n"
     "    try: return bool(os.fstat(d))\n    except OSError: return False\n"
     "print(sorted(os.environ.items()), sys.argv, os.getcwd(), sorted(sys.modules),\n"
     "    list(filter(is_open, range(64))))", WA, {"runs": 4}),
    (80, "raises its limits", "import os, resource\ndone = []\n"
     "for kind in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):\n"
     "    try: resource.setrlimit(kind, (2**40, 2**40))\n"
     "    except (OSError, ValueError): done.append(kind)\n"
     "for act in (lambda: os.nice(-5), lambda: os.sched_setaffinity(0, [0, 1])):\n"
     "    try: act()\n    except OSError: done.append(act)\nprint(len(done))", AC,
     {"unsafe": {"L0": NOT_SHIELDED}}),
)  # fmt: skip

# Each must be refused as not permitted or not there. What the kernel says of a malformed call
# (EFAULT, EINVAL, ...) is no refusal: without any layer it would say the same.
_REFUSED = (
    (54, "fork", "os.fork()"),
    (42, "exec", "os.execv('/bin/true', ['true'])"),
    (42, "system", "if os.system('true') != 0: raise PermissionError(1, 'refused')"),
    (81, "kill the worker", "os.kill(os.getppid(), 9)"),
    (81, "kill process 1", "os.kill(1, signal.SIGINT)"),
    (81, "kill everything", "os.kill(-1, 9)"),
    (81, "kill the group", "os.kill(0, 9)"),
    (81, "kill a thread", "call(234, os.getppid(), os.getppid(), 9)"),
    (81, "queue a signal", "call(129, os.getppid(), 9, 0)"),
    (81, "have a descriptor send signals", "fcntl.fcntl(2, fcntl.F_SETOWN, os.getppid())"),
    (81, "choose the signal that it sends", "fcntl.fcntl(2, 10, 9)"),
    (81, "limit the worker", "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0))"),
    (82, "trace the worker", "call(101, 16, os.getppid(), 0, 0)"),
    (82, "read the worker's memory", "call(310, os.getppid(), 0, 0, 0, 0, 0)"),
    (82, "open the worker's memory", "open(f'/proc/{os.getppid()}/mem', 'rb')"),
    (82, "open the worker's environment", "open(f'/proc/{os.getppid()}/environ', 'rb').read(1)"),
    (83, "write to the root", "open('/planted', 'w')"),
    (83, "write to /tmp", "open('/tmp/planted', 'w')"),
    (83, "write to site-packages", "open(os.path.dirname(np.__file__) + '/planted', 'w')"),
    (83, "remove a library", "os.unlink(np.__file__)"),
    (83, "change a mode", "os.chmod('/tmp', 0o777)"),
    (83, "change times", "os.utime('/tmp')"),
    (83, "make a directory", "os.mkdir('/tmp/planted')"),
    (83, "make a link", "os.symlink('/etc', '/tmp/planted')"),
    (83, "make a pipe", "os.mkfifo('/tmp/planted')"),
    (83, "read passwords", "open('/etc/shadow').read(1)"),
    (84, "plant a module for later runs", "open(os.path.dirname(os.__file__) + '/sitecustomize.py',"
     " 'w')"),
    (85, "internet socket", "socket.socket()"),
    (85, "datagram socket", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    (85, "unix socket", "socket.socket(socket.AF_UNIX)"),
    (85, "netlink socket", "socket.socket(socket.AF_NETLINK)"),
    (85, "vsock", "socket.socket(40)"),
    (85, "pair of sockets", "socket.socketpair()"),
    (86, "io_uring", "call(425, 1, 0)"),
    (86, "keyring", "call(250, 0, -3, 0)"),
    (86, "bpf", "call(321, 0, 0, 0)"),
    (86, "userfaultfd", "call(323, 0)"),
    (87, "shared memory", "call(29, 0, 4096, 0o1777)"),
    (87, "message queue", "call(68, 0, 0o1777)"),
    (87, "semaphore", "call(64, 0, 1, 0o1777)"),
    (88, "unshare", "call(272, 0x10000000)"),
    (88, "mount", "call(165, 0, 0, 0, 0, 0)"),
    (88, "setns", "call(308, 0, 0)"),
    (88, "chroot", "os.chroot('/tmp')"),
    (89, "call of the x32 convention", "call(0x40000000 | 39)"),
    (91, "file in memory", "os.memfd_create('x')"),
    (91, "file in shared memory", "open('/dev/shm/planted', 'w')"),
    (80, "affinity", "os.sched_setaffinity(0, [0])"),
    (80, "scheduler", "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"),
    (80, "priority", "os.setpriority(os.PRIO_PROCESS, 0, 5)"),
    (90, "outlive the worker", "check(libc.prctl(1, 0))"),
)  # fmt: skip
_ATTEMPT = """
import ctypes, errno, fcntl, os, resource, signal, socket, sys
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result == -1: raise OSError(ctypes.get_errno(), 'refused')
def call(*words): check(libc.syscall(*[ctypes.c_long(word) for word in words]))
try:
    {}
except OSError as error:
    refusals = (errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT, errno.ENOSYS)
    print('refused' if error.errno in refusals else error)
"""
ON_THE_HOST = (
    *_some(
        *((number, name, _ATTEMPT.format(attempt), AC) for number, name, attempt in _REFUSED),
        expected="refused",
        unsafe={"L0": NOT_SHIELDED},
    ),
    *_some(
        (90, "leaves a daemon", "import os, time\nprint(5, flush=True)\nif os.fork() == 0:\n"
         "    os.setsid()\n    if os.fork() == 0: time.sleep(99)", RE,
         {"elsewhere": {"L0": AC}}),
        (92, "dumps core", "import resource\n"
         "print(5 if resource.getrlimit(resource.RLIMIT_CORE) == (0, 0) else 4)", AC),
        (93, "answers with ten million digits", "print('7' * 10**7)", WA,
         {"limits": Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=16_384)}),
        (93, "answers with a value 100,000 deep", "import os\ndef f():\n"
         "    os.write(3, b'V' + b'[' * 10**5)\n    os._exit(0)", WA,
         {"function": "f", "expected": "5"}),
        (94, "nests beyond the compiler", "(" * 10**5, CE),
        (94, "negates beyond the compiler", "x = " + "-" * 10**5 + "1", CE),
        (95, "is killed for its memory, alone", "x = []\n"
         "while True: x.append(bytearray(b'1') * 2**20)", MLE, {"limits": HOARD, "runs": 2}),
    ),
)  # fmt: skip
ALL = (*HONEST, *FAULTY, *LIMITED, *ON_THE_VERDICT, *ON_THE_CLOCK, *ON_THE_HOST)
