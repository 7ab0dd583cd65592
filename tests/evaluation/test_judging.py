"""Which verdict an execution gets, and which an evaluation gets, when several would do.

The order for one execution is that of other judges (DMOJ's status codes, by rising priority: AC,
WA, IR, RTE, OLE, MLE, TLE, IE), with the compile error, which they find before anything runs, on
top. Each program here does two things wrong at once. Over cases another order holds, that of
`Verdict`: how far each is from a right answer.
"""

import random
from dataclasses import replace

import pytest
from builders import double_task, echo_task
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import TaskError
from workbench.evaluation import Evaluator, Verdict
from workbench.evaluation.failure import failure_of
from workbench.evaluation.judging import judge, limits_of
from workbench.programs import Program
from workbench.sandbox import Ending, Execution, LocalSandbox, Script, TrustLevel
from workbench.tasks import Case, Group, Mode, Task
from workbench.tasks.checker import Exact, Lines

IGNORE_TOO_LARGE = "import os, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
FLOOD = (
    IGNORE_TOO_LARGE
    + """
try:
    while True: os.write(1, b'x' * 2**20)
except OSError:
    pass
"""
)
TOO_LARGE = """
try:
    bytearray(2**40)
except MemoryError:
    pass
"""
TWO_FAULTS = {
    "no Python, and would loop": ("while True: pass\n(", Verdict.COMPILE_ERROR),
    "no Python, after a right answer": ("print('a b')\nprint('", Verdict.COMPILE_ERROR),
    "time over output": (FLOOD + "while True: pass", Verdict.TIME_LIMIT),
    "time over memory": (TOO_LARGE + "while True: pass", Verdict.TIME_LIMIT),
    "time over a right answer": ("print('a b', flush=True)\nwhile True: pass", Verdict.TIME_LIMIT),
    "waiting over a right answer": (
        "import time\nprint('a b', flush=True)\ntime.sleep(60)",
        Verdict.TIME_LIMIT,
    ),
    "memory over output": (FLOOD + "x = bytearray(2**33)", Verdict.MEMORY_LIMIT),
    "memory over the exit code": (
        "print('a b')\nx = bytearray(2**33)",
        Verdict.MEMORY_LIMIT,
    ),
    "output over a signal": (FLOOD + "os.kill(os.getpid(), 11)", Verdict.OUTPUT_LIMIT),
    "output over the exit code": (FLOOD + "os._exit(3)", Verdict.OUTPUT_LIMIT),
    "output over an answer": ("print('a b')\nwhile True: print('x' * 2**16)", Verdict.OUTPUT_LIMIT),
    "signal over a right answer": (
        "import os; print('a b', flush=True); os.abort()",
        Verdict.RUNTIME_ERROR,
    ),
    "exit code over a right answer": ("print('a b'); raise SystemExit(3)", Verdict.RUNTIME_ERROR),
    "exit code over a wrong answer": ("print('x'); raise SystemExit(3)", Verdict.RUNTIME_ERROR),
    "exception over a right answer": ("print('a b'); 1 / 0", Verdict.RUNTIME_ERROR),
    "exit in silence": ("raise SystemExit(0)", Verdict.WRONG_ANSWER),
    "memory ran out, but it coped": (TOO_LARGE + "print('a b')", Verdict.ACCEPTED),
    "standard error is no answer": ("import sys\nprint('x', file=sys.stderr)\nprint('a b')",
                                    Verdict.ACCEPTED),
}  # fmt: skip


@pytest.mark.parametrize(("source", "verdict"), TWO_FAULTS.values(), ids=TWO_FAULTS)
def test_of_two_faults_the_verdict_names_the_one_that_stands_first(
    sandbox: LocalSandbox, source: str, verdict: Verdict
) -> None:
    task = replace(echo_task(), cpu_limit_s=0.3, memory_mib=128)
    case = task.cases[0]
    (execution,) = sandbox.run([Script(source=source, stdin=b"a b\n")], limits_of(task))
    found, detail = judge(execution, task, case, sandbox)
    assert found is verdict, (execution.ending, detail)
    assert bool(detail) is (verdict is not Verdict.ACCEPTED)


def execution(**changed: object) -> Execution:
    whole = Execution(
        ending=Ending.EXITED, exit_code=0, signal=None, stdout=b"", stderr="", value=None,
        cpu_s=0, wall_s=0, baseline_cpu_s=0, baseline_wall_s=0, peak_mib=0, preemptions=0,
        trust=TrustLevel.L2,
    )  # fmt: skip
    return replace(whole, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_but_a_clean_exit_is_a_failure_of_its_own_name(ending: Ending) -> None:
    found = failure_of(execution(ending=ending, exit_code=1), Mode.SCRIPT)
    assert found is not None
    same = ending.name if ending.name in Verdict.__members__ else None
    times = {"CPU_LIMIT": "TIME_LIMIT", "WALL_LIMIT": "TIME_LIMIT"}
    assert found[0].name == (same or times.get(ending.name, "RUNTIME_ERROR"))


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({"ending": Ending.CPU_LIMIT, "stderr": "step 1\n"}, "cpu limit"),
        ({"ending": Ending.KILLED, "signal": 11, "stderr": "step 1\n"}, "ended by signal 11"),
        ({"exit_code": 3}, "exit code 3"),
        ({"exit_code": 1, "stderr": "Traceback:\n\nKeyError: 1\n"}, "KeyError: 1"),
        ({"exit_code": 1, "stderr": "x" * 8000}, "x" * 400),
    ],
)
def test_the_detail_says_what_ended_the_program(changed: dict[str, object], detail: str) -> None:
    found = failure_of(execution(**changed), Mode.SCRIPT)
    assert found is not None
    assert found[1] == detail


