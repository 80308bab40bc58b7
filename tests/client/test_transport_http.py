"""The HTTP transport drops abandoned waits; a reply that it reads to its end counts as arrived."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import httpx2
import pytest

from askback.client.transport_http import HttpFrames

pytestmark = pytest.mark.anyio

PENDING = {"id": "req_1", "status": "pending"}


class HeldReplies(httpx2.AsyncBaseTransport):
    """A server whose replies wait until the test releases them."""

    def __init__(self) -> None:
        self.requested_urls: asyncio.Queue[httpx2.URL] = asyncio.Queue()
        self.go = asyncio.Event()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Reply that it is pending."""
        self.requested_urls.put_nowait(request.url)
        await self.go.wait()
        return httpx2.Response(200, json=PENDING)


async def test_a_wait_that_is_over_before_it_has_begun_is_not_polled() -> None:
    server = HeldReplies()
    frames = HttpFrames(httpx2.AsyncClient(transport=server, base_url="http://askback"))

    async def say(number: int, op: str) -> None:
        await frames.send(json.dumps({"id": number, "op": op, "request_ids": ["req_1"]}))

    async def heard() -> dict[str, Any]:
        return json.loads(await frames.receive())

    with anyio.fail_after(120):
        await say(1, "wait")
        await server.requested_urls.get()
        await say(2, "unwait")
        assert (await heard())["id"] == 2
        server.go.set()
        assert (await heard())["id"] == 1
        await anyio.wait_all_tasks_blocked()
        assert server.requested_urls.empty()
        server.go.clear()
        await say(3, "wait")  # and it can begin again
        await server.requested_urls.get()
        server.go.set()
        assert (await server.requested_urls.get()).params["receipt"] == "true"
    await frames.close()
