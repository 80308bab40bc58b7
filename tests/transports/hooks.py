"""A server whose deliveries are swept by hand, and its webhooks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from askback import verify_webhook
from askback.delivery.in_process_bus import InProcessBus
from askback.ports.webhooks import WebhookResponse
from askback.server.app import create_app
from askback.service.webhooks import dispatch
from askback.testing.fake_webhook_client import FakeWebhookClient, PostedMessage
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import LIMITS, Api, ManualClock

URL = "https://hooks.example.com/in?key=k1"
ERROR, OK = WebhookResponse(500), WebhookResponse(204)


@asynccontextmanager
async def run_sweeping_server(
    webhook_client: FakeWebhookClient, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Api]:
    """Run such a server."""
    monkeypatch.setattr(dispatch, "POLL_S", 3600)
    clock = ManualClock()
    bus = InProcessBus()
    store = TemporaryStore(on_commit=bus.publish)
    app = create_app(store=store, bus=bus, clock=clock, limits=LIMITS, webhook_client=webhook_client)
    async with app.running():
        yield Api(app, clock)


@pytest.fixture
def webhook_client() -> FakeWebhookClient:
    return FakeWebhookClient()


@pytest.fixture
async def api(webhook_client: FakeWebhookClient, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Api]:
    """Such a server, in place of the usual one."""
    async with run_sweeping_server(webhook_client, monkeypatch) as api:
        yield api


async def create_webhook(api: Api, who: str = "admin", **body: Any) -> dict[str, Any]:
    """Make a webhook."""
    reply = await (await api.as_(who)).post("/v1/webhooks", json={"url": URL, **body})
    assert reply.status_code == 201, reply.text
    return reply.json()


async def deliver_all_due(api: Api) -> int:
    """Deliver everything that is due now and return the number of attempts."""
    done = 0
    for webhook in await api.app.services.store.webhooks():
        while attempts := await dispatch.deliver_due(api.app.services, webhook):
            done += attempts
    return done


async def sweep(api: Api, *, after_s: float = 0) -> int:
    """Let time pass, and deliver what is due."""
    api.clock.advance(seconds=after_s)
    return await deliver_all_due(api)


async def log(api: Api, hook: dict[str, Any]) -> list[dict[str, Any]]:
    reply = await (await api.as_("admin")).get(f"/v1/webhooks/{hook['id']}/deliveries")
    assert reply.status_code == 200, reply.text
    return reply.json()["deliveries"]


async def redeliver(api: Api, hook: dict[str, Any], **body: Any) -> httpx2.Response:
    return await (await api.as_("admin")).post(f"/v1/webhooks/{hook['id']}/redeliver", json=body)


def read(api: Api, hook: dict[str, Any], posted_message: PostedMessage) -> dict[str, Any]:
    """Check a message like its receiver."""
    return verify_webhook(
        posted_message.body, posted_message.headers, hook["secret"], now=api.clock.now / 1000
    )
