"""The supervisor: what happens when workers break, run at once, get old, or lose their owner."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.errors import ConfigError, SandboxError
from workbench.sandbox import Call, Limits, LocalSandbox, Script, TrustLevel
from workbench.sandbox.layer import Layer

LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=256, output_kib=1024)
CHECKOUT = Path(__file__).parents[2]
ALL_LAYERS = [Layer.NAMESPACES, Layer.LANDLOCK, Layer.FILTER]


@pytest.fixture
def box() -> Iterator[LocalSandbox]:
    with LocalSandbox() as sandbox:
        yield sandbox


def echo(box: LocalSandbox, number: int) -> int:
    (execution,) = box.run([Script(source="print(input())", stdin=b"%d" % number)], LIMITS)
    return int(execution.stdout)


# Processes that other tests of the session keep: their sandbox, the driver of a browser.
STRANGERS: set[int] = set()


@pytest.fixture(autouse=True)
def strangers() -> None:
    STRANGERS.clear()
    STRANGERS.update(children(os.getpid()))


def children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return [child for child in found if child not in STRANGERS]


def family(pid: int) -> set[int]:
    return {pid}.union(*(family(child) for child in children(pid)))


def gone(pids: set[int], within_s: float = 5) -> bool:
    deadline = time.monotonic() + within_s
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_worker_that_is_killed_is_replaced_and_the_next_run_is_right(box: LocalSandbox) -> None:
    assert echo(box, 1) == 1
    before = family(os.getpid()) - {os.getpid()}
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert gone(before - set(children(os.getpid())))
    assert echo(box, 2) == 2


def test_a_worker_killed_while_it_runs_a_job_costs_a_second_attempt(box: LocalSandbox) -> None:
    assert echo(box, 1) == 1
    (worker,) = children(os.getpid())
    timer = threading.Timer(0.3, os.kill, (worker, signal.SIGKILL))
    timer.start()
    slow = Script(source="import time\ntime.sleep(0.6)\nprint(5)")
    executions = box.run([slow, slow], LIMITS)
    timer.join()
    assert [e.stdout for e in executions] == [b"5\n", b"5\n"]
    assert children(os.getpid()) != [worker]


def test_a_job_that_cannot_be_started_is_an_error_with_its_reason(box: LocalSandbox) -> None:
    job = Call(source="def f(): pass", function="f", arguments="not codec text")
    with pytest.raises(SandboxError, match="Expecting value"):
        box.run([job], LIMITS)
    assert echo(box, 3) == 3


def resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def descriptors(pid: int) -> int | None:
    """How many it has open; None where only root may see a worker's."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def states(pids: set[int]) -> set[str]:
    return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in pids}


@pytest.mark.slow
def test_ten_thousand_runs_leak_nothing_and_each_two_thousand_get_a_fresh_worker(
    box: LocalSandbox,
) -> None:
    """Half of them fail: by an error, at a limit, or killed."""
    jobs = [
        *[Script(source="print(1)")] * 5,
        Script(source="1 / 0"),
        Script(source="(" * 1000),
        Script(source="import os\nos.kill(os.getpid(), 9)"),
        Script(source="while True: print('x' * 1000)"),
        Script(source="import sys\nsys.stderr.write('x' * 10**5)\nsys.exit(3)"),
    ]
    batch = jobs * 50
    own, seen, grown = [], [], []
    for number in range(20):
        executions = box.run(batch, LIMITS)
        assert all(e.stdout == b"1\n" for e in executions if e.succeeded)
        assert sum(e.succeeded for e in executions) == len(batch) / 2
        started = family(os.getpid()) - {os.getpid()}
        worker = max(started)
        assert "Z" not in states(started)
        own.append((descriptors(os.getpid()), descriptors(worker), len(started)))
        if number % 4 == 0:
            seen.append(worker)
            grown.append(resident_mib(os.getpid()))
            first = resident_mib(worker)
        else:
            assert worker == seen[-1]
            assert resident_mib(worker) - first < 4
    assert len(set(own)) == 1, own
    assert len(set(seen)) == 5
    assert grown[-1] - grown[1] < 4, grown


@pytest.mark.slow
def test_a_worker_that_is_due_ends_before_a_batch_and_never_within_one(box: LocalSandbox) -> None:
    jobs = [Script(source="")] * 1999
    box.run(jobs, LIMITS)
    (first,) = children(os.getpid())
    echo(box, 1)
    assert children(os.getpid()) == [first]
    echo(box, 2)
    (second,) = children(os.getpid())
    assert second != first


