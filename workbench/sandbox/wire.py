"""Messages between supervisor and worker: a few texts, each with its length.

Both ends are trusted code; a program never holds the socket. Sizes are checked all the same.
"""

import socket
import struct
import time

_COUNT = struct.Struct(">I")
_MAX_PARTS = 8
_MAX_BYTES = 2**30
_CHUNK = 65_536

Message = tuple[bytes, ...]


class Channel:
    """One end of a stream of messages.

    Args:
        connection: a stream socket, from now on this object's own.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._arrived = bytearray()  # what came with a message beyond its end

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._connection.fileno()

    def send(self, message: Message, *, timeout_s: float | None = None) -> None:
        """Write one message.

        Args:
            message: what to write.
            timeout_s: seconds for the whole message; None waits for ever.

        Raises:
            OSError: the other end is gone, or took too long.
        """
        sizes = struct.pack(f">I{len(message)}I", len(message), *map(len, message))
        self._connection.settimeout(timeout_s)
        self._connection.sendall(b"".join((sizes, *message)))

    def receive(self, *, timeout_s: float | None = None) -> Message | None:
        """Read one message, or None if the other end closed before it began.

        Args:
            timeout_s: seconds for the whole message; None waits for ever.

        Raises:
            TimeoutError: the message is not complete in time.
            OSError: the other end closed within the message.
            ValueError: the message is malformed or too large.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        if not self._arrived and not self._read(deadline):
            return None
        (count,) = _COUNT.unpack(self._take(_COUNT.size, deadline))
        if count > _MAX_PARTS:
            raise ValueError(f"a message of {count} parts")
        sizes = struct.unpack(f">{count}I", self._take(count * _COUNT.size, deadline))
        if max(sizes, default=0) > _MAX_BYTES:
            raise ValueError(f"a message with a part of {max(sizes)} bytes")
        return tuple([self._take(size, deadline) for size in sizes])

    def shutdown(self) -> None:
        """Tell the other end, and whoever waits at this one, that this was all.

        Raises:
            OSError: the other end is gone.
        """
        self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the socket back; calling it again does nothing."""
        self._connection.close()

    def _take(self, size: int, deadline: float | None) -> bytes:
        """Exactly `size` bytes."""
        while len(self._arrived) < size:
            if not self._read(deadline):
                raise ConnectionError("the other end closed within a message")
        taken = bytes(self._arrived[:size])
        del self._arrived[:size]
        return taken

    def _read(self, deadline: float | None) -> bool:
        """Take in what has arrived, or wait for it; False if the stream has ended."""
        # A timeout of zero would mean non-blocking, hence the floor.
        wait_s = None if deadline is None else max(deadline - time.monotonic(), 1e-3)
        self._connection.settimeout(wait_s)
        chunk = self._connection.recv(_CHUNK)
        self._arrived += chunk
        return bool(chunk)
