"""Running the program's code in the forked process, ending as Python itself would end.

Departs from Python: the interpreter is not torn down, so `__del__` of what still lives at the
end does not run; nor do exit handlers of the standard library's modules that are loaded ahead.
Everything else is honoured: exit codes, atexit, threads, unflushed files.
"""

import _thread
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
from types import BuiltinMethodType, ModuleType
from typing import Any

from workbench.sandbox import codec

FILE_NAME = "program.py"
OUT_OF_MEMORY = b"M"
VALUE = b"V"
_NOT_FLUSHED = 120  # what Python exits with when standard output could not be written
_TRACEBACK_LINES = -24  # the innermost ones
_FILE = io.IOBase.__mro__[1]  # the plain type; asking the abstract one takes several times longer

Body = Callable[[Callable[[], None], int], int]


def compiling(source: bytes) -> Body:
    """Body that compiles `source` (UTF-8) and leaves marshalled code; or exits 1, saying why."""

    def body(start: Callable[[], None], result: int) -> int:
        start()
        try:
            code = compile(
                _text(source).removeprefix("\ufeff"), FILE_NAME, "exec", dont_inherit=True
            )
            content = marshal.dumps(code)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
            _show_source(source)
            traceback.print_exception(error, limit=0)
            return 1
        _write_all(result, content)
        return 0

    return body


class Stage:
    """Where programs run: what they all need is made here once, for every fork to find ready."""

    def __init__(self) -> None:
        self._main, self._library = _module("__main__"), _module("program")
        sys.argv = [FILE_NAME]
        # Programs may replace sys.stdout or patch os; these are what they start with.
        self._streams = (sys.stdout, sys.stderr)

    def script(self, code: bytes, source: bytes) -> Body:
        """Body that runs marshalled code as `__main__`."""

        def body(start: Callable[[], None], result: int) -> int:
            namespace = self._main.__dict__
            compiled = marshal.loads(code)
            ended = 0
            start()
            try:
                exec(compiled, namespace)
            except BaseException as error:  # noqa: BLE001 -- what Python's own top level does
                ended = self._exit_code(error, source, result)
            return self._finish(ended, namespace, source, result)

        return body

    def call(self, code: bytes, source: bytes, function: str, arguments: str) -> Body:
        """Body that runs marshalled code as a module, calls a function in it, leaves its value.

        Args:
            code: marshalled code of the module.
            source: the text it was compiled from, in UTF-8.
            function: global name, or `Class.method`.
            arguments: positional arguments, a list as `codec` text.
        """

        def body(start: Callable[[], None], result: int) -> int:
            # Not "__main__": what a program does when run by itself is no part of a call.
            namespace = self._library.__dict__
            compiled = marshal.loads(code)
            positional = codec.decode(arguments)
            ended = 0
            start()
            try:
                exec(compiled, namespace)
                value = _named(self._library, function)(*positional)
                _write_all(result, VALUE + codec.encode(value).encode("ascii"))
            except BaseException as error:  # noqa: BLE001 -- what Python's own top level does
                ended = self._exit_code(error, source, result)
            return self._finish(ended, namespace, source, result)

        return body

    def _finish(self, ended: int, namespace: dict[str, Any], source: bytes, result: int) -> int:
        """Wait for threads, run exit handlers, flush; the exit code."""
        try:
            if _thread._count():  # without threads there is nothing to wait for
                threading._shutdown()  # type: ignore[attr-defined]
        except BaseException as error:  # noqa: BLE001 -- likewise
            ended = self._exit_code(error, source, result)
        try:
            atexit._run_exitfuncs()
        except BaseException as error:  # noqa: BLE001 -- likewise
            ended = self._exit_code(error, source, result)
        # A method may be all that holds a file: `write = open(1, "w").write`.
        values = [v.__self__ if type(v) is BuiltinMethodType else v for v in namespace.values()]
        for value in (sys.stdout, sys.stderr, *self._streams, *values):
            if isinstance(value, _FILE) and not _flushed(value):
                ended = ended or _NOT_FLUSHED
        return ended

    def _exit_code(self, error: BaseException, source: bytes, result: int) -> int:
        """What the interpreter would exit with, after reporting what is no exit."""
        if not isinstance(error, SystemExit):
            self._report(error, source, result)
            return 1
        if error.code is None:
            return 0
        if isinstance(error.code, int):
            return error.code & 0xFF
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{error.code}\n")
        return 1

    def _report(self, error: BaseException, source: bytes, result: int) -> None:
        """Write the traceback from the program's first frame on."""
        if isinstance(error, MemoryError):
            os.write(result, OUT_OF_MEMORY)
            traceback.clear_frames(error.__traceback__)
        _show_source(source)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != FILE_NAME:
            trace = trace.tb_next
        # The program may have closed standard error or used up memory; the exit code stands.
        with contextlib.suppress(OSError, ValueError, MemoryError, RecursionError):
            traceback.print_exception(
                type(error), error, trace, limit=_TRACEBACK_LINES, file=self._streams[1]
            )


def _named(module: ModuleType, function: str) -> Callable[..., object]:
    """A global function, or a method of a fresh instance of a global class."""
    owner, _, method = function.rpartition(".")
    found: Callable[..., object] = getattr(getattr(module, owner)() if owner else module, method)
    return found


def _module(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(__builtins__=builtins, __file__=FILE_NAME)
    sys.modules[name] = module
    return module


def _flushed(stream: Any) -> bool:
    """Flush what can be; False if that fails."""
    try:
        if not stream.closed and stream.writable():
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


def _show_source(source: bytes) -> None:
    """Let tracebacks quote the program's lines."""
    lines = _text(source).splitlines(keepends=True)
    linecache.cache[FILE_NAME] = (len(source), None, lines, FILE_NAME)


def _text(source: bytes) -> str:
    return source.decode("utf-8", "surrogatepass")


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
