"""The filters, run by a small interpreter of their instruction set: no kernel needed."""

import errno
import struct

import pytest

from workbench.sandbox.worker.seccomp import OWN_ID, host_filter, program_filter

ALLOW = 0x7FFF0000
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PID = 4711


def decide(
    program: bytes, machine: str, number: int, *arguments: int, arch: int | None = None
) -> int:
    """0 if the call is allowed, else the error number."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, ARCH[machine] if arch is None else arch, 0, *words)
    steps = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x05:
            at += value
        elif code == 0x06:
            return 0 if value == ALLOW else value & 0xFFFF
        else:
            test = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: accumulator & value,
            }
            at += if_true if test[code] else if_false


# name: (number on x86_64, number on aarch64), from the kernel's tables
HARMLESS = {
    "read": (0, 63), "write": (1, 64), "mmap": (9, 222), "futex": (202, 98), "openat": (257, 56),
    "exit_group": (231, 94), "clock_gettime": (228, 113), "getrandom": (318, 278),
    "rt_sigaction": (13, 134), "wait4": (61, 260), "close_range": (436, 436),
}  # fmt: skip
DENIED = {
    "execve": (59, 221), "socket": (41, 198), "ptrace": (101, 117), "mount": (165, 40),
    "unshare": (272, 97), "bpf": (321, 280), "keyctl": (250, 219), "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434), "sched_setaffinity": (203, 122), "setpriority": (141, 140),
    "process_vm_readv": (310, 270), "shmget": (29, 194), "userfaultfd": (323, 282),
    "setns": (308, 268), "tkill": (200, 130), "rt_tgsigqueueinfo": (297, 240),
}  # fmt: skip


def own_filter(machine: str) -> bytes:
    """The program's filter with the id of its process filled in."""
    return program_filter(machine).replace(OWN_ID, struct.pack("=I", PID))


@pytest.mark.parametrize("machine", ARCH)
def test_computing_is_allowed(machine: str) -> None:
    column = list(ARCH).index(machine)
    for name, numbers in HARMLESS.items():
        for program in (host_filter(machine), own_filter(machine)):
            assert decide(program, machine, numbers[column]) == 0, name


@pytest.mark.parametrize("machine", ARCH)
def test_what_reaches_beyond_the_process_is_denied(machine: str) -> None:
    column = list(ARCH).index(machine)
    for name, numbers in DENIED.items():
        filters = (host_filter(machine), own_filter(machine))
        answers = [decide(program, machine, numbers[column]) for program in filters]
        assert errno.EPERM in answers, name


@pytest.mark.parametrize(("machine", "clone"), [("x86_64", 56), ("aarch64", 220)])
def test_threads_may_start_and_processes_may_not(machine: str, clone: int) -> None:
    program = own_filter(machine)
    assert decide(program, machine, clone, 0x3D0F00) == 0
    assert decide(program, machine, clone, 17) == errno.EPERM
    assert decide(program, machine, 435) == errno.ENOSYS


@pytest.mark.parametrize(
    ("machine", "kill", "tgkill", "prlimit"), [("x86_64", 62, 234, 302), ("aarch64", 129, 131, 261)]
)
def test_a_program_may_signal_and_limit_itself_only(
    machine: str, kill: int, tgkill: int, prlimit: int
) -> None:
    program = own_filter(machine)
    for number in (kill, tgkill, prlimit):
        assert decide(program, machine, number, PID) == 0
        assert decide(program, machine, number, 1) == errno.EPERM
        assert decide(program, machine, number, 0xFFFFFFFF) == errno.EPERM
    assert decide(program, machine, kill, 0) == errno.EPERM, "0 means the whole group"
    assert decide(program, machine, prlimit, 0) == 0, "0 means itself"


@pytest.mark.parametrize(("machine", "prctl"), [("x86_64", 157), ("aarch64", 167)])
def test_a_program_may_name_itself_but_not_outlive_its_parent(machine: str, prctl: int) -> None:
    program = own_filter(machine)
    for option in (1, 4, 35, 36):
        assert decide(program, machine, prctl, option) == errno.EPERM
    assert decide(program, machine, prctl, 15) == 0


@pytest.mark.parametrize(("machine", "fcntl"), [("x86_64", 72), ("aarch64", 25)])
def test_a_descriptor_cannot_be_made_to_signal_another_process(machine: str, fcntl: int) -> None:
    program = host_filter(machine)
    for command in (8, 10, 15):
        assert decide(program, machine, fcntl, 2, command) == errno.EPERM
    for command in (0, 1, 2, 3, 4, 1030):
        assert decide(program, machine, fcntl, 2, command) == 0


def test_foreign_calling_conventions_are_refused() -> None:
    for program in (host_filter("x86_64"), own_filter("x86_64")):
        assert decide(program, "x86_64", 1, arch=0x40000003) == errno.ENOSYS, "32-bit"
        assert decide(program, "x86_64", 0x40000001) == errno.ENOSYS, "x32"


def test_a_machine_without_a_table_is_named() -> None:
    with pytest.raises(OSError, match="riscv64"):
        host_filter("riscv64")
