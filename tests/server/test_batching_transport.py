"""The writes of a turn are joined; a closed connection ends even if its peer does not read, and a reading peer loses nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest
import uvloop

from askback.server import batching_transport
from askback.server.batching_transport import MAX_HELD, BatchingTransport
from tests.server.lines import Line

SIZE = 8 * 1024 * 1024
"""More than the kernel takes."""

pytestmark = pytest.mark.anyio


@pytest.fixture(
    params=[("asyncio", {}), ("asyncio", {"loop_factory": uvloop.new_event_loop})], ids=["asyncio", "uvloop"]
)
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


class Farewell(asyncio.Protocol):
    """Sends many bytes, and closes."""

    def __init__(self) -> None:
        self.over = anyio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        batching = BatchingTransport(cast("asyncio.Transport", transport))
        batching.write(b"x" * SIZE)
        batching.close()
        batching.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()


@pytest.fixture
async def peer() -> AsyncIterator[tuple[Farewell, socket.socket]]:
    """The closing end, and a connected socket that has read nothing yet."""
    loop, closing_protocol = asyncio.get_running_loop(), Farewell()
    server = await loop.create_server(lambda: closing_protocol, "127.0.0.1", 0)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        await loop.sock_connect(line, server.sockets[0].getsockname())
        yield closing_protocol, line
    server.close()


class UnsentLine(Line):
    """A connection with bytes left to send: each check of it finds the next of `sizes`."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.sizes = list(sizes)
        self.aborted = False

    def get_write_buffer_size(self) -> int:
        return self.sizes.pop(0)

    def abort(self) -> None:
        self.aborted = True


@pytest.mark.parametrize(
    ("sizes", "aborted"), [((8, 6, 6, 3, 3, 0, 0), False), ((8, 6, 6, 6), True)], ids=["sent", "stalled"]
)
async def test_a_closed_connection_is_cut_once_nothing_was_sent_for_a_while(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...], aborted: bool
) -> None:
    monkeypatch.setattr(batching_transport, "PATIENCE_S", 0)
    line = UnsentLine(*sizes)
    BatchingTransport(line).close()
    with anyio.fail_after(120):
        while line.sizes:
            await anyio.lowlevel.checkpoint()
    assert line.aborted is aborted


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching_transport, "PATIENCE_S", 0.2)


@pytest.mark.usefixtures("impatient")
async def test_a_peer_that_reads_nothing_is_cut(peer: tuple[Farewell, socket.socket]) -> None:
    with anyio.fail_after(120):
        await peer[0].over.wait()


async def test_a_peer_that_reads_slowly_gets_all_of_it(peer: tuple[Farewell, socket.socket]) -> None:
    closing_protocol, line = peer
    loop, read = asyncio.get_running_loop(), 0
    with anyio.fail_after(120):
        while data := await loop.sock_recv(line, 256 * 1024):
            read += len(data)
        await closing_protocol.over.wait()
    assert read == SIZE


async def test_the_writes_of_a_turn_are_one_write() -> None:
    line = Line()
    batching = BatchingTransport(line)
    for turn in (b"ab", b"cd"):
        for byte in turn:
            batching.write(bytes([byte]))
        await anyio.lowlevel.checkpoint()
    batching.write(b"e")
    batching.close()
    batching.write(b"f")
    await anyio.lowlevel.checkpoint()
    assert line.writes == [b"ab", b"cd", b"e"]


async def test_a_long_response_is_not_held() -> None:
    line = Line()
    batching = BatchingTransport(line)
    batching.write(b"head")
    batching.write(b"x" * MAX_HELD)
    batching.write(b"end")
    assert [len(write) for write in line.writes] == [4 + MAX_HELD]
    await anyio.lowlevel.checkpoint()
    assert line.writes[1:] == [b"end"]
