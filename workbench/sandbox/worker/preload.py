"""Imports that programs usually make, done once, so that no program is timed for them."""

import atexit
import gc
import importlib
import os
import posix
import random
import sys

_MODULES = (
    "abc", "array", "bisect", "calendar", "cmath", "collections", "concurrent.futures",
    "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools",
    "hashlib", "heapq", "io", "itertools", "json", "math", "numbers", "operator", "queue",
    "random", "re", "statistics", "string", "struct", "textwrap", "threading", "time",
    "types", "typing", "zlib",
)  # fmt: skip


def preload() -> str | None:
    """Import them, and numpy where forking after it is safe.

    Returns:
        Why numpy is not there, None if it is.
    """
    sys.set_int_max_str_digits(0)
    for name in _MODULES:
        importlib.import_module(name)
    problem = _import_numpy()
    # The launch line keeps modules from having work done after each fork; programs may again.
    os.register_at_fork = posix.register_at_fork
    # Without that work, generators that a program does not seed start alike in every run: so be it,
    # for then the same program on the same input does the same, in every worker.
    random.seed(0)
    atexit._clear()  # what these modules registered would do nothing but touch memory
    gc.collect()
    gc.freeze()  # a collection in a fork would otherwise touch, and so copy, all of it
    return problem


def _import_numpy() -> str | None:
    if sys.platform == "darwin":
        return "not loaded ahead: the system's linear algebra does not survive a fork"
    try:
        importlib.import_module("numpy").random.seed(0)
    except ImportError as error:
        return str(error)
    return None
