"""A link to a server in this process, on its own store, over either transport."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import httpx2
import pytest

from askback.client.link import Link
from askback.client.transport import FrameStream
from askback.client.transport_app import AppTransport
from askback.client.transport_http import HttpFrames
from askback.delivery.in_process_bus import InProcessBus
from askback.server.app import App, create_app
from tests.temporary_store import TemporaryStore


class HttpTransport(AppTransport):
    """Connects to an app in this process over HTTP, like the real transport."""

    async def frames(self) -> FrameStream:
        headers = {"authorization": f"Bearer {await self.token()}"}
        transport = httpx2.ASGITransport(app=self.app)
        return HttpFrames(
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)
        )


TRANSPORTS = pytest.mark.parametrize("transport", [AppTransport, HttpTransport])


@dataclass
class LinkedAgent:
    """The link of an agent, its server, and the server's store."""

    link: Link
    app: App
    store: TemporaryStore

    async def person(self) -> httpx2.AsyncClient:
        """Return somebody who answers there."""
        headers = {"authorization": f"Bearer {await self.app.token('responder')}"}
        transport = httpx2.ASGITransport(app=self.app)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


@asynccontextmanager
async def linked(
    transport: type[AppTransport], kind: type[TemporaryStore] = TemporaryStore
) -> AsyncGenerator[LinkedAgent]:
    """A link to a server on a store of that kind, for the duration of a test."""
    bus = InProcessBus()
    store = kind(on_commit=bus.publish)
    app = create_app(store=store, bus=bus)
    link = Link(transport(app, None))
    with anyio.fail_after(120):
        yield LinkedAgent(link, app, store)
        await link.close()
