"""A client that is used after `fork()` says so instead of hanging."""

from __future__ import annotations

import asyncio
import os
import signal
import warnings
from collections.abc import Callable

from askback import AsyncClient, Client, ForkedClient

NOWHERE = "http://127.0.0.1:1"


def in_child(work: Callable[[], object]) -> str:
    """Run something in a forked process, for ten seconds at most; return what it raised."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that threads are running is the point
        child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the parent judges it
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        return pipe.read()


EXPECTED = f"ForkedClient: {ForkedClient()}"


def test_a_blocking_client_is_refused_in_a_child_and_its_end_does_not_hang() -> None:
    with Client(NOWHERE, "token") as client:
        assert in_child(lambda: client.requests.get("req_1")) == EXPECTED
        assert in_child(client.close) == ""


def test_an_asynchronous_client_is_refused_in_a_child() -> None:
    client = AsyncClient(NOWHERE, "token")

    async def use() -> None:
        async with client:
            await client.requests.get("req_1")

    async def keep() -> None:
        await client.secrets.set("A_KEY", "value", scope="global")

    assert in_child(lambda: asyncio.run(use())) == EXPECTED
    assert in_child(lambda: asyncio.run(keep())) == EXPECTED
