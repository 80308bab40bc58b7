"""An askback server in this process, over a temporary database, with a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.domain.limits import Limits
from askback.server.app import App, create_app
from askback.service.agents import credentials
from tests.signing_in import sign_in
from tests.temporary_store import TemporaryStore

BASE = "http://127.0.0.1:8787"
LIMITS = Limits(body_bytes=64 * 1024)


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_795_000_000_000

    def now_ms(self) -> int:
        return self.now

    def advance(self, *, seconds: float) -> None:
        self.now += int(seconds * 1000)


@dataclass
class Api:
    """The server, and callers of every role."""

    app: App
    clock: ManualClock
    tokens: dict[str, str] = field(default_factory=dict)

    def client(self, **options: Any) -> httpx2.AsyncClient:
        """Return a caller without a credential."""
        transport = httpx2.ASGITransport(app=self.app)
        return httpx2.AsyncClient(transport=transport, base_url=BASE, **options)

    async def as_(self, who: str, **headers: str) -> httpx2.AsyncClient:
        """Return a caller: `role`, `role@tenant` or `role/name`; equal texts are the same token."""
        if who not in self.tokens:
            role, _, tenant = who.partition("@")
            role, _, name = role.partition("/")
            self.tokens[who] = await self.app.token(role, name=name or role, tenant=tenant or "default")
        return self.client(headers={"Authorization": f"Bearer {self.tokens[who]}", **headers})

    async def browser(self) -> httpx2.AsyncClient:
        """Return a logged-in browser, which sends both parts of its session."""
        client = self.client()
        code = await credentials.create_login_code(self.app.services, tenant="default", name="Ada")
        assert (await sign_in(client, f"{BASE}/login#{code}")).status_code == 201
        return client


@asynccontextmanager
async def serving() -> AsyncIterator[Api]:
    """A new server."""
    clock = ManualClock()
    bus = InProcessBus()
    app = create_app(store=TemporaryStore(on_commit=bus.publish), bus=bus, clock=clock, limits=LIMITS)
    async with app.running():
        yield Api(app, clock)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """A new server for each test."""
    async with serving() as api:
        yield api


@pytest.fixture(scope="module")
async def shared_api() -> AsyncIterator[Api]:
    """One server for all cases of a module which store nothing, or which look only at what they stored."""
    async with serving() as api:
        yield api


def ask(**changes: Any) -> dict[str, Any]:
    """Return the body of a small valid form."""
    form = {"title": "Lunch", "fields": [{"id": "dish", "type": "text", "label": "Dish", "required": True}]}
    return {"kind": "form", "thread_id": "t1", "form": form, **changes}


async def create_request(api: Api, who: str = "requester", **changes: Any) -> dict[str, Any]:
    """Create a request and return it."""
    reply = await (await api.as_(who)).post("/v1/requests", json=ask(**changes))
    assert reply.status_code == 201, reply.text
    return reply.json()


ANSWER = {"revision": 1, "values": {"dish": "soup"}}
