"""The fast path of the WebSocket protocol agrees with the library, for all splits of the bytes."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from askback.domain.limits import DEFAULTS
from askback.server.websocket_frames import FramePiece, FrameSplitter, write_text
from tests.cli.conftest import Server

TEXT = Frame(Opcode.TEXT, b"hello")
MOST = 70_000

payloads = st.binary(max_size=300) | st.integers(0, MOST).map(lambda n: b"x" * n)
frames = st.one_of(
    payloads.map(lambda data: Frame(Opcode.TEXT, data)),
    payloads.map(lambda data: Frame(Opcode.BINARY, data)),
    st.binary(max_size=125).map(lambda data: Frame(Opcode.PING, data)),
    st.lists(st.binary(max_size=300), min_size=2, max_size=3).map(tuple),
)


def expand(sent: Frame | tuple[bytes, ...]) -> list[Frame]:
    """Return a frame, or the parts of a text in several."""
    if isinstance(sent, Frame):
        return [sent]
    last = len(sent) - 1
    return [Frame(Opcode.CONT if i else Opcode.TEXT, part, fin=i == last) for i, part in enumerate(sent)]


def masked_bytes(*frames: Frame) -> bytes:
    return b"".join(frame.serialize(mask=True) for frame in frames)


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    position = 0
    for size in [*cuts, len(data)]:
        yield data[position : position + size]
        position += size


def frames_of(side: Protocol) -> list[Frame]:
    return [event for event in side.events_received() if isinstance(event, Frame)]


def library_connection() -> Protocol:
    """Return the server's side of an open connection."""
    return Protocol(Side.SERVER, state=State.OPEN, max_size=MOST)


@settings(deadline=None)
@given(st.lists(frames, max_size=6), st.lists(st.integers(1, 5_000), max_size=20))
def test_every_frame_arrives_once_and_in_order(given: list[Frame | tuple[bytes, ...]], cuts: list[int]):
    expected = [frame for item in given for frame in expand(item)]
    splitter, other_protocol, received_frames = FrameSplitter(MOST), library_connection(), list[Frame]()
    for data in pieces(masked_bytes(*expected), cuts):
        for payload, text in splitter.split(data):
            if text:
                received_frames.append(Frame(Opcode.TEXT, payload))
            else:
                other_protocol.receive_data(payload)
                received_frames += frames_of(other_protocol)
    assert other_protocol.parser_exc is None
    assert [(f.opcode, bytes(f.data), f.fin) for f in received_frames] == [
        (f.opcode, f.data, f.fin) for f in expected
    ]


@settings(deadline=None)
@given(st.lists(st.text(max_size=300) | st.integers(0, MOST).map(lambda n: "é" * n), max_size=5))
def test_written_frames_are_read_unchanged_by_a_client(texts: list[str]):
    client = Protocol(Side.CLIENT, state=State.OPEN, max_size=None)
    client.receive_data(b"".join(map(write_text, texts)))
    assert client.parser_exc is None
    assert [bytes(frame.data).decode() for frame in frames_of(client)] == texts


@pytest.mark.parametrize(
    "data",
    [
        TEXT.serialize(mask=False),
        masked_bytes(Frame(Opcode.TEXT, b"a", fin=False), TEXT),
        masked_bytes(Frame(Opcode.CONT, b"a")),
        masked_bytes(Frame(Opcode.TEXT, b"x" * (MOST + 1))),
        b"\xf1" + TEXT.serialize(mask=True)[1:],
        b"\x83" + TEXT.serialize(mask=True)[1:],
    ],
    ids=["unmasked", "text within a text", "rest of nothing", "too long", "reserved bits", "unknown opcode"],
)
def test_invalid_frames_are_refused_by_the_library(data: bytes):
    splitter, other_protocol = FrameSplitter(MOST), library_connection()
    for payload, text in (cut for byte in data for cut in splitter.split(bytes([byte]))):
        assert not text
        other_protocol.receive_data(payload)
    assert other_protocol.parser_exc is not None


def test_a_frame_that_is_too_long_is_not_held():
    splitter = FrameSplitter(MOST)
    head = struct.pack("!BBQ", 0x81, 0x80 | 127, 2**40) + b"mask"
    assert list(splitter.split(head)) == [FramePiece(head, text=False)]
    assert list(splitter.split(b"x" * 10)) == [FramePiece(b"x" * 10, text=False)]


# The server itself


@contextmanager
def open_websocket(server: Server) -> Iterator[socket.socket]:
    """Open a WebSocket by hand, as a requester."""
    token, port = server.tokens["requester"], int(server.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=120) as peer:
        peer.sendall(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: askback.v1, bearer.{token}\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += peer.recv(1)
        assert b" 101 " in head
        yield peer


def read(peer: socket.socket) -> list[Frame]:
    """Return the next frames of the server; the end of the connection is none."""
    client = Protocol(Side.CLIENT, state=State.OPEN)
    while not (frames := frames_of(client)) and (data := peer.recv(65_536)):
        client.receive_data(data)
    return frames


def test_a_frame_that_comes_byte_by_byte_is_answered(server: Server):
    with open_websocket(server) as peer:
        for byte in masked_bytes(Frame(Opcode.TEXT, b'{"id":1,"op":"ping"}')):
            peer.sendall(bytes([byte]))
        assert [json.loads(bytes(frame.data)) for frame in read(peer)] == [{"id": 1, "ok": {}}]


def test_a_text_in_parts_with_a_ping_between_them_is_answered(server: Server):
    with open_websocket(server) as peer:
        first_frames = Frame(Opcode.TEXT, b'{"id":1,', fin=False), Frame(Opcode.PING, b"there?")
        peer.sendall(masked_bytes(*first_frames))
        assert [(f.opcode, f.data) for f in read(peer)] == [(Opcode.PONG, b"there?")]
        peer.sendall(
            masked_bytes(Frame(Opcode.CONT, b'"op":"ping"}'), Frame(Opcode.TEXT, b'{"id":2,"op":"ping"}'))
        )
        assert [json.loads(bytes(frame.data))["id"] for frame in read(peer)] == [1, 2]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (TEXT.serialize(mask=False), 1002),
        (masked_bytes(Frame(Opcode.TEXT, b"\xff\xfe")), 1007),
        (masked_bytes(Frame(Opcode.TEXT, b"x" * (DEFAULTS.frame_bytes + 1))), 1009),
    ],
    ids=["unmasked", "not UTF-8", "too long"],
)
def test_a_frame_that_is_wrong_ends_the_connection_with_its_code(server: Server, data: bytes, code: int):
    with open_websocket(server) as peer:
        peer.sendall(data)
        closed = [frame for frame in read(peer) if frame.opcode is Opcode.CLOSE]
        assert [struct.unpack("!H", frame.data[:2])[0] for frame in closed] == [code]
