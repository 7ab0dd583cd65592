"""Checkers that are programs of the task's own: trusted, and yet run only in the sandbox.

Trusted means written by whoever made the task, not safe from what it is shown: an answer is
hostile, and can make honest code run for ever. So they run as calls of their own, never in the
supervisor and never in one process with the program that they judge. Here they are only text.
"""

import ast
from dataclasses import dataclass

from workbench.errors import ConfigError


@dataclass(frozen=True)
class Custom:
    """A function that decides about one answer, where no rule of comparison can.

    `check(given, answer, expected)` gets the case's input, what the program answered, and the
    case's expected answer: texts for a script; for a function the list of its arguments and
    two values. It returns True if the answer is right, and False or a message that says why
    not. Anything else it does (another value, a number among them, for a case is right or
    wrong and nothing between; an exception; running out of time or memory) is the task's
    fault, not the program's.

    So it must expect any answer. int() of more than 4300 digits raises ValueError there, as
    in a fresh interpreter, and the random module is seeded.

    Attributes:
        source: Python text that defines `check`; it is not shown to a model.
    """

    source: str

    def __post_init__(self) -> None:
        """Refuse what cannot work, without running it.

        Raises:
            ConfigError: the text is not valid Python, or defines no function `check` with
                three positional parameters; names the line.
        """
        try:
            tree = ast.parse(self.source)
        except (SyntaxError, ValueError) as error:
            line, reason = getattr(error, "lineno", None) or 1, getattr(error, "msg", error)
            raise ConfigError(f"line {line}: not valid Python: {reason}") from error
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        checks = [node for node in found if node.name == "check"]
        if not checks:
            raise ConfigError("line 1: no function check(given, answer, expected) is defined here")
        taken = [*checks[-1].args.posonlyargs, *checks[-1].args.args]
        if len(taken) != _CHECK_PARAMETERS:
            raise ConfigError(
                f"line {checks[-1].lineno}: check takes {len(taken)} positional parameters; "
                "it needs three: given, answer, expected"
            )

    @property
    def judge(self) -> str:
        """Source of the program that asks `check`; the function to call in it is `judge`.

        `judge(given, answer, expected)` returns True, False or the message.
        """
        return _CUSTOM_JUDGE.format(source=self.source)


@dataclass(frozen=True)
class Assertions:
    """Assertions that call the candidate themselves, put to it as questions and answers.

    The assertions never share a process with the candidate. They run as a program of their own,
    the `judge`, in function mode: `judge(answers)` plays the answers known so far to the
    assertions, in the order of their calls, and returns one of

        {"ask": [argument, ...]}               the first call that has no answer yet
        {"passed": True}                       all assertions held
        {"passed": False, "message": text}     one failed, or choked on an answer

    The caller runs the call on the candidate, appends what it returned and asks again, until
    the judge has passed sentence. n calls cost n + 1 runs of the judge. The random module is
    seeded before each run, so that replays ask the same questions; calls are positional.

    Attributes:
        source: Python text that defines `check(candidate)` and the names it needs; it is not
            shown to a model.
        entry_point: name of the function under test; assertions that use it mean the candidate.
    """

    source: str
    entry_point: str

    @property
    def judge(self) -> str:
        """Source of the judge program; the function to call in it is `judge`."""
        return _ASSERTIONS_JUDGE.format(source=self.source, entry_point=self.entry_point)


_CHECK_PARAMETERS = 3

_CUSTOM_JUDGE = """\
import random
import sys

CHECKER = {source!r}


def judge(given, answer, expected):
    sys.set_int_max_str_digits(4300)
    names = {{"__name__": "checker"}}
    exec(compile(CHECKER, "checker.py", "exec"), names)
    random.seed(0)
    said = names["check"](given, answer, expected)
    if type(said) is bool:
        return said
    if type(said) is str and said.strip():
        return said[:400]
    raise TypeError(f"check returned {{said!r:.60}}, not True, False or a message")
"""

_ASSERTIONS_JUDGE = '''\
import random

ASSERTIONS = {source!r}
ENTRY_POINT = {entry_point!r}


class Unanswered(BaseException):
    """Leaves the assertions at a call that has no answer."""


def judge(answers):
    remaining = iter(answers)
    unanswered = []

    def candidate(*arguments):
        for answer in remaining:
            return answer
        unanswered.append(list(arguments))
        raise Unanswered

    names = {{"__name__": "assertions"}}
    exec(compile(ASSERTIONS, "assertions", "exec"), names)
    names[ENTRY_POINT] = candidate
    random.seed(0)
    reply = {{"passed": True}}
    try:
        names["check"](candidate)
    except Unanswered:
        pass
    except Exception as failure:
        text = str(failure) or type(failure).__name__
        reply = {{"passed": False, "message": text[:400]}}
    # Whatever they caught: without the answer they have decided nothing.
    return {{"ask": unanswered[0]}} if unanswered else reply
'''
