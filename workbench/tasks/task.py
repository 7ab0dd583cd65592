"""The task: what is asked, by which cases it is judged, and programs to start from."""

import hashlib
import json
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from workbench.errors import TaskError
from workbench.programs import Program
from workbench.tasks.case import Case, Group
from workbench.tasks.checker import Checker, Tokens
from workbench.tasks.trusted import Assertions


class Mode(Enum):
    """How a program is used: as a script over standard streams, or by calling a function."""

    SCRIPT = "script"
    FUNCTION = "function"


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A program that comes with a task, labelled with what it should be judged to be.

    Attributes:
        name: short and unique within the task ("naive", "closed_form", "wrong_off_by_one").
        program: the program.
        accepted: whether it solves the task.
    """

    name: str
    program: Program
    accepted: bool


@dataclass(frozen=True, kw_only=True)
class Task:
    """A problem as every source is reduced to. Frozen data; nothing in it runs.

    Attributes:
        name: identifier, lower case with dashes ("sum-of-squares", "humaneval-12").
        title: for people.
        statement: Markdown, as it enters prompts.
        mode: script or function.
        function: the name to call, in function mode; None for scripts.
        cases: what judges a program; samples first. None with a checker that makes its own
            calls (`Assertions`), at least one with any other.
        checker: how an answer is compared with the expected one.
        cpu_limit_s: CPU seconds a case may take.
        memory_mib: memory a case may take.
        tags: families and difficulty.
        source: where it is from ("bundled", "humaneval").
        exhibits: programs that come with it; the first one is where evolution starts.
    """

    name: str
    title: str
    statement: str
    mode: Mode
    cases: tuple[Case, ...]
    function: str | None = None
    checker: Checker = field(default_factory=Tokens)
    cpu_limit_s: float = 2.0
    memory_mib: int = 512
    tags: tuple[str, ...] = ()
    source: str = "bundled"
    exhibits: tuple[Exhibit, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a task that cannot be judged.

        Raises:
            TaskError: no cases, or cases beside assertions, which would never run; a repeated
                case id; a function mode without a function name, or a script with one.
        """
        if isinstance(self.checker, Assertions):
            self._refuse_misplaced_assertions()
        elif not self.cases:
            raise TaskError(
                f"task {self.name!r} has no cases: an empty suite would accept every program; "
                "add at least one case"
            )
        ids = [case.id for case in self.cases]
        if len(set(ids)) != len(ids):
            raise TaskError(f"task {self.name!r} has a repeated case id among {ids}")
        if (self.mode is Mode.FUNCTION) != (self.function is not None):
            raise TaskError(
                f"task {self.name!r}: mode {self.mode.value!r} with function {self.function!r}; "
                "function mode needs a function name and script mode has none"
            )

    def _refuse_misplaced_assertions(self) -> None:
        if self.mode is not Mode.FUNCTION:
            raise TaskError(f"task {self.name!r}: assertions call a function; a script has none")
        if self.cases:
            raise TaskError(
                f"task {self.name!r} has cases beside its assertions, which make their own "
                "calls: the cases would never run; drop one or the other"
            )

    @property
    def samples(self) -> tuple[Case, ...]:
        """The cases that a prompt may show."""
        return tuple(case for case in self.cases if case.group is Group.SAMPLE)

    @property
    def start(self) -> Program:
        """The program that evolution starts from.

        Raises:
            TaskError: the task brings no program.
        """
        if not self.exhibits:
            raise TaskError(f"task {self.name!r} brings no program to start from; draft one first")
        return self.exhibits[0].program

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that judges a program, so that a changed task is a different one."""
        judged = [
            self.mode.value,
            self.function,
            repr(self.checker),
            self.cpu_limit_s,
            self.memory_mib,
            [[case.id, case.input, case.expected] for case in self.cases],
        ]
        return hashlib.sha256(json.dumps(judged).encode()).hexdigest()

    def __repr__(self) -> str:
        """Name and size, without the cases' text."""
        return f"Task({self.name}, {self.mode.value}, {len(self.cases)} cases)"
