"""Group G over HTTP: events are posted to admins' webhooks, signed, until they are accepted."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from askback.ports.webhooks import Unreachable, WebhookResponse
from askback.server.app import create_app
from askback.service.jobs import deadlines
from askback.service.webhooks import dispatch
from askback.testing.fake_webhook_client import FakeWebhookClient
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock, ask, create_request
from tests.transports.hooks import (  # noqa: F401 - fixtures
    ERROR,
    URL,
    api,
    create_webhook,
    deliver_all_due,
    log,
    read,
    redeliver,
    sweep,
    webhook_client,
)
from tests.transports.test_resumes import ack, pull_resumes, settled

pytestmark = pytest.mark.anyio


@requirement("G10", "F23", "H5")
async def test_a_resume_is_pushed_signed_and_is_then_done(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    request = await settled(api, delivery="resume")
    assert await sweep(api) == 1
    [posted] = webhook_client.posted
    message = read(api, hook, posted)
    assert (posted.url, message["type"]) == (URL, "resume")
    data = message["data"]
    assert (data["request_id"], data["request"]) == (request["id"], request)
    assert data["text"].endswith('The person answered "Lunch": "Dish" (dish): "soup"')
    assert posted.headers["webhook-id"] == data["id"]
    assert await sweep(api, after_s=7200) == 0
    assert await pull_resumes(api) == []
    [delivery] = await log(api, hook)
    [attempt] = delivery["attempts"]
    assert (delivery["state"], delivery["message_id"]) == ("delivered", data["id"])
    assert (attempt["status"], attempt["error"], attempt["duration_ms"]) == (204, None, 0)


@requirement("G10")
@pytest.mark.parametrize(
    "failure", [ERROR, WebhookResponse(302), WebhookResponse(404), Unreachable("timeout")]
)
async def test_a_refused_delivery_is_sent_again_under_the_same_id(
    api: Api, webhook_client: FakeWebhookClient, failure: WebhookResponse | Exception
) -> None:
    hook = await create_webhook(api)
    await settled(api, delivery="resume")
    webhook_client.answers = [failure, failure]
    assert await sweep(api) == 1
    assert await sweep(api, after_s=3) == 0
    assert await sweep(api, after_s=4) == 1
    assert await sweep(api, after_s=20) == 1
    first, second, third = webhook_client.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == third.headers["webhook-id"]
    assert [read(api, hook, third)["data"]["attempt"]] == [3]
    [delivery] = await log(api, hook)
    assert delivery["state"] == "delivered"
    entries = [(attempt["status"], attempt["error"]) for attempt in delivery["attempts"]]
    expected = (None, "timeout") if isinstance(failure, Exception) else (failure.status, None)
    assert entries == [expected, expected, (204, None)]
    assert await pull_resumes(api) == []


@requirement("G10")
async def test_between_two_attempts_it_can_be_pulled_and_is_then_not_sent_any_more(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    await settled(api, delivery="resume")
    webhook_client.answers = [ERROR]
    await sweep(api)
    [resume] = await pull_resumes(api)
    assert await sweep(api, after_s=10) == 1  # it looks, and finds that somebody has it
    assert len(webhook_client.posted) == 1
    await ack(api, resume)
    await sweep(api, after_s=60)
    assert len(webhook_client.posted) == 1
    assert [item["state"] for item in await log(api, hook)] == ["obsolete"]


@requirement("G10")
async def test_a_resume_being_pushed_cannot_be_pulled(api: Api, webhook_client: FakeWebhookClient) -> None:
    await create_webhook(api)
    await settled(api, delivery="resume")
    webhook_client.held = anyio.Event()
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(deliver_all_due, api)
            while not webhook_client.posted:
                await anyio.lowlevel.checkpoint()
            assert await pull_resumes(api) == []
            webhook_client.held.set()
    assert await pull_resumes(api) == []


@requirement("G10", "H5")
async def test_a_server_that_ends_before_it_has_noted_the_answer_sends_it_again(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api, events=["resume", "request.answered"])
    await settled(api, delivery="resume")
    webhook_client.held = anyio.Event()
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(deliver_all_due, api)
            while len(webhook_client.posted) < 2:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()  # both were accepted, and neither is recorded
    webhook_client.held = None
    assert await sweep(api, after_s=29) == 0
    assert await sweep(api, after_s=1) == 2
    ids = [posted.headers["webhook-id"] for posted in webhook_client.posted]
    assert sorted(ids[:2]) == sorted(ids[2:])
    assert {item["state"] for item in await log(api, hook)} == {"delivered"}
    assert await pull_resumes(api) == []


@requirement("G10")
async def test_a_receiver_may_say_when_to_come_again(api: Api, webhook_client: FakeWebhookClient) -> None:
    await create_webhook(api)
    await settled(api, delivery="resume")
    webhook_client.answers = [WebhookResponse(429, retry_after=900)]
    await sweep(api)
    assert await sweep(api, after_s=899) == 0
    assert await sweep(api, after_s=1) == 1


async def switched_off_webhook(api: Api, webhook_client: FakeWebhookClient) -> dict[str, Any]:
    """Return a webhook whose receiver replied 410, and which missed an event after that."""
    hook = await create_webhook(api)
    await settled(api, delivery="resume")
    webhook_client.answers = [WebhookResponse(410)]
    await sweep(api)
    await settled(api, delivery="resume")
    return hook


@requirement("G10")
async def test_gone_switches_the_webhook_off_and_the_resume_can_be_pulled(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await switched_off_webhook(api, webhook_client)
    assert await sweep(api, after_s=7200) == 0
    assert len(webhook_client.posted) == 1
    webhooks = (await (await api.as_("admin")).get("/v1/webhooks")).json()["webhooks"]
    assert [webhook["active"] for webhook in webhooks] == [False]
    [delivery] = await log(api, hook)
    assert delivery["state"] == "dead"
    refusal = await redeliver(api, hook, delivery=delivery["id"])
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "webhook_off")
    assert len(await pull_resumes(api)) == 2


@requirement("G10")
async def test_a_re_enabled_webhook_gets_its_missed_events(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await switched_off_webhook(api, webhook_client)
    assert await sweep(api, after_s=60) == 0
    admin = await api.as_("admin")
    for _ in range(2):
        enabled_reply = await admin.patch(f"/v1/webhooks/{hook['id']}", json={"active": True})
        assert (enabled_reply.status_code, enabled_reply.json()["active"]) == (200, True)
    assert enabled_reply.json() == (await admin.get("/v1/webhooks")).json()["webhooks"][0]
    assert await sweep(api) == 1
    missed, late_deliveries = await log(api, hook)
    assert (missed["state"], late_deliveries["state"]) == ("delivered", "dead")
    assert (await redeliver(api, hook, delivery=late_deliveries["id"])).status_code == 200
    assert await sweep(api) == 1
    assert [item["state"] for item in await log(api, hook)] == ["delivered", "delivered"]
    assert (await admin.patch(f"/v1/webhooks/{hook['id']}", json={"active": False})).json()["active"] is False
    await settled(api, delivery="resume")
    assert await sweep(api) == 0
    entries = (await admin.get("/v1/audit")).json()["entries"]
    actions = [entry["action"] for entry in entries]
    assert [action for action in actions if action in {"webhook.on", "webhook.off"}] == [
        "webhook.on",
        "webhook.off",
    ]


@requirement("G10")
async def test_a_delivery_fails_after_three_days_and_can_be_resent(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    request = await settled(api, delivery="resume")
    webhook_client.answers = [ERROR] * 100
    for _ in range(80):
        await sweep(api, after_s=3600)
    [dead] = await log(api, hook)
    assert (dead["state"], dead["next_at"]) == ("dead", None)
    assert 12 <= len(dead["attempts"]) <= 30
    assert [item["request_id"] for item in await pull_resumes(api)] == [request["id"]]
    api.clock.advance(seconds=60)
    webhook_client.answers = [ERROR]
    redelivery = await redeliver(api, hook, delivery=dead["id"])
    assert (redelivery.status_code, redelivery.json()["state"]) == (200, "waiting")
    await sweep(api)
    await sweep(api, after_s=10)
    [sent] = await log(api, hook)
    assert (sent["id"], sent["state"]) == (dead["id"], "delivered")
    assert await pull_resumes(api) == []


@requirement("G10")
async def test_an_acknowledged_resume_is_resent_only_on_request(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    request = await settled(api, delivery="resume")
    [resume] = await pull_resumes(api)
    await ack(api, resume)
    hook = await create_webhook(api)
    assert await sweep(api) == 0
    for n in (1, 2):
        assert (await redeliver(api, hook, resume=resume["id"])).status_code == 200
        assert await sweep(api) == 1
        message = read(api, hook, webhook_client.posted[-1])
        assert (len(webhook_client.posted), message["data"]["request_id"]) == (n, request["id"])
    assert {posted.headers["webhook-id"] for posted in webhook_client.posted} == {resume["id"]}
    assert len(await log(api, hook)) == 1
    for body in ({"resume": "rsm_x"}, {"delivery": "dlv_x"}):
        assert (await redeliver(api, hook, **body)).status_code == 404
    for body in ({}, {"resume": "a", "delivery": "b"}):
        assert (await redeliver(api, hook, **body)).status_code == 422


@requirement("H5")
async def test_a_resume_held_for_a_waiter_is_pushed_when_the_waiter_leaves(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    await create_webhook(api)
    request = await settled(api)
    assert await sweep(api) == 0
    assert await sweep(api, after_s=10) == 1
    assert json.loads(webhook_client.posted[0].body)["data"]["request_id"] == request["id"]
    read_in_time = await settled(api)
    await sweep(api)
    await (await api.as_("requester")).get(f"/v1/requests/{read_in_time['id']}")
    await sweep(api, after_s=60)
    assert len(webhook_client.posted) == 1


@requirement("G10")
async def test_a_webhook_gets_requests_and_escalations(api: Api, webhook_client: FakeWebhookClient) -> None:
    await create_request(api)
    hook = await create_webhook(api, events=["request.created", "request.escalated"])
    request = await create_request(api, escalation=[{"after_s": 60, "notify": ["ada"]}])
    await create_request(api, "requester@acme")
    api.clock.advance(seconds=60)
    await deadlines.sweep(api.app.services)
    await sweep(api)
    entries = [
        read(api, hook, posted)
        for posted in sorted(webhook_client.posted, key=lambda item: item.headers["webhook-id"])
    ]
    assert [(entry["type"], entry["data"]["request"]["id"]) for entry in entries] == [
        ("request.created", request["id"]),
        ("request.escalated", request["id"]),
    ]
    assert entries[1]["data"]["request"]["notified"] == ["ada"]
    assert len({posted.headers["webhook-id"] for posted in webhook_client.posted}) == 2


async def test_a_webhook_of_a_requester_gets_only_its_requests(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    own_request = await create_request(api, "requester/one")
    await create_webhook(api, events=["request.created"], requester=own_request["requester"]["id"])
    second_request = await create_request(api, "requester/one")
    await create_request(api, "requester/two", thread_id="t2")
    await sweep(api)
    assert [json.loads(p.body)["data"]["request"]["id"] for p in webhook_client.posted] == [
        second_request["id"]
    ]


@requirement("G10", "E20")
async def test_hidden_names_of_secrets_are_in_no_event(api: Api, webhook_client: FakeWebhookClient) -> None:
    await create_webhook(api, events=["request.created"])
    secret = {"names": ["HIDDEN_KEY"], "reason": "needed", "hide_names": True}
    body = ask(kind="secret", secret=secret)
    del body["form"]
    reply = await (await api.as_("requester")).post("/v1/requests", json=body)
    assert reply.status_code == 201, reply.text
    await sweep(api)
    [posted] = webhook_client.posted
    assert b"HIDDEN_KEY" not in posted.body


@requirement("G10")
async def test_a_running_server_delivers_automatically(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "POLL_S", 0.02)
    webhook_client = FakeWebhookClient(answers=[ERROR])
    app = create_app(webhook_client=webhook_client)
    async with app.running():
        api = Api(app, ManualClock())
        hook = await create_webhook(api)
        removed_webhook = await create_webhook(api, events=["request.created"])
        assert (
            await (await api.as_("admin")).delete(f"/v1/webhooks/{removed_webhook['id']}")
        ).status_code == 204
        await settled(api, delivery="resume")
        with anyio.fail_after(120):
            while not (found := await log(api, hook)) or not found[0]["attempts"]:
                await anyio.sleep(0.02)
        assert (await redeliver(api, hook, delivery=found[0]["id"])).status_code == 200
        with anyio.fail_after(120):
            while (await log(api, hook))[0]["state"] != "delivered":
                await anyio.sleep(0.02)
    assert len(webhook_client.posted) == 2


@requirement("G10")
@pytest.mark.parametrize(
    ("answer", "expected"),
    [(WebhookResponse(204), (204, None)), (ERROR, (500, None)), (Unreachable("tls"), (None, "tls"))],
)
async def test_an_admin_tries_a_webhook_and_reads_the_reply(
    api: Api,
    webhook_client: FakeWebhookClient,
    answer: WebhookResponse | Exception,
    expected: tuple[Any, Any],
) -> None:
    hook = await create_webhook(api)
    admin = await api.as_("admin")
    assert (await admin.patch(f"/v1/webhooks/{hook['id']}", json={"active": False})).status_code == 200
    webhook_client.answers = [answer]
    reply = await admin.post(f"/v1/webhooks/{hook['id']}/test")
    assert reply.status_code == 200, reply.text
    result = reply.json()
    assert (result["status"], result["error"], result["duration_ms"]) == (*expected, 0)
    [posted] = webhook_client.posted
    message = read(api, hook, posted)
    assert (message["type"], message["data"]) == ("test", {})
    assert await log(api, hook) == []
    [tried] = [entry for entry in await audit(api) if entry["action"] == "webhook.test"]
    assert tried["webhook_id"] == hook["id"]


@requirement("G10")
async def test_a_test_delivery_answered_with_410_does_not_disable_the_webhook(
    api: Api, webhook_client: FakeWebhookClient
) -> None:
    hook = await create_webhook(api)
    webhook_client.answers = [WebhookResponse(410)]
    admin = await api.as_("admin")
    assert (await admin.post(f"/v1/webhooks/{hook['id']}/test")).json()["status"] == 410
    assert [webhook["active"] for webhook in (await admin.get("/v1/webhooks")).json()["webhooks"]] == [True]


async def audit(api: Api) -> list[dict[str, Any]]:
    return (await (await api.as_("admin")).get("/v1/audit")).json()["entries"]


@requirement("G10")
async def test_a_delivery_that_fails_ends_no_other_one(
    api: Api, webhook_client: FakeWebhookClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = await create_webhook(api, events=["request.created"])
    for _ in range(3):
        await create_request(api)
    store = api.app.services.store
    note_attempt, failures = store.note_attempt, [RuntimeError("a bug")]

    async def note_most_attempts(*parts: Any, **more: Any) -> None:
        if failures:
            raise failures.pop()
        await note_attempt(*parts, **more)

    monkeypatch.setattr(store, "note_attempt", note_most_attempts)
    assert await sweep(api) == 3
    assert sorted(item["state"] for item in await log(api, hook)) == ["delivered", "delivered", "waiting"]
    assert await sweep(api, after_s=31) == 1
    assert {item["state"] for item in await log(api, hook)} == {"delivered"}
    assert len(webhook_client.posted) == 4
