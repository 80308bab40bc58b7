"""A link to a server of this process, on a store of the test's own, over either transport."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import pytest

from askback.app import App, create_app
from askback.client.channel import Channel
from askback.client.channel_app import AppConnector, Residence
from askback.client.channel_http import HttpChannel
from askback.client.link import Link
from askback.delivery.local import LocalBus
from tests.temporary_store import TemporaryStore


@dataclass
class HttpConnector:
    """Connects to an app of this process as the real one does to a server."""

    residence: Residence
    where: str = "the app in this process"

    async def connect(self) -> Channel:
        headers = {"authorization": f"Bearer {await self.residence.token()}"}
        transport = httpx2.ASGITransport(app=self.residence.app)
        return HttpChannel(
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)
        )

    async def close(self) -> None:
        await self.residence.leave()


CONNECTORS = pytest.mark.parametrize("connector", [AppConnector, HttpConnector])


@dataclass
class Linked:
    """The link of an agent, the server that it leads to, and the server's store."""

    link: Link
    app: App
    store: TemporaryStore

    async def person(self) -> httpx2.AsyncClient:
        """Return somebody who answers there."""
        headers = {"authorization": f"Bearer {await self.app.token('responder')}"}
        transport = httpx2.ASGITransport(app=self.app)
        return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)


@asynccontextmanager
async def linked(connector: Any, kind: type[TemporaryStore] = TemporaryStore) -> AsyncGenerator[Linked]:
    """A link to a server on a store of that kind, for as long as a test may take."""
    bus = LocalBus()
    store = kind(on_commit=bus.publish)
    app = create_app(store=store, bus=bus)
    link = Link(connector(Residence(app, None)))
    with anyio.fail_after(20):
        yield Linked(link, app, store)
        await link.close()
