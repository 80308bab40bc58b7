"""What a pending wait costs: bytes in the client, bytes in the server, with nobody answering."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
from typing import Any

import psutil
import uvloop

from askback import AsyncClient
from bench.harness import emit, questionnaire, serve


async def case(url: str, token: str, waits: int, server_rss: int, server_pid: int) -> dict[str, float]:
    """Open `waits` pending waits through one client and weigh both sides."""
    async with AsyncClient(url, token) as agents:
        warm = [await agents.create(questionnaire(i), thread_id="warm") for i in range(200)]
        tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(agents.wait(request)) for request in warm]
        await asyncio.sleep(0)
        gc.collect()
        me, server = psutil.Process(os.getpid()), psutil.Process(server_pid)
        client_before, server_before = me.memory_info().rss, server.memory_info().rss
        tasks += [
            asyncio.ensure_future(agents.form(questionnaire(i), thread_id=f"t{i % 100}"))
            for i in range(waits)
        ]
        while (await agents.get(warm[0].id)).settled or not await _all_asked(agents, waits):
            await asyncio.sleep(0.1)
        gc.collect()
        client = (me.memory_info().rss - client_before) / waits
        there = (server.memory_info().rss - server_before) / waits
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return {"client_bytes": round(client), "server_bytes": round(there), "waits": waits}


async def _all_asked(agents: AsyncClient, waits: int) -> bool:
    found = await agents.list(thread_id=f"t{(waits - 1) % 100}", status="pending", limit=200)
    return len(found) >= min(200, waits // 100)


def main() -> None:
    """Weigh pending waits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waits", type=int, default=10_000)
    args = parser.parse_args()
    with serve() as server:
        figures = uvloop.run(
            case(server.url, server.requester, args.waits, server.rss_bytes(), server.process.pid)
        )
        emit("pending", f"waits_{args.waits}", **figures)


if __name__ == "__main__":
    main()
