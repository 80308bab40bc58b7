"""A closed connection ends even if its peer does not read, and a reading peer loses nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
import pytest
import uvloop

from askback.server import http_protocol
from askback.server.http_protocol import AbortOnStall

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
        parted = AbortOnStall(cast("asyncio.Transport", transport))
        parted.write(b"x" * SIZE)
        parted.close()
        parted.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.over.set()


@pytest.fixture
async def peer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Farewell, socket.socket]]:
    """The closing end, and a connected socket that has read nothing yet."""
    monkeypatch.setattr(http_protocol, "PATIENCE_S", 0.2)
    loop, farewell = asyncio.get_running_loop(), Farewell()
    server = await loop.create_server(lambda: farewell, "127.0.0.1", 0)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        await loop.sock_connect(line, server.sockets[0].getsockname())
        yield farewell, line
    server.close()


async def test_a_peer_that_reads_nothing_is_cut(peer: tuple[Farewell, socket.socket]) -> None:
    with anyio.fail_after(120):
        await peer[0].over.wait()


async def test_a_peer_that_reads_slowly_gets_all_of_it(peer: tuple[Farewell, socket.socket]) -> None:
    farewell, line = peer
    loop, read = asyncio.get_running_loop(), 0
    with anyio.fail_after(120):
        while data := await loop.sock_recv(line, 256 * 1024):
            read += len(data)
        await farewell.over.wait()
    assert read == SIZE
