"""The time limits of a server for incomplete requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from uvicorn.config import Config

from askback.server.http_protocol import (
    BODY_S,
    HEAD_BYTES,
    HEAD_S,
    IDLE_S,
    LINGER_S,
    UPLOAD_BYTES,
    BoundedHttp,
)
from askback.transports.asgi_extensions import SendNow, stream_of
from tests.requirements import requirement
from tests.server.lines import Line, server_state

pytestmark = pytest.mark.anyio

HEAD = b"POST /v1/requests HTTP/1.1\r\nHost: askback\r\nContent-Length: 10\r\n"


class Clock:
    """The loop's timers, which the test fires."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timers: list[tuple[float, Any, Callable[..., None], tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def call_later(self, delay: float, callback: Callable[..., None], *args: Any) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self._loop)
        self._timers.append((delay, handle, callback, args))
        return handle

    def waits(self) -> list[float]:
        return [delay for delay, handle, _, _ in self._timers if not handle.cancelled()]

    def fire(self) -> None:
        due, self._timers = self._timers, []
        for _, handle, callback, args in due:
            if not handle.cancelled():
                callback(*args)


async def app(_scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


def open_connection(app: Any = app) -> tuple[BoundedHttp, Line, Clock]:
    clock, line = Clock(), Line()
    config = Config(app, log_config=None, timeout_keep_alive=int(IDLE_S))
    protocol = BoundedHttp(config, server_state(), {}, clock)  # pyright: ignore[reportArgumentType]
    protocol.connection_made(line)
    return protocol, line, clock


@requirement("N16")
@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (b"P", HEAD_S),
        (HEAD, HEAD_S),
        (HEAD + b"\r\n", BODY_S),
        (HEAD + b"\r\n12345", BODY_S),
    ],
)
async def test_a_request_that_does_not_end_is_closed_in_time(sent: bytes, seconds: float) -> None:
    protocol, line, clock = open_connection()
    for byte in sent:
        protocol.data_received(bytes([byte]))
    assert clock.waits() == [seconds]
    clock.fire()
    assert line.closed
    assert line.written.startswith(b"HTTP/1.1 408 ")
    assert json.loads(line.written.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_slow"
    protocol.connection_lost(None)


@requirement("M1")
@pytest.mark.parametrize(
    "sent", [b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nX y\r\n\r\n", b"\x16\x03\x01\x02\x00"]
)
async def test_what_is_no_http_is_refused_with_a_body_like_any_other(sent: bytes) -> None:
    protocol, line, _ = open_connection()
    protocol.data_received(sent)
    head, _, body = line.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert json.loads(body)["error"]["code"] == "malformed_http"
    assert line.closed
    protocol.connection_lost(None)


@requirement("N16")
async def test_a_connection_that_sends_nothing_is_closed() -> None:
    _, line, clock = open_connection()
    assert clock.waits() == [HEAD_S]
    clock.fire()
    assert (line.closed, line.written) == (True, b"")


@requirement("N16")
async def test_a_complete_request_has_no_deadline_for_its_answer() -> None:
    protocol, line, clock = open_connection()
    protocol.data_received(HEAD + b"\r\n1234567890")
    assert clock.waits() == []
    while not line.written:
        await asyncio.sleep(0)
    assert line.written.startswith(b"HTTP/1.1 200 ")
    assert clock.waits() == [int(IDLE_S)]


@pytest.mark.parametrize(
    ("path", "closed"), [(b"/v1/requests/req_1/files?field=a", False), (b"/v1/requests", True)]
)
async def test_an_upload_continues_while_enough_of_it_arrives(path: bytes, closed: bool) -> None:
    protocol, line, clock = open_connection()
    head = b"POST %b HTTP/1.1\r\nHost: askback\r\nContent-Length: %d\r\n\r\n" % (path, 3 * UPLOAD_BYTES)
    protocol.data_received(head)
    protocol.data_received(b"x" * UPLOAD_BYTES)
    clock.fire()
    assert line.closed is closed
    if not closed:
        assert clock.waits() == [BODY_S]
        protocol.data_received(b"x" * (UPLOAD_BYTES - 1))
        clock.fire()
        assert line.closed
    protocol.connection_lost(None)


@requirement("N16", "M1")
async def test_a_head_that_is_too_long_gets_its_reply_before_the_connection_ends() -> None:
    protocol, line, clock = open_connection()
    protocol.data_received(b"GET / HTTP/1.1\r\nHost: askback\r\nX: ")
    for _ in range(3):
        protocol.data_received(b"x" * HEAD_BYTES)
    await asyncio.sleep(0)
    assert (line.ended, line.closed, clock.waits()) == (True, False, [LINGER_S])
    head, _, body = line.written.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert f"content-length: {len(body)}".encode() in head
    message = "The request line and the headers are too long."
    assert json.loads(body) == {"error": {"code": "too_large", "message": message}}
    clock.fire()
    assert line.closed
    protocol.connection_lost(None)


async def test_a_part_of_a_stream_is_sent_without_waiting_while_that_is_possible() -> None:
    streams: list[SendNow] = []

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        send_now = stream_of(scope)
        assert send_now is not None
        sent.append(send_now(b"too early"))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        streams.append(send_now)
        await ends[len(streams) - 1].wait()
        await send({"type": "http.response.body"})

    sent: list[bool] = []
    ends = (asyncio.Event(), asyncio.Event())
    protocol, line, _ = open_connection(app)
    protocol.data_received(b"GET /v1/events HTTP/1.1\r\nHost: askback\r\n\r\n")
    while not streams:
        await asyncio.sleep(0)
    sent.append(streams[0](b"one"))
    protocol.pause_writing()
    sent.append(streams[0](b"paused"))
    protocol.resume_writing()
    protocol.data_received(b"GET /v1/events HTTP/1.1\r\nHost: askback\r\n\r\n")
    sent.append(streams[0](b"still"))
    ends[0].set()
    while len(streams) < 2:
        await asyncio.sleep(0)
    sent += [streams[0](b"ended"), streams[1](b"two")]
    await asyncio.sleep(0)
    protocol.connection_lost(None)
    sent.append(streams[1](b"nobody is there"))
    assert sent == [False, True, False, True, False, False, True, False]
    body, following = line.written.split(b"0\r\n\r\n", 1)
    assert body.endswith(b"\r\n\r\n3\r\none\r\n5\r\nstill\r\n")
    assert following.endswith(b"\r\n\r\n3\r\ntwo\r\n")
