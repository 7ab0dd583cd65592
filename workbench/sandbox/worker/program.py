"""Running the program's code in the forked process, ending as Python itself would end.

Departs from Python: the interpreter is not torn down, so `__del__` of what still lives at the
end does not run. Everything else is honoured: exit codes, atexit, threads, unflushed files.
"""

import atexit
import builtins
import contextlib
import io
import linecache
import marshal
import os
import sys
import threading
import traceback
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import Any

from workbench.sandbox import codec

FILE_NAME = "program.py"
OUT_OF_MEMORY = b"M"
VALUE = b"V"
_NOT_FLUSHED = 120  # what Python exits with when standard output could not be written
_TRACEBACK_LINES = -24  # the innermost ones

Body = Callable[[Callable[[], None], int], int]


def compiling(source: str) -> Body:
    """Body that compiles `source` and leaves marshalled code, or exits 1 with a syntax error."""

    def body(start: Callable[[], None], result: int) -> int:
        start()
        try:
            code = compile(source.removeprefix("\ufeff"), FILE_NAME, "exec", dont_inherit=True)
            content = marshal.dumps(code)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            _show_source(source)
            traceback.print_exception(error, limit=0)
            return 1
        _write_all(result, content)
        return 0

    return body


def script(code: bytes, source: str) -> Body:
    """Body that runs marshalled code as `__main__`."""

    def body(start: Callable[[], None], result: int) -> int:
        module = _module("__main__")
        compiled = marshal.loads(code)
        end = _Ending(source, result)
        start()
        with end:
            exec(compiled, module.__dict__)
        return end.finish(module)

    return body


def call(code: bytes, source: str, function: str, arguments: str) -> Body:
    """Body that runs marshalled code as a module, calls a function in it, and leaves its value.

    Args:
        code: marshalled code of the module.
        source: the text it was compiled from.
        function: global name, or `Class.method`.
        arguments: positional arguments, a list as `codec` text.
    """

    def body(start: Callable[[], None], result: int) -> int:
        # Not "__main__": what a program does when run by itself is no part of a call.
        module = _module("program")
        compiled = marshal.loads(code)
        positional = codec.decode(arguments)
        end = _Ending(source, result)
        start()
        with end:
            value = _called(compiled, module, function, positional)
            _write_all(result, VALUE + codec.encode(value).encode("ascii"))
        return end.finish(module)

    return body


def _called(code: CodeType, module: ModuleType, function: str, arguments: list[Any]) -> object:
    exec(code, module.__dict__)
    owner, _, method = function.rpartition(".")
    if owner:
        return getattr(getattr(module, owner)(), method)(*arguments)
    return getattr(module, method)(*arguments)


def _module(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(__builtins__=builtins, __file__=FILE_NAME)
    sys.modules[name] = module
    sys.argv = [FILE_NAME]
    return module


class _Ending:
    """Turns whatever leaves the program's code into an exit code, as the interpreter does.

    Attributes:
        code: exit code so far.
    """

    def __init__(self, source: str, result: int) -> None:
        self.code = 0
        self._source = source
        self._result = result
        # Programs may replace sys.stdout or patch os; these are what they started with.
        self._streams = (sys.stdout, sys.stderr)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, SystemExit):
            self.code = self._exit_code(error.code)
        elif error is not None:
            self.code = 1
            self._report(error)
        return True

    def finish(self, module: ModuleType) -> int:
        """Wait for threads, run exit handlers, flush; the exit code."""
        with self:
            threading._shutdown()  # type: ignore[attr-defined]
        with self:
            atexit._run_exitfuncs()
        unflushed = [getattr(value, "__self__", value) for value in list(module.__dict__.values())]
        for stream in (sys.stdout, sys.stderr, *self._streams, *unflushed):
            if isinstance(stream, io.IOBase):
                self._flush(stream)
        return self.code

    def _flush(self, stream: io.IOBase) -> None:
        try:
            if not stream.closed and stream.writable():
                stream.flush()
        except (OSError, ValueError):
            self.code = self.code or _NOT_FLUSHED

    def _exit_code(self, code: object) -> int:
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{code}\n")
        return 1

    def _report(self, error: BaseException) -> None:
        """Write the traceback from the program's first frame on."""
        if isinstance(error, MemoryError):
            os.write(self._result, OUT_OF_MEMORY)
            traceback.clear_frames(error.__traceback__)
        _show_source(self._source)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE_NAME:
            trace = trace.tb_next
        # The program may have closed standard error or used up memory; the exit code stands.
        with contextlib.suppress(OSError, ValueError, MemoryError, RecursionError):
            traceback.print_exception(
                type(error), error, trace, limit=_TRACEBACK_LINES, file=self._streams[1]
            )


def _show_source(source: str) -> None:
    """Let tracebacks quote the program's lines."""
    lines = source.splitlines(keepends=True)
    linecache.cache[FILE_NAME] = (len(source), None, lines, FILE_NAME)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
