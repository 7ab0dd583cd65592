"""The system-call filter, assembled here so that nothing has to be installed.

A program keeps what computing needs: memory, threads, files that are open or readable, clocks.
It loses new processes, exec, sockets, signals to others, debugging, mounts, shared memory that
outlives it, changes to file metadata, scheduling, and the interfaces that walk round a filter.
"""

import errno
import struct

_LOAD, _RETURN = 0x20, 0x06
_JUMP, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT = 0x05, 0x15, 0x35, 0x45
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARGUMENTS = 0, 4, 16
_CLONE_THREAD = 0x00010000
_X32_BIT = 0x40000000
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_DENIED_PRCTL = (1, 4, 35, 36)  # parent-death signal, dumpable, memory map, subreaper
_DENIED_FCNTL = (8, 10, 15)  # owner, signal, owner: a descriptor would send signals to anybody

# Numbers on x86_64 and aarch64; None where the call does not exist. From 424 on they agree.
_DENIED = {
    "execve": (59, 221), "execveat": (322, 281), "socket": (41, 198),
    "socketpair": (53, 199), "ptrace": (101, 117), "tkill": (200, 130),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "userfaultfd": (323, 282), "perf_event_open": (298, 241), "unshare": (272, 97),
    "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "personality": (135, 92),
    "truncate": (76, 45), "chmod": (90, None), "fchmod": (91, 52),
    "fchmodat": (268, 53), "chown": (92, None), "lchown": (94, None), "fchown": (93, 55),
    "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "syslog": (103, 116), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "acct": (163, 89), "quotactl": (179, 60), "iopl": (172, None),
    "ioperm": (173, None), "modify_ldt": (154, None), "open_by_handle_at": (304, 265),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162),
    "fanotify_init": (300, 262), "move_pages": (279, 239), "migrate_pages": (256, 238),
}  # fmt: skip
_DENIED_EVERYWHERE = (
    *range(424, 435),  # signals by pidfd, io_uring, the new mount interface, pidfd_open
    438, 440, 442, 443,  # descriptors and memory of others, mount attributes, quotas
    448, 452, 463, 466,  # killing others' memory, file mode, extended attributes
)  # fmt: skip
# What the worker does itself before a program starts, or between two of them.
_DENIED_TO_PROGRAMS = {
    "fork": (57, None), "vfork": (58, None), "memfd_create": (319, 279),
    "sched_setaffinity": (203, 122),
}  # fmt: skip
_MEMFD_SECRET, _CLONE3 = 447, 435
_CLONE, _KILL, _TGKILL = (56, 220), (62, 129), (234, 131)
OWN_ID = b"\xfe\xed\xfe\xed"
_PRCTL, _PRLIMIT, _FCNTL = (157, 167), (302, 261), (72, 25)


def host_filter(machine: str) -> bytes:
    """BPF program for the worker itself and all that it forks: what no part of it needs.

    Args:
        machine: as `os.uname().machine` names it.

    Raises:
        OSError: no table of system calls for this machine.
    """
    column = _column(machine)
    numbers = [*(pair[column] for pair in _DENIED.values()), *_DENIED_EVERYWHERE]
    rules = [_deny(number) for number in sorted(n for n in numbers if n is not None)]
    rules.append(_guard(_FCNTL[column], _none_of(_DENIED_FCNTL), argument=1))
    return b"".join((_entry(machine), *rules, _return(_ALLOW)))


def program_filter(machine: str) -> bytes:
    """BPF program for one forked program, on top of `host_filter`: no forks, no signals to others.

    Args:
        machine: as `os.uname().machine` names it.

    Returns:
        Instructions with `OWN_ID` where the id of the process belongs that they are for: it may
        signal and limit itself only.

    Raises:
        OSError: no table of system calls for this machine.
    """
    column = _column(machine)
    (pid,) = struct.unpack("=I", OWN_ID)
    plain = [pair[column] for pair in _DENIED_TO_PROGRAMS.values()]
    rules = [
        *(_deny(number) for number in plain if number is not None),
        _deny(_MEMFD_SECRET),
        _deny(_CLONE3, errno.ENOSYS),  # C libraries then fall back to clone
        _guard(_CLONE[column], _step(_JUMP_ANY_BIT, _CLONE_THREAD, 1, 0)),
        _guard(_KILL[column], _step(_JUMP_EQUAL, pid, 1, 0)),
        _guard(_TGKILL[column], _step(_JUMP_EQUAL, pid, 1, 0)),
        _guard(
            _PRLIMIT[column],
            _step(_JUMP_EQUAL, 0, 2, 0) + _step(_JUMP_EQUAL, pid, 1, 0),
        ),
        _guard(_PRCTL[column], _none_of(_DENIED_PRCTL)),
    ]
    return b"".join((_entry(machine), *rules, _return(_ALLOW)))


def _column(machine: str) -> int:
    if machine not in _COLUMN:
        raise OSError(f"no table of system calls for {machine}")
    return _COLUMN[machine]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One BPF instruction; jumps count the instructions to skip."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _return(action: int) -> bytes:
    return _step(_RETURN, action)


def _entry(machine: str) -> bytes:
    """Refuse foreign calling conventions, whose numbers mean other calls; load the number."""
    foreign = _return(_FAIL | errno.ENOSYS)
    lines = [_step(_LOAD, _OFFSET_ARCH), _step(_JUMP_EQUAL, _ARCH[machine], 1, 0), foreign]
    lines.append(_step(_LOAD, _OFFSET_NUMBER))
    if machine == "x86_64":
        lines += [_step(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1), foreign]
    return b"".join(lines)


def _deny(number: int, error: int = errno.EPERM) -> bytes:
    return _step(_JUMP_EQUAL, number, 0, 1) + _return(_FAIL | error)


def _none_of(values: tuple[int, ...]) -> bytes:
    """Test that the loaded word is none of `values`."""
    jumps = [_step(_JUMP_EQUAL, v, len(values) - index) for index, v in enumerate(values)]
    return b"".join(jumps) + _step(_JUMP, 1)


def _guard(number: int, test: bytes, argument: int = 0) -> bytes:
    """Decide call `number` by one argument: `test` falls through to refuse or skips that.

    Only the lower half of the argument is looked at: so does the kernel, for those tested here.
    """
    body = _step(_LOAD, _OFFSET_ARGUMENTS + 8 * argument) + test + _return(_FAIL | errno.EPERM)
    body += _return(_ALLOW)
    return _step(_JUMP_EQUAL, number, 0, len(body) // 8) + body
