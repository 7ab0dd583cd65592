"""Values as JSON text, exactly: what crosses the border between a program and its judge.

Plain JSON types stand for themselves. Everything else is an object of two keys, `$` (the kind)
and `v` (the content). Decoding is safe on text that a hostile program wrote: bounded in size
and depth, nothing is evaluated, and whatever is malformed raises ValueError. Whether two values
count as equal is not decided here.
"""

import base64
import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

MAX_CHARS = 64 * 2**20
MAX_DEPTH = 100
_TAG = "$"
_CONTENT = "v"
# A value nests three brackets at most for each level of its own: {"$": .., "v": [[key, value]]}.
_MAX_BRACKETS = 3 * MAX_DEPTH + 3
_PLAIN_INT_LIMIT = 10**1000  # longer ones travel as hexadecimal, which parses in linear time
_PLAIN_INT_DIGITS = 1001
# Not the long floats: what numpy makes of one of them is another, never a Python number.
_ARRAY_DTYPE = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8)|c(?:8|16)|[SU]\d{1,6})")
_MOST_EMPTY_LISTS = 10_000
_MOST_DIMENSIONS = 64
# The possessive repeats and the end-of-text branch keep the scan linear on unclosed strings.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: in and out
_NO_STEPS = bytes(set(range(256)) - set(b"[{]}"))


def encode(value: object) -> str:
    """JSON text from which `decode` makes an equal value of the same types.

    Subclasses count as their base: a named tuple is a tuple, a Counter is a dict. Equal sets
    give equal text.

    Args:
        value: None, bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset,
            numpy array or numpy scalar, nested up to 100 levels.

    Raises:
        TypeError: part of the value is of another type, or nests too deep.
    """
    return _dumps(_pack(value, 0))


def decode(text: str) -> Any:
    """The value that `text` stands for.

    Raises:
        ValueError: the text is not what `encode` could have written: malformed, larger than
            64 Mi characters, nested too deep, or built to make hashing slow.
    """
    check_bounds(text)
    try:
        return json.loads(
            text, object_hook=_unpack, parse_int=_parse_int, parse_constant=_refuse_constant
        )
    except (TypeError, KeyError, RecursionError, OverflowError, MemoryError) as error:
        raise ValueError(f"malformed encoded value: {error}") from error


