"""Custom checkers in the real sandbox: tasks with many right answers, and hostile ones."""

from dataclasses import replace

import pytest

from workbench.errors import TaskError
from workbench.evaluation import Evaluator, Verdict
from workbench.programs import Program
from workbench.sandbox.codec import encode
from workbench.tasks import Case, Group, Mode, Task
from workbench.tasks.trusted import Custom

# Input: n and m, then m lines "a b": a before b. Any order that keeps to all of them is right,
# and the expected answer says only whether there is one.
ANY_ORDER = """
def check(given, answer, expected):
    numbers = list(map(int, given.split()))
    count, edges = numbers[0], list(zip(numbers[2::2], numbers[3::2]))
    if expected.split() == ["IMPOSSIBLE"]:
        return answer.split() == expected.split() or "there is no such order"
    try:
        order = [int(word) for word in answer.split()]
    except ValueError:
        return "not all words are whole numbers"
    if sorted(order) != list(range(1, count + 1)):
        return f"not each of 1 to {count} once"
    place = {node: at for at, node in enumerate(order)}
    for before, after in edges:
        if place[before] > place[after]:
            return f"{before} comes after {after}"
    return True
"""
DIAMOND = "4 4\n1 2\n1 3\n2 4\n3 4\n"

# A function that returns some divisor between 1 and n, both excluded; None for a prime.
ANY_DIVISOR = """
def check(given, answer, expected):
    (n,) = given
    if expected is None:
        return answer is None
    return type(answer) is int and 1 < answer < n and n % answer == 0
"""


def order_task(source: str = ANY_ORDER, expected: str = "1 2 3 4\n") -> Task:
    return Task(
        name="any-order",
        title="Any order",
        statement="Print the nodes so that each edge points forward.",
        mode=Mode.SCRIPT,
        cases=(Case(id="diamond", group=Group.HIDDEN, input=DIAMOND, expected=expected),),
        checker=Custom(source),
        cpu_limit_s=0.5,
    )


def divisor_task(source: str = ANY_DIVISOR) -> Task:
    cases = [(12, 2), (35, 5), (7, None)]
    return Task(
        name="any-divisor",
        title="Any divisor",
        statement="Return a proper divisor above 1, or None.",
        mode=Mode.FUNCTION,
        function="divisor",
        cases=tuple(
            Case(id=f"n-{n}", group=Group.HIDDEN, input=encode([n]), expected=encode(expected))
            for n, expected in cases
        ),
        checker=Custom(source),
    )


def printing(text: str) -> Program:
    return Program(f"print({text!r})")


def returning(expression: str) -> Program:
    return Program(f"def divisor(n):\n    return {expression}\n")


@pytest.mark.parametrize(
    ("answer", "verdict", "detail"),
    [
        ("1 2 3 4", Verdict.ACCEPTED, ""),
        ("1 3 2 4", Verdict.ACCEPTED, ""),
        ("1\n3\n2\n4\n", Verdict.ACCEPTED, ""),
        ("1 2 4 3", Verdict.WRONG_ANSWER, "3 comes after 4"),
        ("1 2 3", Verdict.WRONG_ANSWER, "not each of 1 to 4 once"),
        ("1 2 3 4 4", Verdict.WRONG_ANSWER, "not each of 1 to 4 once"),
        ("", Verdict.WRONG_ANSWER, "not each of 1 to 4 once"),
        ("one two", Verdict.WRONG_ANSWER, "not all words are whole numbers"),
    ],
)
def test_every_right_order_is_accepted_and_a_wrong_one_is_explained(
    evaluator: Evaluator, answer: str, verdict: Verdict, detail: str
) -> None:
    found = evaluator.evaluate(printing(answer), order_task())
    assert (found.verdict, found.cases[0].detail) == (verdict, detail)


def test_the_checker_sees_what_is_expected(evaluator: Evaluator) -> None:
    task = order_task(expected="IMPOSSIBLE\n")
    assert evaluator.evaluate(printing("IMPOSSIBLE"), task).accepted
    refused = evaluator.evaluate(printing("1 2 3 4"), task)
    assert refused.cases[0].detail == "there is no such order"


@pytest.mark.parametrize(
    ("expression", "pass_rate"),
    [
        ("next((d for d in range(2, n) if n % d == 0), None)", 1.0),
        ("next((d for d in range(n - 1, 1, -1) if n % d == 0), None)", 1.0),
        ("n", 0.0),
        ("None", 1 / 3),
        ("float(next((d for d in range(2, n) if n % d == 0), 1))", 0.0),
        ("True", 0.0),
    ],
)
def test_a_checker_of_a_function_gets_values(
    evaluator: Evaluator, expression: str, pass_rate: float
) -> None:
    found = evaluator.evaluate(returning(expression), divisor_task())
    assert found.pass_rate == pytest.approx(pass_rate)
    assert found.accepted is (pass_rate == 1)


