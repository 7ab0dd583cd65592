"""What the sandbox is asked to run. Expected answers are no part of it, by design."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Script:
    """A whole program that reads standard input and writes standard output.

    Attributes:
        source: Python source text.
        stdin: the bytes it can read.
    """

    source: str
    stdin: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a function that a program defines.

    Attributes:
        source: Python source text; run once before the call and timed with it, so that work done
            while the module loads is not free.
        function: a global name, or `Class.method` for a method of a fresh instance.
        arguments: positional arguments as `codec` JSON text, a list.
    """

    source: str
    function: str
    arguments: str = "[]"


Job = Script | Call
