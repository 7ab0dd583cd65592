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
        apart: whether it never shares a worker with jobs that are not: what a worker was sent,
            its later forks can find in memory, so what programs must not see goes apart.
    """

    source: str
    function: str
    arguments: str = "[]"
    apart: bool = False


Job = Script | Call
