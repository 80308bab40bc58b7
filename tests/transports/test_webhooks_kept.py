"""Webhooks for admins: allowed addresses, secrets, and complete removal."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

from typing import Any

import pytest

from askback.server.app import create_app
from askback.testing.fake_webhook_client import FakeWebhookClient
from askback.vault.envelope import LockedVault
from tests.domain.test_webhooks import INSIDE_URLS, REFUSED_URLS
from tests.requirements import requirement
from tests.transports.conftest import LIMITS, Api, ManualClock
from tests.transports.hooks import URL, api, create_webhook, read, sweep, webhook_client  # noqa: F401 - fixtures
from tests.transports.test_resumes import pull_resumes, settled

pytestmark = pytest.mark.anyio


@requirement("I11")
async def test_an_address_inside_is_refused_and_not_repeated(api: Api) -> None:
    admin = await api.as_("admin")
    expected = dict.fromkeys(REFUSED_URLS, "webhook_url") | dict.fromkeys(INSIDE_URLS, "webhook_inside")
    for url, code in (expected | {"http://hooks.example.com/": "webhook_plain"}).items():
        refusal = await admin.post("/v1/webhooks", json={"url": url})
        [fault] = refusal.json()["error"]["field_errors"]
        assert (refusal.status_code, fault["path"], fault["code"]) == (422, "url", code), url
        assert url not in refusal.text
    assert (await admin.get("/v1/webhooks")).json() == {"webhooks": []}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"events": []}, "events"),
        ({"events": ["message.added"]}, "events[0]"),
        ({"requester": ""}, "requester"),
        ({"secret": "whsec_x"}, "secret"),
    ],
)
async def test_an_invalid_webhook_is_refused(api: Api, body: dict[str, Any], path: str) -> None:
    refusal = await (await api.as_("admin")).post("/v1/webhooks", json={"url": URL, **body})
    assert refusal.status_code == 422
    assert [error["path"] for error in refusal.json()["error"]["field_errors"]] == [path]


@requirement("G10")
async def test_the_secret_is_shown_once_and_survives_a_rotation_of_the_keys(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    admin = await api.as_("admin")
    assert hook["secret"].startswith("whsec_")
    webhooks = (await admin.get("/v1/webhooks")).json()["webhooks"]
    assert webhooks == [{name: value for name, value in hook.items() if name != "secret"}]
    assert (await admin.get("/v1/secrets")).json()["secrets"] == []
    log = (await admin.get("/v1/audit")).text
    assert "webhook.add" in log
    assert hook["secret"][6:] not in log
    assert "key=k1" not in log  # the rest of a URL may contain a key
    assert (await admin.post("/v1/secrets/rotate", json={})).status_code == 200
    await settled(api, delivery="resume")
    await sweep(api)
    read(api, hook, webhook_client.posted[0])


async def test_a_removed_webhook_gets_no_events_and_leaves_no_data(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    await settled(api, delivery="resume")
    admin, foreign_client = await api.as_("admin"), await api.as_("admin@acme")
    path = f"/v1/webhooks/{hook['id']}"
    assert (await foreign_client.delete(path)).status_code == 404
    assert (await foreign_client.get(f"{path}/deliveries")).status_code == 404
    assert (await foreign_client.get("/v1/webhooks")).json() == {"webhooks": []}
    assert (await admin.delete(path)).status_code == 204
    assert (await admin.delete(path)).status_code == 404
    assert await sweep(api) == 0
    assert await api.app.services.store.sealed_after("") == []
    assert len(await pull_resumes(api)) == 1


async def test_a_tenant_has_so_many_webhooks_and_no_more(api: Api) -> None:
    for _ in range(LIMITS.webhooks):
        await create_webhook(api)
    refusal = await (await api.as_("admin")).post("/v1/webhooks", json={"url": URL})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "too_many_webhooks")
    assert len(await api.app.services.store.sealed_after("")) == LIMITS.webhooks


async def test_without_a_master_key_there_are_no_webhooks() -> None:
    app = create_app(vault=LockedVault(), webhook_client=FakeWebhookClient())
    async with app.running():
        refusal = await (await Api(app, ManualClock()).as_("admin")).post("/v1/webhooks", json={"url": URL})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "secrets_off")
