"""Messages between supervisor and worker: a JSON header and blobs, each with its length.

Both ends are trusted code; a program never holds the socket. Sizes are checked all the same.
"""

import json
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

_PREFIX = struct.Struct(">I")
_MAX_HEADER = 2**20
_MAX_BLOB = 2**30


@dataclass(frozen=True)
class Message:
    """One message.

    Attributes:
        header: JSON object.
        blobs: the bytes that travel beside it.
    """

    header: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


def send(channel: socket.socket, message: Message) -> None:
    """Write one message; the socket's own timeout bounds it.

    Raises:
        OSError: the other end is gone, or took too long.
    """
    sizes = [len(blob) for blob in message.blobs]
    header = json.dumps([message.header, sizes]).encode()
    channel.sendall(b"".join((_PREFIX.pack(len(header)), header, *message.blobs)))


def receive(channel: socket.socket, *, timeout_s: float | None = None) -> Message | None:
    """Read one message, or None if the other end closed before it began.

    Args:
        channel: a stream socket.
        timeout_s: seconds for the whole message; None waits for ever.

    Raises:
        TimeoutError: the message is not complete in time.
        OSError: the other end closed within the message.
        ValueError: the message is malformed or too large.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    prefix = _read(channel, _PREFIX.size, deadline)
    if prefix is None:
        return None
    (size,) = _PREFIX.unpack(prefix)
    if size > _MAX_HEADER:
        raise ValueError(f"message header of {size} bytes")
    header, sizes = json.loads(_rest(channel, size, deadline))
    if not isinstance(header, dict) or not all(
        type(size) is int and 0 <= size <= _MAX_BLOB for size in sizes
    ):
        raise ValueError("malformed message header")
    return Message(header, tuple(_rest(channel, size, deadline) for size in sizes))


def _rest(channel: socket.socket, size: int, deadline: float | None) -> bytes:
    data = _read(channel, size, deadline)
    if data is None:
        raise ConnectionError("the other end closed within a message")
    return data


def _read(channel: socket.socket, size: int, deadline: float | None) -> bytes | None:
    """Exactly `size` bytes; None if the stream ends before the first."""
    data = bytearray(size)
    view = memoryview(data)
    filled = 0
    while filled < size:
        if deadline is not None:
            # A timeout of zero would mean non-blocking, hence the floor.
            channel.settimeout(max(deadline - time.monotonic(), 1e-3))
        count = channel.recv_into(view[filled:])
        if count == 0:
            if filled:
                raise ConnectionError("the other end closed within a message")
            return None
        filled += count
    return bytes(data)
