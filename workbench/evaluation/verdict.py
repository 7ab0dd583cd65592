"""What became of a program, as an order of failures. A verdict is not a score."""

from enum import IntEnum


class Verdict(IntEnum):
    """Outcomes from least to most; a later one is nearer to solving the task.

    Over cases an evaluation gets the least of those that ran, whatever their order. That is not
    the order in which one execution's several faults are named (`failure`): there the question
    is what ended it, here how far the program is from a solution.

    Attributes:
        UNPARSED: the reply held no program or edit that could be read.
        NO_CHANGE: the reply was the parent again.
        COMPILE_ERROR: not valid Python.
        RUNTIME_ERROR: an exception, a signal, or a non-zero exit code.
        TIME_LIMIT: CPU or wall time ran out.
        MEMORY_LIMIT: memory ran out.
        OUTPUT_LIMIT: too much output.
        DENIED: stopped by the sandbox for what it tried.
        WRONG_ANSWER: ran to an answer that is not right.
        ACCEPTED: right on every case.
    """

    UNPARSED = 0
    NO_CHANGE = 1
    COMPILE_ERROR = 2
    RUNTIME_ERROR = 3
    TIME_LIMIT = 4
    MEMORY_LIMIT = 5
    OUTPUT_LIMIT = 6
    DENIED = 7
    WRONG_ANSWER = 8
    ACCEPTED = 9

    @property
    def words(self) -> str:
        """The name as people write it ("wrong answer")."""
        return self.name.lower().replace("_", " ")
