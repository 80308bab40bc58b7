"""Monitoring: health, readiness, and metrics without names."""

from __future__ import annotations

import logging
from importlib.metadata import version
from typing import Any

import anyio
import pytest

from askback import logs
from askback.delivery.in_process_bus import InProcessBus
from askback.errors import Unavailable
from askback.ports.store import Principal
from askback.ports.webhooks import WebhookResponse
from askback.server.app import create_app
from askback.service.access import tokens
from askback.service.delivery.waits import ConnectionWaits
from askback.service.jobs import deadlines
from askback.testing.fake_webhook_client import FakeWebhookClient
from askback.transports.rest import monitoring
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import ANSWER, Api, ManualClock, create_request
from tests.transports.hooks import create_webhook, run_sweeping_server, sweep
from tests.transports.test_resumes import pull_resumes, settled

pytestmark = pytest.mark.anyio


async def numbers(api: Api) -> dict[str, float]:
    """The samples by their names and labels."""
    reply = await (await api.as_("operator")).get("/metrics")
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = [line for line in reply.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


async def test_open_and_settled_requests_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    webhook_client = FakeWebhookClient(answers=[WebhookResponse(500)])
    async with run_sweeping_server(webhook_client, monkeypatch) as api:
        await create_request(api)
        request = await create_request(api)
        api.clock.advance(seconds=30)
        await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
        await create_request(api, timeout_s=1)
        api.clock.advance(seconds=2)
        await deadlines.sweep(api.app.services)
        await create_webhook(api)
        await settled(api, delivery="resume")
        await sweep(api)
        await pull_resumes(api, limit=1)
        result = await numbers(api)
    expected = {
        'askback_requests_open{kind="form"}': 1,
        'askback_requests_open{kind="approval"}': 0,
        'askback_requests_ended_total{kind="form",status="answered"}': 2,
        'askback_requests_ended_total{kind="form",status="expired"}': 1,
        'askback_answer_seconds_bucket{kind="form",le="15"}': 1,
        'askback_answer_seconds_bucket{kind="form",le="60"}': 2,
        'askback_answer_seconds_sum{kind="form"}': 30,
        'askback_resumes{state="leased"}': 1,
        'askback_resumes{state="waiting"}': 2,
        'askback_webhook_attempts_total{outcome="failed"}': 1,
        'askback_webhook_deliveries{state="waiting"}': 1,
        'askback_connections{kind="websocket"}': 0,
        "askback_writer_queue": 0,
    }
    assert {name: result[name] for name in expected} == expected
    assert result["askback_writer_changes_total"] >= result["askback_writer_groups_total"] > 5


class WaitingConnection:
    """A connection that waits."""

    def __init__(self, principal: Principal) -> None:
        self.principal = principal
        self.messages: list[str] = []

    def on_settled(self, request_id: str, wire: str) -> None:
        self.messages.append(request_id)

    def on_request_hidden(self) -> None:
        raise AssertionError("no request here is hidden from its agent")


async def test_the_delay_of_notifications_is_measured(api: Api) -> None:
    request = await create_request(api)
    token = await tokens.authenticate(api.app.services, api.tokens["requester"])
    assert token is not None
    waiting_connection = WaitingConnection(token)
    connection_waits = ConnectionWaits(api.app.services)
    connection_waits.add(request["id"], waiting_connection)
    await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    result = await numbers(api)
    assert waiting_connection.messages == [request["id"]]
    assert result['askback_wakeup_seconds_bucket{le="0.001"}'] == result["askback_wakeup_seconds_count"] == 1


async def test_no_metric_label_contains_text_from_a_user(api: Api) -> None:
    await settled(api, thread_id="thread-canary", agent={"name": "agent-canary"})
    await (await api.as_("admin")).get("/metrics-canary")
    text = (await (await api.as_("operator")).get("/metrics")).text
    assert "canary" not in text


async def test_a_server_is_ready_while_it_can_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "FRESH_S", -1)
    bus = InProcessBus()
    store = TemporaryStore(on_commit=bus.publish)
    app = create_app(store=store, bus=bus)
    async with app.running():
        caller = Api(app, ManualClock()).client()
        seen_items: list[tuple[int, Any]] = []
        for offline in (False, True, False):
            store.disk.full = offline
            reply = await caller.get("/readyz")
            seen_items.append((reply.status_code, reply.json()))
        assert (await caller.get("/healthz")).status_code == 200
    assert seen_items[0] == seen_items[2] == (200, {"status": "ready"})
    status, body = seen_items[1]
    assert (status, body["error"]["code"]) == (503, "unavailable")


async def test_a_server_without_its_database_is_healthy_and_not_ready(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse() -> None:
        raise Unavailable("The database is away.")

    for name in ("next_deadline", "check_writable"):
        monkeypatch.setattr(api.app.services.store, name, refuse)
    replies = [await api.client().get(path) for path in ("/healthz", "/readyz")]
    assert [reply.status_code for reply in replies] == [200, 503]


async def test_concurrent_readiness_checks_query_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    store, query_count = api.app.services.store, [0]
    check = store.check_writable

    async def look() -> None:
        query_count[0] += 1
        await check()

    monkeypatch.setattr(store, "check_writable", look)
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(api.client().get, "/readyz")
    assert query_count == [1]


@pytest.mark.parametrize(
    ("request_id", "taken"),
    [
        ("0af7651916cd43dd8448eb211c80319c", True),
        ("01J9Z-abc-DEF", True),
        ("short", False),
        ("x" * 65, False),
        ("a b c d e f g", False),
        ("token=very-secret", False),
        ("ääääääää", False),
    ],
)
async def test_a_call_has_a_request_id_from_the_caller_or_the_server(
    api: Api, request_id: str, taken: bool
) -> None:
    for path in ("/healthz", "/v1/requests", "/nothing"):
        reply = await api.client().get(path, headers=[(b"X-Request-Id", request_id.encode())])
        assert (reply.headers["x-request-id"] == request_id) is taken
        assert len(reply.headers["x-request-id"]) >= 8


async def test_an_internal_error_is_logged_with_the_request_id_of_the_caller(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging, "_logRecordFactory", logs.Record)
    monkeypatch.setattr(api.app.services.store, "counts", None)
    reply = await (await api.as_("operator")).get("/metrics")
    assert reply.status_code == 500
    assert [getattr(record, "request_id", None) for record in caplog.records] == [
        reply.headers["x-request-id"]
    ]


async def test_an_admin_reads_the_state_of_the_server(api: Api) -> None:
    admin = await api.as_("admin")
    body = (await admin.get("/v1/server")).json()
    head = (await admin.get("/v1/audit")).json()["head"]
    schema = api.app.services.store.schema()
    assert body == {
        "version": version("askback"),
        "database": "sqlite",
        "migration": schema.version,
        "read_only": None,
        "audit": head,
    }
    assert schema.version > 0