def test_threads_share_the_pool_without_mixing_answers() -> None:
    with LocalSandbox(workers=2) as box:
        answers: dict[int, int] = {}
        threads = [
            threading.Thread(target=lambda n=n: answers.update({n: echo(box, n)}))  # type: ignore[misc]
            for n in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == {n: n for n in range(20)}
        assert len(children(os.getpid())) == 2


def test_two_workers_run_two_jobs_at_the_same_time() -> None:
    with LocalSandbox(workers=2) as box:
        nap = [Script(source="import time\ntime.sleep(0.5)")]
        threads = [threading.Thread(target=box.run, args=(nap, LIMITS)) for _ in range(2)]
        echo(box, 1)
        threading.Thread(target=box.run, args=(nap, LIMITS)).start()
        echo(box, 2)
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - start < 1.4


def test_a_batch_has_its_worker_to_itself() -> None:
    with LocalSandbox(workers=1) as box:
        order: list[str] = []
        naps = [Script(source="import time\ntime.sleep(0.1)")] * 3

        def batch(name: str) -> None:
            box.run(naps, LIMITS)
            order.append(name)

        first = threading.Thread(target=batch, args=("first",))
        first.start()
        time.sleep(0.05)
        batch("second")
        first.join()
        assert order == ["first", "second"]


def test_what_goes_apart_never_shares_a_worker_with_what_does_not(box: LocalSandbox) -> None:
    there = Call(source="import os\ndef f(): return os.getppid()", function="f", apart=True)
    here = Call(source=there.source, function="f")
    echo(box, 1)
    (first,) = children(os.getpid())
    box.run([there], LIMITS)
    (second,) = set(children(os.getpid())) - {first}
    box.run([there, there], LIMITS)
    box.run([here], LIMITS)
    assert set(children(os.getpid())) == {first, second}
    with pytest.raises(ConfigError, match="cannot share a batch"):
        box.run([here, there], LIMITS)


def test_a_worker_starts_only_when_it_is_needed() -> None:
    with LocalSandbox(workers=4) as box:
        assert children(os.getpid()) == []
        echo(box, 1)
        echo(box, 2)
        assert len(children(os.getpid())) == 1


def test_closing_ends_every_process_and_refuses_further_jobs() -> None:
    box = LocalSandbox(workers=2)
    echo(box, 1)
    started = family(os.getpid()) - {os.getpid()}
    assert started
    box.close()
    box.close()
    assert gone(started)
    with pytest.raises(SandboxError, match="closed"):
        echo(box, 2)


def test_closing_ends_also_a_job_at_work() -> None:
    box = LocalSandbox()
    echo(box, 1)
    failures: list[str] = []

    def wait() -> None:
        try:
            box.run([Script(source="import time\ntime.sleep(60)")], Limits(wall_s=100))
        except SandboxError as error:
            failures.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.3)
    started = family(os.getpid()) - {os.getpid()}
    box.close()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert failures
    assert gone(started)


@pytest.mark.parametrize("without", [[], [Layer.NAMESPACES]], ids=["namespaces", "landlock"])
@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "pass"])
def test_workers_die_with_the_process_that_started_them(end: str, without: list[Layer]) -> None:
    names = [layer.value for layer in without]
    source = f"""
import os, sys, threading, time
sys.path.insert(0, {str(CHECKOUT)!r})
from workbench.sandbox import Limits, LocalSandbox, Script
from workbench.sandbox.layer import Layer
box = LocalSandbox(without=[Layer(name) for name in {names}])
box.run([Script(source="")], Limits())
nap = Script(source="import time\\ntime.sleep(60)")
threading.Thread(target=box.run, args=([nap], Limits(wall_s=100)), daemon=True).start()
time.sleep(0.3)
print(os.getpid(), flush=True)
input()
{end}
"""
    with subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        started = family(int(owner.stdout.readline()))
        assert len(started) >= 3
        owner.stdin.write("\n")
        owner.stdin.close()
        owner.wait(timeout=20)
    assert gone(started)


def test_an_interrupt_from_the_keyboard_is_not_for_the_workers(box: LocalSandbox) -> None:
    assert echo(box, 1) == 1
    before = family(os.getpid())
    for pid in before - {os.getpid()}:
        os.kill(pid, signal.SIGINT)
    assert echo(box, 2) == 2
    assert family(os.getpid()) == before


def test_a_level_below_the_allowed_one_is_refused_with_the_way_to_accept_it() -> None:
    with LocalSandbox(without=ALL_LAYERS) as box, pytest.raises(SandboxError) as caught:
        box.run([], LIMITS)
    message = str(caught.value)
    assert "allow=TrustLevel.L0" in message
    assert TrustLevel.L0.still_possible in message
    assert "kernel.unprivileged_userns_clone" in message
    assert children(os.getpid()) == []


def test_the_lowest_level_works_when_it_is_asked_for_by_name() -> None:
    with LocalSandbox(allow=TrustLevel.L0, without=ALL_LAYERS) as box:
        assert box.trust is TrustLevel.L0
        (execution,) = box.run([Script(source="print(5)")], LIMITS)
    assert (execution.stdout, execution.trust) == (b"5\n", TrustLevel.L0)


def test_without_a_filter_what_a_program_leaves_running_is_ended() -> None:
    leave = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.fork()\n    time.sleep(60)"
    )
    for without in (ALL_LAYERS, [Layer.FILTER]):
        with LocalSandbox(allow=TrustLevel.L0, without=without) as box:
            box.run([Script(source="")], LIMITS)
            before = family(os.getpid())
            box.run([Script(source=leave)], LIMITS)
            assert family(os.getpid()) == before


def test_a_pool_of_no_workers_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match=r"sandbox\.workers must be at least 1, got 0"):
        LocalSandbox(workers=0)
