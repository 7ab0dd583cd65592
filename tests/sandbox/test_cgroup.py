"""Control groups: where one can be made, and that it lives and dies with its worker."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.sandbox import Limits, LocalSandbox, Script, TrustLevel, survey
from workbench.sandbox.layer import Layer
from workbench.sandbox.worker.cgroup import VERSION_1, VERSION_2, places

CHECKOUT = Path(__file__).parents[2]
LIMITS = Limits(cpu_s=2, wall_s=6, memory_mib=64)
# Lines as cgroups(7) and systemd's documentation of delegation describe them.
BOTH_MOUNTED = """\
tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
"""
IN_A_SCOPE = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u7.scope\n"


def unified(root: Path, handed_down: str) -> str:
    folder = root / "user.slice/user-1000.slice/user@1000.service/app.slice"
    folder.mkdir(parents=True)
    (folder / "cgroup.subtree_control").write_text(f"{handed_down}\n")
    return f"proc /proc proc rw 0 0\ncgroup2 {root} cgroup2 rw,nsdelegate 0 0\n"


def test_in_version_1_the_group_is_made_below_ones_own_of_each_controller() -> None:
    own = "8:pids:/user\n4:memory:/system.slice/cron.service\n1:cpu,cpuacct:/\n0::/\n"
    version, memory, tasks = places(own, BOTH_MOUNTED)
    assert version is VERSION_1
    assert memory == Path("/sys/fs/cgroup/memory/system.slice/cron.service")
    assert tasks == Path("/sys/fs/cgroup/pids/user")


def test_in_version_2_the_group_is_made_beside_ones_own(tmp_path: Path) -> None:
    version, memory, tasks = places(IN_A_SCOPE, unified(tmp_path, "cpu memory pids"))
    assert version is VERSION_2
    assert memory == tasks
    assert memory == tmp_path / "user.slice/user-1000.slice/user@1000.service/app.slice"


@pytest.mark.parametrize(
    ("handed_down", "reason"), [("cpu pids", "hands down cpu pids"), ("", "hands down nothing")]
)
def test_a_place_that_counts_no_memory_is_named(
    tmp_path: Path, handed_down: str, reason: str
) -> None:
    with pytest.raises(OSError, match=reason):
        places(IN_A_SCOPE, unified(tmp_path, handed_down))


def test_the_root_of_all_groups_is_nobodys_to_divide(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nothing is delegated"):
        places("0::/\n", unified(tmp_path, "memory pids"))


def test_a_host_without_groups_is_told_so() -> None:
    with pytest.raises(OSError, match="no control groups are mounted"):
        places("", "proc /proc proc rw 0 0\n")


def ours() -> set[Path]:
    own, mounts = (Path(f"/proc/self/{name}").read_text() for name in ("cgroup", "mounts"))
    _, memory, tasks = places(own, mounts)
    return {group for place in (memory, tasks) for group in place.glob("workbench-*")}


@pytest.fixture
def grouped() -> None:
    reason = survey().failures.get(Layer.CGROUP)
    if reason is not None:
        pytest.skip(f"this host affords no control group: {reason}")


@pytest.mark.usefixtures("grouped")
def test_a_group_goes_with_its_worker() -> None:
    before = ours()
    with LocalSandbox() as box:
        assert box.trust is TrustLevel.L3
        assert ours() > before
        box.run([Script(source="")], LIMITS)
    assert ours() == before


@pytest.mark.usefixtures("grouped")
def test_a_group_goes_when_the_owner_is_killed_and_leftovers_of_the_worker_are_swept() -> None:
    before = ours()
    source = (
        f"import sys\nsys.path.insert(0, {str(CHECKOUT)!r})\n"
        "from workbench.sandbox import Limits, LocalSandbox, Script\n"
        "box = LocalSandbox()\nbox.run([Script(source='')], Limits())\n"
        "print(1, flush=True)\ninput()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"1\n"
        assert ours() > before
        (waiting,) = map(
            int, Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split()
        )
        os.kill(waiting, signal.SIGKILL)  # who would have removed the group
        owner.kill()
        owner.wait()
    assert ours() > before
    deadline = time.monotonic() + 5
    while Path(f"/proc/{waiting}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    survey()
    assert ours() == before


@pytest.mark.usefixtures("grouped")
def test_memory_that_is_touched_counts_and_memory_that_is_not_does_not() -> None:
    reserved = "import mmap\nm = mmap.mmap(-1, 2**31)\nprint(len(m))"
    touched = "x = bytearray(b'1') * 2**28"
    with LocalSandbox() as box:
        first, second, third = box.run(
            [Script(source=reserved), Script(source=touched), Script(source="print(5)")], LIMITS
        )
    assert first.stdout == b"%d\n" % 2**31
    assert (second.ending.value, second.signal) == ("memory_limit", signal.SIGKILL)
    assert third.stdout == b"5\n"


@pytest.mark.usefixtures("grouped")
def test_the_kernel_ends_the_program_and_never_the_worker() -> None:
    hog = Script(source="x = []\nwhile True: x.append(bytearray(b'1') * 2**20)")
    tiny = Limits(cpu_s=5, wall_s=20, memory_mib=2, output_kib=1)
    with LocalSandbox() as box:
        box.run([hog], tiny)
        executions = box.run([hog, Script(source="print(5)")] * 10, tiny)
        assert {e.ending.value for e in executions[::2]} == {"memory_limit"}
        assert {e.stdout for e in executions[1::2]} == {b"5\n"}
