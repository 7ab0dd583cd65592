"""What a checker is shown does not lie in the memory that programs are forked from."""

from workbench.evaluation import Evaluator
from workbench.programs import Program
from workbench.sandbox import LocalSandbox
from workbench.sandbox.codec import encode
from workbench.tasks import Case, Group, Mode, Task
from workbench.tasks.trusted import Custom

# Ordinary users' programs may not even look: then there is nothing to be found either.
SEARCH = """
def search():
    needle = "".join(["expected", "-", "canary"]).encode()
    found = 0
    try:
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            for line in maps.read().splitlines():
                low, high = (int(end, 16) for end in line.split()[0].split("-"))
                if line.split()[1][0] != "r" or "[v" in line:
                    continue
                for at in range(low, high, 2**20):
                    memory.seek(at)
                    found += memory.read(min(2**20, high - at)).count(needle)
    except PermissionError:
        return 0
    return found - 1  # the needle itself
"""
SAY_SO = "def check(given, answer, expected):\n    return f'found {answer}'\n"


def test_a_program_finds_nothing_of_what_its_checker_was_shown() -> None:
    expected = encode("expected-canary" * 5)
    task = Task(
        name="secret",
        title="Secret",
        statement="",
        mode=Mode.FUNCTION,
        function="search",
        cases=tuple(
            Case(id=f"{number}", group=Group.HIDDEN, input="[]", expected=expected)
            for number in range(4)
        ),
        checker=Custom(SAY_SO),
        cpu_limit_s=5,
    )
    with LocalSandbox() as sandbox:  # of its own: other tests' workers remember other things
        found = Evaluator(sandbox).evaluate(Program(SEARCH), task)
    assert [case.detail for case in found.cases] == ["found 0"] * 4
