"""What a waiting question costs the agent's process."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc

import anyio

from askback import Form, Text
from tests.client.servers import ServerProcess


def form(number: int) -> Form:
    """Another one each time, as agents make them: a form that is shared would hide that it is kept."""
    return Form(title=f"Report {number}", fields=[Text(id="topic", label="Topic", required=True)])


async def test_a_pending_question_costs_less_than_two_kilobytes(server: ServerProcess, thread: str):
    count = 500
    async with server.client() as agent:
        await agent.list(thread_id=thread)
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        asking = [asyncio.create_task(agent.form(form(n), thread_id=thread)) for n in range(count)]
        with anyio.fail_after(30):
            async for event in agent.events(thread, cursor=0):
                if event["seq"] == count:
                    break
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    assert (after - before) / count < 2_000
