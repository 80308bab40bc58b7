"""Webhooks that an admin's program manages, over every transport."""

from __future__ import annotations

import pytest

from askback import Forbidden, Invalid, NotFound
from tests.client.conftest import Connect
from tests.requirements import requirement

URL = "https://hooks.example.com/in"


@requirement("G10")
async def test_a_webhook_is_made_listed_and_removed(connect: Connect) -> None:
    async with connect("admin") as admin:
        webhook = await admin.webhooks.create(URL, events=["request.escalated"], requester="tok_none")
        assert webhook.secret.reveal().startswith("whsec_")
        assert webhook.secret.reveal() not in repr(webhook)
        [listed] = [item for item in await admin.webhooks.list() if item.id == webhook.id]
        assert (listed.url, listed.events, listed.requester) == (URL, ["request.escalated"], "tok_none")
        assert listed.active
        assert list(await admin.webhooks.deliveries(webhook)) == []
        with pytest.raises(NotFound):
            await admin.webhooks.redeliver(webhook, delivery="dlv_none")
        with pytest.raises(Invalid):
            await admin.webhooks.redeliver(webhook)
        off = await admin.webhooks.update(webhook, active=False)
        assert off == listed.model_copy(update={"active": False})
        assert await admin.webhooks.update(off.id, active=True) == listed
        await admin.webhooks.delete(webhook)
        for call in (admin.webhooks.delete(webhook.id), admin.webhooks.deliveries(webhook.id)):
            with pytest.raises(NotFound):
                await call


@requirement("I11")
async def test_an_address_inside_is_refused(connect: Connect) -> None:
    async with connect("admin") as admin:
        with pytest.raises(Invalid) as exc_info:
            await admin.webhooks.create("https://169.254.169.254/latest")
    assert [fault["code"] for fault in exc_info.value.field_errors] == ["webhook_inside"]


async def test_webhooks_are_for_admins(connect: Connect) -> None:
    async with connect("responder") as person:
        for call in (person.webhooks.create(URL), person.webhooks.list(), person.webhooks.delete("whk_x")):
            with pytest.raises(Forbidden):
                await call