def test_what_a_script_writes_to_descriptor_3_is_not_its_answer(sandbox: LocalSandbox) -> None:
    task = echo_task()
    source = "import os; os.write(3, b'Va b'); print('wrong')"
    (seen,) = sandbox.run([Script(source=source)], limits_of(task))
    assert judge(seen, task, task.cases[0], sandbox)[0] is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("written", "accepted"),
    [
        (b"a b", True),
        (b"a\r\nb\r\n", True),
        (b"a b\xff", False),
        (b"a b\x00", False),
        (b"a\x00b", False),
        (b"\x00a b", False),
        (b"\xef\xbb\xbfa b", False),  # a byte order mark
        (b"a\xc2\xa0b", False),  # a no-break space
        (b"a b\xed\xa0\x80", False),  # a lone surrogate, which UTF-8 cannot hold
        (b"a b\xc0\xa0", False),  # an overlong space
        ("a b".encode("utf-16"), False),
    ],
)
def test_bytes_that_no_text_consists_of_are_a_wrong_answer(
    sandbox: LocalSandbox, written: bytes, accepted: bool
) -> None:
    task = echo_task()
    source = f"import os; os.write(1, {written!r})"
    (seen,) = sandbox.run([Script(source=source)], limits_of(task))
    for changed in (task, replace(task, checker=Lines()), replace(task, checker=Exact())):
        if changed.checker != task.checker and b"\n" not in written and accepted:
            continue  # the expected answer has two lines
        found = judge(seen, changed, changed.cases[0], sandbox)[0]
        assert (found is Verdict.ACCEPTED) is accepted, changed.checker


def test_a_lone_surrogate_cannot_be_printed(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(Program("print('a b\\ud800')"), echo_task())
    assert found.verdict is Verdict.RUNTIME_ERROR
    assert found.cases[0].detail.startswith("UnicodeEncodeError")


# One program that ends in the way that its input names.
OBEDIENT = """
import os
order = input()
if order == "runtime_error": raise ValueError
if order == "time_limit":
    while True: pass
if order == "memory_limit": x = bytearray(2**33)
if order == "output_limit":
    while True: os.write(1, bytes(2**16))
print("wrong" if order == "wrong_answer" else "right")
"""
ORDERS = ("runtime_error", "memory_limit", "output_limit", "wrong_answer", "accepted")


def obedient_task(orders: list[str]) -> Task:
    return Task(
        name="obey",
        title="Obey",
        statement="",
        mode=Mode.SCRIPT,
        cases=tuple(
            Case(id=f"{number}", group=Group.HIDDEN, input=order, expected="right")
            for number, order in enumerate(orders)
        ),
        cpu_limit_s=0.2,
        memory_mib=64,
    )


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(ORDERS), min_size=1, max_size=5))
def test_over_cases_the_verdict_is_the_one_farthest_from_right_in_whatever_order(
    sandbox: LocalSandbox, orders: list[str]
) -> None:
    found = Evaluator(sandbox).evaluate(Program(OBEDIENT), obedient_task(orders))
    assert [case.verdict.name.lower() for case in found.cases] == orders
    assert found.verdict.name.lower() == min(orders, key=ORDERS.index)
    assert found.pass_rate == orders.count("accepted") / len(orders)


def test_a_case_out_of_time_is_farther_from_right_than_one_out_of_memory(
    evaluator: Evaluator,
) -> None:
    orders = ["accepted", "wrong_answer", "memory_limit", "time_limit"]
    random.Random(1).shuffle(orders)
    found = evaluator.evaluate(Program(OBEDIENT), obedient_task(orders))
    assert found.verdict is Verdict.TIME_LIMIT
    found = evaluator.evaluate(Program(OBEDIENT), obedient_task([*orders, "runtime_error"]))
    assert found.verdict is Verdict.RUNTIME_ERROR


def test_what_follows_the_second_case_out_of_time_is_not_run_and_has_no_say(
    evaluator: Evaluator,
) -> None:
    orders = ["time_limit", "accepted", "time_limit", "runtime_error"]
    found = evaluator.evaluate(Program(OBEDIENT), obedient_task(orders))
    assert found.verdict is Verdict.TIME_LIMIT
    assert len(found.cases) == 3
    assert found.pass_rate == 1 / 4


def test_a_program_that_does_not_compile_is_tried_once(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(Program("("), obedient_task(["accepted"] * 3))
    assert [case.verdict for case in found.cases] == [Verdict.COMPILE_ERROR]
    assert found.pass_rate == 0


@pytest.mark.parametrize("make", [double_task, echo_task])
def test_a_task_without_cases_cannot_be_made(make: object) -> None:
    with pytest.raises(TaskError, match="an empty suite would accept every program"):
        replace(make(), cases=())  # type: ignore[operator]
