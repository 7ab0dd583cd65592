"""Imports that programs usually make, done once, so that no program is timed for them."""

import gc
import importlib
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
    gc.collect()
    gc.freeze()  # a collection in a fork would otherwise touch, and so copy, all of it
    return problem


def _import_numpy() -> str | None:
    if sys.platform == "darwin":
        return "not loaded ahead: the system's linear algebra does not survive a fork"
    try:
        importlib.import_module("numpy")
    except ImportError as error:
        return str(error)
    return None
