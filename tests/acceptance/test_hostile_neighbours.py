"""A thousand programs judged twice: alone, and each beside a hostile one on the same worker.

The programs are HumanEval's solutions and mutants of them, and everything bundled with a task.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle, islice

import choose_mutants
import pytest

from workbench.evaluation import Evaluation, Evaluator
from workbench.programs import Program
from workbench.sandbox import Limits, LocalSandbox, Script
from workbench.tasks import Task, list_tasks

ENOUGH = 1000
MUTANTS_A_PROBLEM = 7
WORKERS = 2
BRIEF = Limits(cpu_s=0.2, wall_s=0.4, memory_mib=64, output_kib=256)

# What each would do to the run after it, if anything of it remained.
HOSTILE = [
    "import builtins\nbuiltins.len = builtins.print = builtins.range = lambda *a, **k: 0",
    "import sys\nsys.modules.clear()\nsys.path.clear()\nsys.setrecursionlimit(50)",
    "import json, math, random\njson.loads = math.sqrt = random.random = lambda *a: 7",
    "import sys\nsys.stdout = sys.stdin = sys.stderr = None",
    "import os\nfor d in range(64):\n    try: os.close(d)\n    except OSError: pass",
    "import os\nfor d in range(64):\n    try: os.write(d, b'V1')\n    except OSError: pass",
    "import os\nos._exit(0)",
    "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "import os\nfor pid in (1, -1, 0, os.getppid()):\n    try: os.kill(pid, 9)\n"
    "    except OSError: pass",
    "import os\nwhile True: os.fork()",
    "import ctypes\nctypes.string_at(0)",
    "import ctypes\nctypes.memset(id(None), 255, 4096)",
    "import ctypes\nctypes.memset(id(int) - 4096, 0, 16384)",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "import threading\nwhile True: threading.Thread(target=threading.Event().wait).start()",
    "x = []\nwhile True: x.append(bytearray(2**20))",
    "while True: print('x' * 10**5)",
    "import sys\nwhile True: sys.stderr.write('x' * 10**5)",
    "while True: pass",
    "import time\ntime.sleep(9)",
    "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.alarm(1)",
    "import resource\nfor k in range(16):\n    try: resource.setrlimit(k, (0, 0))\n"
    "    except (OSError, ValueError): pass",
    "import os\nfor p in ('/tmp/x', '/x', os.__file__):\n    try: open(p, 'w').write('x')\n"
    "    except OSError: pass",
    "import os, gc\nos.register_at_fork(before=lambda: 1 / 0)\ngc.set_threshold(1)",
    "import atexit, sys\natexit.register(lambda: sys.exit(3))",
    "def f(): f()\nimport sys\nsys.setrecursionlimit(10**9)\nf()",
    "(" * 100_000,
    "import decimal, os\ndecimal.getcontext().prec = 3\nos.environ['PYTHONHASHSEED'] = '9'",
    "import mmap\nm = mmap.mmap(3, 4096)\nm[:] = b'V' * 4096",
]


def programs() -> Iterator[tuple[Task, Program]]:
    """Every bundled program, every HumanEval solution, and its first mutants in source order."""
    for task in list_tasks("bundled"):
        yield from ((task, exhibit.program) for exhibit in task.exhibits)
    tasks = {task.name: replace(task, cpu_limit_s=1.0) for task in list_tasks("humaneval")}
    for problem in choose_mutants.problems():
        task = tasks[problem.name]
        yield task, task.start
        flips = choose_mutants.flips(problem, choose_mutants.neighbour)
        for flip in islice(flips, MUTANTS_A_PROBLEM):
            yield task, Program(flip.applied_to(problem.source))


def judged(evaluation: Evaluation) -> tuple[object, ...]:
    """All of an evaluation but its times."""
    cases = tuple((case.case_id, case.verdict) for case in evaluation.cases)
    return evaluation.verdict, evaluation.pass_rate, cases


@pytest.mark.slow
def test_a_hostile_program_before_each_changes_no_verdict() -> None:
    todo = list(dict.fromkeys(programs()))
    assert len(todo) >= ENOUGH
    hostile = cycle(HOSTILE)
    neighbours = [next(hostile) for _ in todo]

    def alone(share: int) -> list[tuple[object, ...]]:
        with LocalSandbox() as box:
            return [judged(Evaluator(box).evaluate(p, t)) for t, p in todo[share::WORKERS]]

    def beside(share: int) -> list[tuple[object, ...]]:
        found = []
        with LocalSandbox() as box:
            for (task, program), attack in zip(
                todo[share::WORKERS], neighbours[share::WORKERS], strict=True
            ):
                box.run([Script(source=attack)], BRIEF)
                found.append(judged(Evaluator(box).evaluate(program, task)))
        return found

    with ThreadPoolExecutor(WORKERS) as pool:
        quiet = list(pool.map(alone, range(WORKERS)))
        disturbed = list(pool.map(beside, range(WORKERS)))
    for share in range(WORKERS):
        for (task, program), before, after in zip(
            todo[share::WORKERS], quiet[share], disturbed[share], strict=True
        ):
            assert before == after, (task.name, program.source)
