import socket
import struct
from collections.abc import Iterator

import pytest

from workbench.sandbox.wire import Channel

Ends = tuple[socket.socket, Channel]


@pytest.fixture
def ends() -> Iterator[Ends]:
    left, right = socket.socketpair()
    with left, right:
        yield left, Channel(right)


def test_messages_arrive_whole_and_in_order(ends: Ends) -> None:
    left, right = ends
    sent = [(b"a",), (b"", b"\0" * 100_000), (), (b"{}", b"", b"z")]
    for message in sent:
        Channel(left).send(message)
    assert [right.receive() for _ in sent] == sent


def test_a_closed_end_is_no_message(ends: Ends) -> None:
    left, right = ends
    left.close()
    assert right.receive() is None


def test_a_message_that_stops_half_way_is_an_error(ends: Ends) -> None:
    left, right = ends
    left.sendall(struct.pack(">II", 1, 10) + b"half")
    left.close()
    with pytest.raises(ConnectionError):
        right.receive()


def test_a_message_that_never_completes_times_out(ends: Ends) -> None:
    left, right = ends
    left.sendall(struct.pack(">II", 1, 10) + b"half")
    with pytest.raises(TimeoutError):
        right.receive(timeout_s=0.05)


@pytest.mark.parametrize("frame", [struct.pack(">I", 9), struct.pack(">III", 2, 0, 2**31)])
def test_sizes_that_make_no_sense_are_refused(ends: Ends, frame: bytes) -> None:
    left, right = ends
    left.sendall(frame)
    with pytest.raises(ValueError, match="message"):
        right.receive(timeout_s=1)
