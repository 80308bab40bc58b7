"""The memory that a waiting question takes in the agent's process."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Client, Form, Text
from askback.client.async_client import TransportName
from tests.client.servers import TOKENS, ServerProcess

COUNT = 250


def form(agent: AsyncClient, thread: str, number: int) -> Coroutine[Any, Any, object]:
    """Ask a different form each time, like agents: a shared form would hide a leak."""
    fields = [Text(id="topic", label="Topic", required=True)]
    return agent.form(Form(title=f"Report {number}", fields=fields), thread_id=thread)


def approval(agent: AsyncClient, thread: str, number: int) -> Coroutine[Any, Any, object]:
    """Ask about a file that is larger than the allowed memory of a wait, with its content before."""
    call = {"path": f"src/{number}.py", "content": f"{number} new " * 1_000}
    return agent.approve("write_file", call, thread_id=thread, before=f"{number} old " * 1_000)


async def wait_until_asked(agent: AsyncClient, thread: str) -> None:
    """Wait until the server has every question, and the client has got the replies."""
    async with aclosing(agent.events(thread, cursor=0)) as events:
        async for event in events:
            if event["seq"] == COUNT:
                break
    await agent.requests.list(thread_id=thread, limit=1)


@pytest.mark.parametrize(("ask", "most"), [(form, 2_000), (approval, 3_000)])
async def test_a_pending_wait_uses_little_memory_whatever_the_size_of_its_form(
    server: ServerProcess, thread: str, ask: Callable[..., Coroutine[Any, Any, object]], most: int
):
    async with server.client() as agent:
        await agent.requests.list(thread_id=thread)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        asking = [asyncio.create_task(ask(agent, thread, n)) for n in range(COUNT)]
        with anyio.fail_after(120):
            await wait_until_asked(agent, thread)
        gc.collect()
        memory_after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    assert (memory_after - before) / COUNT < most


@pytest.mark.parametrize("transport", ["websocket", "http"])
def test_a_blocking_client_that_is_dropped_without_being_closed_raises_nothing(
    server: ServerProcess, transport: TransportName
) -> None:
    client = Client(server.url, TOKENS["requester"], transport=transport)
    client.requests.list()
    del client
    gc.collect()  # pytest fails a test for an exception in a finalizer
