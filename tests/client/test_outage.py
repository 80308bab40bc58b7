"""While a server can store nothing, calls are tried again: each is done once, or says so in time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import pytest

from askback.app import create_app
from askback.client import operations
from askback.client.channel import Channel
from askback.client.channel_app import AppConnector, Residence
from askback.client.channel_http import HttpChannel
from askback.client.link import Link
from askback.delivery.local import LocalBus
from askback.domain.fields import Form, Text
from askback.errors import Unavailable
from askback.ports.store import Change
from askback.testing.fake_store import FakeStore

pytestmark = pytest.mark.anyio

ASK = operations.create(Form(fields=[Text(id="q", label="Q")]), "t1", {}, None)


class LosesTheReply(FakeStore):
    """A store that cannot say of the first request whether it was written. It was."""

    first = True

    async def insert(self, *args: Any, **options: Any) -> Change:
        change = await super().insert(*args, **options)
        if self.first:
            self.first = False
            raise Unavailable("It is not known whether this was stored.", retry_after=1)
        return change


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


@asynccontextmanager
async def linked(store: FakeStore, connector: Any) -> AsyncGenerator[Link]:
    """A link to a server on that store."""
    link = Link(connector(Residence(create_app(store=store, bus=LocalBus()), None)))
    with anyio.fail_after(20):
        yield link
        await link.close()


@CONNECTORS
async def test_a_question_whose_fate_was_unknown_is_asked_once(connector: Any) -> None:
    async with linked(LosesTheReply(), connector) as link:
        request = await link.call(ASK, retry_for=20)
        assert request["status"] == "pending"
        found = await link.call('"op":"list"', retry_for=20)
        assert [each["id"] for each in found["requests"]] == [request["id"]]


@CONNECTORS
async def test_a_call_that_is_not_patient_is_told_when_to_try_again(connector: Any) -> None:
    store = FakeStore()
    async with linked(store, connector) as link:
        await link.call('"op":"list"', retry_for=20)
        store.offline = True
        with pytest.raises(Unavailable) as refused:
            await link.call(ASK, retry_for=0.5)
        assert refused.value.retry_after == 1
