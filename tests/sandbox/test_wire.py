import socket
import struct
from collections.abc import Iterator

import pytest

from workbench.sandbox.wire import Channel, Message


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    left, right = socket.socketpair()
    with left, right:
        yield left, right


Ends = tuple[socket.socket, socket.socket]


def test_messages_arrive_whole_and_in_order(ends: Ends) -> None:
    sent = [Message({"a": 1}), Message({}, (b"", b"\0" * 1000)), Message({"x": [None]}, (b"z",))]
    for message in sent:
        Channel(ends[0]).send(message)
    channel = Channel(ends[1])
    assert [channel.receive() for _ in sent] == sent


def test_a_closed_end_is_no_message(ends: Ends) -> None:
    ends[0].close()
    assert Channel(ends[1]).receive() is None


def test_a_message_that_stops_half_way_is_an_error(ends: Ends) -> None:
    ends[0].sendall(struct.pack(">I", 10) + b"[{}")
    ends[0].close()
    with pytest.raises(ConnectionError):
        Channel(ends[1]).receive()


def test_a_message_that_never_completes_times_out(ends: Ends) -> None:
    ends[0].sendall(struct.pack(">I", 10) + b"[{}")
    with pytest.raises(TimeoutError):
        Channel(ends[1]).receive(timeout_s=0.05)


@pytest.mark.parametrize(
    "frame",
    [
        struct.pack(">I", 2**31),
        struct.pack(">I", 2) + b"{}",
        struct.pack(">I", 7) + b"[[],[]]",
        struct.pack(">I", 9) + b"[{},[-1]]",
        struct.pack(">I", 10) + b"[{},[1.5]]",
        struct.pack(">I", 22) + b"[{},[99999999999999]] ",
    ],
)
def test_sizes_and_headers_that_make_no_sense_are_refused(ends: Ends, frame: bytes) -> None:
    ends[0].sendall(frame)
    with pytest.raises(ValueError):  # noqa: PT011 -- the type is the promise
        Channel(ends[1]).receive(timeout_s=1)