def test_false_without_a_message_is_a_wrong_answer_that_says_so(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(returning("n"), divisor_task())
    assert found.cases[0].detail == "the task's checker refused it"


HOSTILE_TEXT = {
    "ten million digits": "print('9' * 10**7)",
    "one digit more than int takes": "print('1', '2', '3', '4' * 4301)",
    "NUL bytes to the output limit": "import os; os.write(1, bytes(16 * 2**20))",
    "other digits": "print('\\u0661 2 3 4 \\uff15')",
    "nan": "print('nan inf -inf 1e999')",
    "brackets": "print('[' * 10**6)",
    "what the checker says": "print(True)",
    "text to be executed": "print('{}; import os; os._exit(0)')",
}


@pytest.mark.timeout(60)  # a fraction of a second, or minutes
@pytest.mark.parametrize("source", HOSTILE_TEXT.values(), ids=HOSTILE_TEXT)
def test_a_hostile_text_is_a_wrong_answer(evaluator: Evaluator, source: str) -> None:
    found = evaluator.evaluate(Program(source), order_task())
    assert found.verdict is Verdict.WRONG_ANSWER, found.cases


ALWAYS_EQUAL = """
class Equal{base}:
    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = lambda self, other: True
    __hash__ = None
    def __rmod__(self, other):
        return 0
def divisor(n):
    return Equal({value})
"""
HOSTILE_VALUES = {
    "an object that equals everything": (
        ALWAYS_EQUAL.format(base="", value=""),
        Verdict.RUNTIME_ERROR,
    ),
    "an int that equals everything": (
        ALWAYS_EQUAL.format(base="(int)", value="1"),
        Verdict.WRONG_ANSWER,
    ),
    "a text that equals everything": (
        ALWAYS_EQUAL.format(base="(str)", value="'x'"),
        Verdict.WRONG_ANSWER,
    ),
    "nan": ("def divisor(n):\n    return float('nan')\n", Verdict.WRONG_ANSWER),
    "ten million digits": (
        "def divisor(n):\n    return 1 << 33_219_281\n",
        Verdict.WRONG_ANSWER,
    ),
    "as deep as a value may be": (
        "def divisor(n):\n    for _ in range(100):\n        n = [n]\n    return n\n",
        Verdict.WRONG_ANSWER,
    ),
    "deeper than a value may be": (
        "def divisor(n):\n    for _ in range(10**5):\n        n = [n]\n    return n\n",
        Verdict.RUNTIME_ERROR,
    ),
    "text that is no value": (
        "import os\ndef divisor(n):\n    os.write(3, b'V{')\n    os._exit(0)\n",
        Verdict.WRONG_ANSWER,
    ),
}


@pytest.mark.parametrize(("source", "verdict"), HOSTILE_VALUES.values(), ids=HOSTILE_VALUES)
def test_of_a_hostile_value_only_text_arrives(
    evaluator: Evaluator, source: str, verdict: Verdict
) -> None:
    found = evaluator.evaluate(Program(source), divisor_task())
    assert {case.verdict for case in found.cases} == {verdict}, found.cases


@pytest.mark.slow
def test_the_heaviest_value_that_fits_through_the_pipe_is_a_wrong_answer(
    evaluator: Evaluator,
) -> None:
    source = """
import os
def divisor(n):
    os.write(3, b'V[' + b'{"":0},' * 2_390_000 + b'{"":0}]')
    os._exit(0)
"""
    task = replace(divisor_task(), cases=divisor_task().cases[:1])
    assert evaluator.evaluate(Program(source), task).verdict is Verdict.WRONG_ANSWER


def checker(body: str) -> Task:
    return order_task(f"def check(given, answer, expected):\n    {body}\n")


FAILING = {
    "raises": ("return int(answer) > 0", "ValueError: invalid literal for int"),
    "returns nothing": ("pass", "TypeError: check returned None, not True, False or a message"),
    "returns a number": ("return 1", "TypeError: check returned 1, not True"),
    "returns a share": ("return 0.5", "TypeError: check returned 0.5, not True"),
    "returns an empty message": ("return ''", "TypeError: check returned '', not True"),
    "returns a numpy bool": (
        "import numpy; return numpy.float64(1) < 2",
        "TypeError: check returned np.True_",
    ),
    "leaves": ("raise SystemExit(0)", "the program ended before the call returned"),
    "leaves by the back door": (
        "import os; os._exit(0)",
        "the program ended before the call returned",
    ),
    "fails and leaves": ("raise SystemExit(3)", "exit code 3"),
    "uses up memory": ("return 'x' * 2**40", "memory limit"),
    "crashes": ("import os; os.kill(os.getpid(), 11)", "ended by signal 11"),
}


@pytest.mark.parametrize(("body", "reason"), FAILING.values(), ids=FAILING)
def test_a_checker_that_fails_is_the_tasks_fault_and_never_a_wrong_answer(
    evaluator: Evaluator, body: str, reason: str
) -> None:
    with pytest.raises(TaskError) as raised:
        evaluator.evaluate(printing("x"), checker(body))
    start = f"the checker of task 'any-order' failed on case 'diamond': {reason}"
    assert str(raised.value).startswith(start)
    # Nor is anything remembered: with the checker mended, the program is judged.
    assert evaluator.evaluate(printing("x"), order_task()).verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
def test_a_checker_without_end_is_ended(evaluator: Evaluator) -> None:
    with pytest.raises(TaskError, match="failed on case 'diamond': cpu limit"):
        evaluator.evaluate(printing("x"), checker("while True: pass"))


def test_a_checker_has_limits_of_its_own(evaluator: Evaluator) -> None:
    body = "sum(range(30_000_000)); return len(bytes(700 * 2**20)) > 0"
    found = evaluator.evaluate(printing("x"), checker(body))  # the program: 0.5 s and 512 MiB
    assert found.accepted


def test_a_checker_is_asked_once_a_case_and_not_while_timing(evaluator: Evaluator) -> None:
    # It could not tell otherwise, for nothing that it does outlives its process.
    body = "import builtins; seen = hasattr(builtins, 'seen'); builtins.seen = 1; return not seen"
    task = divisor_task(f"def check(given, answer, expected):\n    {body}\n")
    assert evaluator.evaluate(returning("n"), task).accepted


def test_the_messages_length_is_bounded(evaluator: Evaluator) -> None:
    found = evaluator.evaluate(printing("x"), checker("return 'long ' * 10**6"))
    assert 300 < len(found.cases[0].detail) <= 400