def check_bounds(text: str) -> None:
    """Refuse what would be too much for the parser, before it recurses into it.

    Raises:
        ValueError: the text is larger than 64 Mi characters, or nests too deep.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"encoded value has {len(text)} characters, {MAX_CHARS} are allowed")
    if text.count("[") + text.count("{") <= _MAX_BRACKETS:
        return
    outside = _STRING.sub(b"", text.encode("utf-8", "surrogatepass"))
    steps = memoryview(outside.translate(_STEPS, _NO_STEPS)).cast("b")
    if max(accumulate(steps), default=0) > _MAX_BRACKETS:
        raise ValueError(f"encoded value nests deeper than {_MAX_BRACKETS} brackets")


def _dumps(packed: object) -> str:
    return json.dumps(packed, allow_nan=False, separators=(",", ":"))


def _pack(value: object, depth: int) -> object:
    """`value` in plain JSON types."""
    if depth > MAX_DEPTH:
        raise TypeError(f"cannot encode a value nested deeper than {MAX_DEPTH} levels")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if _is_numpy(kind):
        return _pack_numpy(value)
    for base, pack in _PACKERS:
        if isinstance(value, base):
            return pack(value, depth + 1)
    raise TypeError(f"cannot encode a value of type {kind.__module__}.{kind.__qualname__}")


def _pack_int(value: int, depth: int) -> object:
    del depth
    value = int(value)
    if -_PLAIN_INT_LIMIT < value < _PLAIN_INT_LIMIT:
        return value
    return {_TAG: "int", _CONTENT: hex(value)}


def _pack_float(value: float, depth: int) -> object:
    del depth
    value = float(value)
    return value if math.isfinite(value) else {_TAG: "float", _CONTENT: repr(value)}


def _pack_complex(value: complex, depth: int) -> object:
    return {_TAG: "complex", _CONTENT: [_pack(value.real, depth), _pack(value.imag, depth)]}


def _pack_bytes(value: bytes, depth: int) -> object:
    del depth
    return {_TAG: "bytes", _CONTENT: base64.b64encode(value).decode("ascii")}


def _pack_list(value: list[object], depth: int) -> object:
    return value if _is_plain(value) else [_pack(item, depth) for item in value]


def _pack_tuple(value: tuple[object, ...], depth: int) -> object:
    return {_TAG: "tuple", _CONTENT: _pack_list(list(value), depth)}


def _pack_set(value: Iterable[object], depth: int) -> object:
    kind = "set" if isinstance(value, set) else "frozenset"
    # Sorting by text makes equal sets equal text whatever their insertion order.
    return {_TAG: kind, _CONTENT: sorted((_pack(item, depth) for item in value), key=_dumps)}


def _pack_dict(value: dict[object, object], depth: int) -> object:
    if all(type(key) is str for key in value) and _TAG not in value:
        return {key: _pack(item, depth) for key, item in value.items()}
    pairs = [[_pack(key, depth), _pack(item, depth)] for key, item in value.items()]
    return {_TAG: "dict", _CONTENT: pairs}


_PACKERS: tuple[tuple[Any, Callable[[Any, int], object]], ...] = (
    (int, _pack_int),
    (float, _pack_float),
    (str, lambda value, _depth: str.__str__(value)),
    (list, _pack_list),
    (tuple, _pack_tuple),
    (dict, _pack_dict),
    (set | frozenset, _pack_set),
    (bytes | bytearray, _pack_bytes),
    (complex, _pack_complex),
)


def _is_plain(items: list[Any]) -> bool:
    """Whether a list can be written as it is; long flat lists need no walk in Python."""
    kinds = set(map(type, items))
    if kinds <= {str, bool, type(None)}:
        return True
    if kinds <= {int, bool}:
        least, most = int(min(items)), int(max(items))
        return least > -_PLAIN_INT_LIMIT and most < _PLAIN_INT_LIMIT
    return kinds == {float} and all(map(math.isfinite, items))


def _is_numpy(kind: type) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, (numpy.ndarray, numpy.generic))


def _pack_numpy(value: Any) -> object:
    kind = "scalar" if value.ndim == 0 and not hasattr(value, "__setitem__") else "array"
    if not _ARRAY_DTYPE.fullmatch(value.dtype.str):
        raise TypeError(f"cannot encode a numpy {kind} of dtype {value.dtype}")
    content = base64.b64encode(value.tobytes()).decode("ascii")
    return {_TAG: kind, "dtype": value.dtype.str, "shape": list(value.shape), _CONTENT: content}


def _parse_int(digits: str) -> int:
    if len(digits) > _PLAIN_INT_DIGITS:
        raise ValueError(f"integer of {len(digits)} digits must be written in hexadecimal")
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"bare {name} is not allowed in an encoded value")


def _unpack(packed: dict[str, Any]) -> Any:
    """The value behind one JSON object whose members are unpacked already."""
    if _TAG not in packed:
        return packed
    unpack = _UNPACKERS.get(packed[_TAG])
    if unpack is None:
        raise ValueError(f"unknown kind of encoded value: {packed[_TAG]!r:.40}")
    return unpack(packed)


def _content(packed: dict[str, Any], kind: type) -> Any:
    content = packed[_CONTENT]
    if type(content) is not kind:
        raise ValueError(f"{packed[_TAG]} needs a {kind.__name__}, got {type(content).__name__}")
    return content


def _unpack_int(packed: dict[str, Any]) -> int:
    text = _content(packed, str)
    if not re.fullmatch(r"-?0x[0-9a-f]+", text):
        raise ValueError("malformed hexadecimal integer")
    return int(text, 16)


def _unpack_float(packed: dict[str, Any]) -> float:
    text = _content(packed, str)
    if text not in ("nan", "inf", "-inf"):
        raise ValueError("malformed float")
    return float(text)


def _unpack_complex(packed: dict[str, Any]) -> complex:
    real, imag = _content(packed, list)
    if type(real) is not float or type(imag) is not float:
        raise ValueError("complex needs two floats")
    return complex(real, imag)


def _unpack_bytes(packed: dict[str, Any]) -> bytes:
    return base64.b64decode(_content(packed, str), validate=True)


def _unpack_tuple(packed: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(_content(packed, list))


def _unpack_set(packed: dict[str, Any]) -> set[Any] | frozenset[Any]:
    items = _content(packed, list)
    _check_hashes(items)
    return set(items) if packed[_TAG] == "set" else frozenset(items)


def _unpack_dict(packed: dict[str, Any]) -> dict[Any, Any]:
    pairs = [(key, value) for key, value in _content(packed, list)]
    _check_hashes([key for key, _ in pairs])
    return dict(pairs)


def _check_hashes(keys: list[Any]) -> None:
    """Refuse keys chosen to collide: hashes of numbers and tuples are known to an attacker."""
    if len(keys) > 1000 and len(set(map(hash, keys))) < len(keys) // 2:
        raise ValueError("keys of an encoded set or dict collide")


def _unpack_numpy(packed: dict[str, Any]) -> Any:
    import numpy as np

    dtype, shape = packed["dtype"], packed["shape"]
    if type(dtype) is not str or not _ARRAY_DTYPE.fullmatch(dtype):
        raise ValueError("malformed dtype")
    if type(shape) is not list or not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError("malformed shape")
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"an array of {len(shape)} dimensions")
    # An array without elements would turn into as many lists as its other sides say.
    if 0 in shape and math.prod(filter(None, shape)) > _MOST_EMPTY_LISTS:
        raise ValueError("an array of nothing, too long")
    # A copy, because arrays over immutable bytes cannot be written to.
    array = np.frombuffer(_unpack_bytes(packed), dtype=np.dtype(dtype)).reshape(shape).copy()
    return array[()] if packed[_TAG] == "scalar" else array


_UNPACKERS: dict[Any, Callable[[dict[str, Any]], Any]] = {
    "int": _unpack_int,
    "float": _unpack_float,
    "complex": _unpack_complex,
    "bytes": _unpack_bytes,
    "tuple": _unpack_tuple,
    "set": _unpack_set,
    "frozenset": _unpack_set,
    "dict": _unpack_dict,
    "array": _unpack_numpy,
    "scalar": _unpack_numpy,
}
