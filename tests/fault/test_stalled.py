"""A reader that stops reading is disconnected, costs little, and continues from its cursor without a loss."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from tests.fault.processes import Server
from tests.fault.stalled import (
    fill,
    open_stalled_readers,
    open_stalled_socket,
    open_stalled_stream,
    wait_until_closed,
)
from tests.requirements import requirement

MESSAGES = 1_000
"""8 MB: more than the kernel and the server keep for one reader."""
READERS = 5
"""Of each kind."""
MANY = 3_000
MOST_BYTES = 36 * 1024 * 1024
"""Less than the 48 MB that they miss: 24 as frames and 24 as events of streams, which readers share."""

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = Server(tmp_path)
    await server.start()
    yield server
    server.kill()


@requirement("G3", "L9")
async def test_a_stalled_websocket_gets_a_resync_and_loses_nothing(server: Server) -> None:
    with anyio.fail_after(120):
        async with open_stalled_socket(server) as reader:
            await reader.subscribe()
            await fill(server, MESSAGES)
            assert not await reader.read(until=MESSAGES), "it was never too far behind, so nothing was proved"
            await reader.subscribe()
            assert await reader.read(until=MESSAGES)
    assert reader.received_seqs == list(range(1, MESSAGES + 1))


@requirement("G3", "L9")
async def test_a_stalled_stream_is_closed_and_loses_nothing_after_reconnecting(server: Server) -> None:
    seen_items = [0]
    with anyio.fail_after(120):
        cuts = -1
        while seen_items[-1] < MESSAGES:
            cuts += 1
            async with open_stalled_stream(server, after=seen_items[-1]) as stream:
                if not cuts:
                    await fill(server, MESSAGES)
                async for number in stream.events():
                    seen_items.append(number)
                    if number == MESSAGES:
                        break
    assert cuts > 0, "it was never cut, so nothing was proved"
    assert seen_items == list(range(MESSAGES + 1))


@requirement("L9")
async def test_streams_that_never_read_again_are_hung_up(server: Server) -> None:
    with anyio.fail_after(120):
        async with open_stalled_stream(server, after=0) as first_stream:
            sockets_before = server.sockets
            del first_stream
            await fill(server, MESSAGES)
            await wait_until_closed(server, sockets_before - 1)


async def stalled_bytes(server: Server) -> int:
    """The cost of stalled readers in a server, in bytes."""
    memory_before = server.memory
    async with open_stalled_readers(server, READERS):
        await fill(server, MANY)
        return server.memory - memory_before


@requirement("L9")
async def test_readers_that_stall_cost_a_bounded_amount_of_memory(server: Server) -> None:
    with anyio.fail_after(120):
        assert await stalled_bytes(server) < MOST_BYTES
