"""Measure the cost of a pending wait: bytes in the client and in the server.

Waits are opened in batches, so that no burst is measured with them. The client is measured by tracemalloc,
the server by the growth of its resident memory after the first batches.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import tracemalloc

import uvloop

from askback import AsyncClient
from bench.measure import emit
from bench.payload import questionnaire
from bench.servers import REQUESTER, Databases, Server, serve

BATCH = 200


async def case(server: Server, warm: int, waits: int) -> dict[str, float]:
    """Open `warm` waits, measure, open `waits` more through the same client, and measure again."""
    tasks: list[asyncio.Task[object]] = []
    async with AsyncClient(server.url, REQUESTER) as agents:
        await _open(agents, tasks, warm)
        tracemalloc.start()
        gc.collect()
        client_bytes, server_bytes = tracemalloc.get_traced_memory()[0], server.rss_bytes()
        await _open(agents, tasks, waits)
        gc.collect()
        client_bytes, server_bytes = (
            tracemalloc.get_traced_memory()[0] - client_bytes,
            server.rss_bytes() - server_bytes,
        )
        tracemalloc.stop()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "client_bytes": round(client_bytes / waits),
        "server_bytes": round(server_bytes / waits),
        "server_rss_mb": round(server.rss_bytes() / 2**20),
    }


async def _open(agents: AsyncClient, tasks: list[asyncio.Task[object]], waits: int) -> None:
    """Open waits batch by batch; a batch is open once the server counts all of its requests as open."""
    for first in range(0, waits, BATCH):
        thread = f"batch-{len(tasks)}"
        for number in range(first, first + BATCH):
            asking = agents.form(questionnaire(number), thread_id=thread)
            tasks.append(asyncio.ensure_future(asking))
        while (await agents.limits.get(thread))["thread"]["pending"] < BATCH:
            await asyncio.sleep(0.005)


def main() -> None:
    """Measure pending waits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warm", type=int, default=2_000)
    parser.add_argument("--waits", type=int, default=100_000)
    args = parser.parse_args()
    with Databases() as databases, databases.new("sqlite") as url, serve(url) as site:
        figures = uvloop.run(case(site.servers[0], args.warm, args.waits))
    emit("pending", f"waits_{args.waits}", **figures)


if __name__ == "__main__":
    main()
