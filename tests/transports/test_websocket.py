"""The WebSocket, frame by frame, over the app in process."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.ports.store import ThreadView
from askback.server.app import App, create_app
from askback.server.settings import load
from askback.wire.operations import RENAMED
from tests.temporary_store import TemporaryStore
from tests.transports.sockets import FORM, Open, Socket, app, body, open_  # noqa: F401 - fixtures


@pytest.mark.requirement("G2")
async def test_ask_and_answer_over_two_connections(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    assert await person.call("subscribe", inbox=True, cursor=0) == {"cursor": 0}
    request = await agent.call("create_request", body=body(), wait=True)
    assert (request["status"], request["revision"]) == ("pending", 1)
    pushed = await person.frame()
    assert pushed["inbox"] is True
    assert (pushed["event"]["type"], pushed["event"]["request"]) == ("request.created", request)
    reply = await person.call(
        "answer_request", request_id=request["id"], body={"revision": 1, "values": {"topic": "Bees"}}
    )
    assert reply["answer"]["values"] == {"topic": "Bees"}
    assert await agent.frame() == {"settled": reply}
    assert (await person.frame())["event"]["request"] == reply


@pytest.mark.requirement("H1")
async def test_a_pushed_event_is_stored_already(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", inbox=True)
    agent.send("create_request", body=body())
    pushed = (await person.frame())["event"]["request"]
    record = await app.services.store.get("default", pushed["id"])
    assert record is not None
    assert json.loads(record.wire) == pushed


async def test_errors_go_to_their_frame_and_the_connection_lives_on(open_: Open):
    agent = await open_()
    for text, code, frame_id in [
        ("{", "malformed_json", None),
        ("[]", "wrong_type", None),
        ("", "empty_body", None),
        ('{"op": "ping"}', "missing_required", None),
        ('{"id": "x", "op": "ping"}', "wrong_type", None),
        ('{"id": true, "op": "ping"}', "wrong_type", None),
        ('{"id": 1, "id": 2, "op": "ping"}', "duplicate_key", 1),
        ('{"id": NaN}', "non_finite_number", None),
        ('{"id": 7, "op": "get_request", "request_id": "\\udcff"}', "lone_surrogate", 7),
        ("[" * 20_000, "too_deep", None),
    ]:
        agent.raw(text)
        frame = await agent.frame()
        assert (frame["id"], frame["error"]["status"], frame["error"]["code"]) == (
            frame_id,
            422,
            "invalid",
        ), text
        assert [error["code"] for error in frame["error"]["field_errors"]] == [code], text
    agent.incoming.put_nowait({"type": "websocket.receive", "bytes": b"\xff\xfe"})
    assert (await agent.frame())["error"]["field_errors"][0]["code"] == "invalid_utf8"
    assert await agent.call("ping") == {}


async def test_members_that_an_operation_does_not_have_are_refused_by_name(open_: Open):
    agent = await open_()
    for op, args, paths in [
        ("list_requests", {"thread": "t1"}, ["thread"]),
        ("list_requests", {"kind": "form", "stauts": "pending", "Limit": 1}, ["Limit", "stauts"]),
        ("create_request", {"body": body(), "wait": True, "timeout": 5}, ["timeout"]),
        ("subscribe", {"thread_id": "t1", "after": 3}, ["after"]),
        ("unsubscribe", {"thread_id": "t1", "cursor": 3}, ["cursor"]),
        ("ping", {"at": 1}, ["at"]),
    ]:
        agent.send(op, **args)
        error = (await agent.frame())["error"]
        assert (error["status"], error["code"]) == (422, "invalid"), op
        assert [(e["path"], e["code"]) for e in error["field_errors"]] == [
            (path, "unknown_field") for path in paths
        ]
    assert (await agent.call("list_requests"))["requests"] == []
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert await agent.call("ping", key="k1", traceparent=trace) == {}


async def test_a_name_of_an_earlier_version_is_refused_with_the_new_name(open_: Open):
    agent = await open_()
    for old, new in RENAMED.items():
        error = await agent.call(old)
        assert (error["status"], error["code"]) == (410, "renamed")
        assert error["message"] == f"The operation {old} is now called {new}."


BAD_ARGUMENTS: list[tuple[str, dict[str, Any], str, str]] = [
    ("nope", {}, "op", "unknown_value"),
    ("get_request", {}, "request_id", "missing_required"),
    ("get_request", {"request_id": 5}, "request_id", "wrong_type"),
    ("wait", {"request_ids": "req_1"}, "request_ids", "wrong_type"),
    ("wait", {"request_ids": [1]}, "request_ids", "wrong_type"),
    ("list_requests", {"limit": 0}, "limit", "below_min"),
    ("list_requests", {"limit": 10_000}, "limit", "above_max"),
    ("list_requests", {"limit": True}, "limit", "wrong_type"),
    ("list_runs", {"thread_id": "t1", "running": 1}, "running", "wrong_type"),
    ("list_runs", {"thread_id": "t1", "running": "true"}, "running", "wrong_type"),
    ("list_requests", {"status": "asleep"}, "status", "unknown_value"),
    ("list_requests", {"status": {"a": 1}}, "status", "wrong_type"),
    ("subscribe", {}, "thread_id", "missing_required"),
    ("subscribe", {"thread_id": "t1", "inbox": True}, "thread_id", "contradiction"),
    ("unsubscribe", {"thread_id": "t1", "inbox": True}, "thread_id", "contradiction"),
    ("subscribe", {"thread_id": "t1", "cursor": -1}, "cursor", "below_min"),
    ("subscribe", {"thread_id": "t1", "cursor": 1.5}, "cursor", "wrong_type"),
    ("create_request", {"body": None}, "", "wrong_type"),
    ("create_request", {"body": {}, "key": 5}, "key", "wrong_type"),
]


async def test_bad_arguments_are_refused_with_their_path(open_: Open):
    agent = await open_()
    for op, args, path, code in BAD_ARGUMENTS:
        error = await agent.call(op, **args)
        assert error["status"] == 422
        assert (path, code) in [(e["path"], e["code"]) for e in error["field_errors"]]
        assert await agent.call("ping") == {}


async def test_refusals_have_the_shape_of_rest(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    request = await agent.call("create_request", body=body())
    answer = {"revision": 1, "values": {"topic": "x"}}
    forbidden_reply = await agent.call("answer_request", request_id=request["id"], body=answer)
    assert (forbidden_reply["status"], forbidden_reply["code"]) == (403, "forbidden")
    assert (await agent.call("get_request", request_id="req_nope"))["status"] == 404
    assert (await agent.call("subscribe", inbox=True))["status"] == 403
    stale = await person.call("answer_request", request_id=request["id"], body={**answer, "revision": 2})
    assert (stale["status"], stale["code"], stale["request"]["revision"]) == (409, "stale_revision", 1)
    await person.call("answer_request", request_id=request["id"], body=answer)
    late_reply = await person.call("decline_request", request_id=request["id"], body={"reason": "refused"})
    assert (late_reply["status"], late_reply["code"], late_reply["request"]["status"]) == (
        409,
        "already_settled",
        "answered",
    )


async def test_a_key_makes_a_call_safe_to_repeat(open_: Open):
    agent = await open_()
    first = await agent.call("create_request", body=body(), key="k1")
    assert await agent.call("create_request", body=body(), key="k1", wait=True) == first
    assert (await agent.call("create_request", body=body("t2"), key="k1"))["code"] == "idempotency_mismatch"
    assert len((await agent.call("list_requests", thread_id="t1"))["requests"]) == 1


async def test_waiting_reports_settled_and_unknown_ids_immediately_and_the_rest_later(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    ids = [(await agent.call("create_request", body=body()))["id"] for _ in range(3)]
    cancelled_request = await agent.call("cancel_request", request_id=ids[0], body={"reason": "user_message"})
    assert await agent.call("wait", request_ids=[*ids, "req_nope"]) == {
        "settled": [cancelled_request],
        "unknown": ["req_nope"],
    }
    await person.call("decline_request", request_id=ids[2], body={"reason": "refused"})
    frame = await agent.frame()
    assert (frame["settled"]["id"], frame["settled"]["reason"]) == (ids[2], "refused")
    await person.call("decline_request", request_id=ids[1], body={"reason": "dismissed"})
    assert (await agent.frame())["settled"]["id"] == ids[1]


@pytest.mark.parametrize("waits", [True, False])
async def test_an_outcome_without_a_subscriber_is_queued(open_: Open, waits: bool):
    agent, person = await open_("requester"), await open_("responder")
    request = await agent.call("create_request", body=body(), wait=True)
    if not waits:
        assert await agent.call("unwait", request_ids=[request["id"], "req_nope"]) == {}
    ended_request = await person.call("decline_request", request_id=request["id"], body={"reason": "refused"})
    assert ended_request.get("queued", False) is not waits
    if waits:
        assert await agent.frame() == {"settled": ended_request}


async def test_one_reply_to_a_wait_is_bounded_and_nothing_is_left_out(open_: Open):
    agent = await open_("requester")
    fields = [{"id": f"f{n}", "type": "text", "label": "L", "description": "x" * 2000} for n in range(100)]
    ids: list[str] = []
    for _ in range(8):
        ids.append((await agent.call("create_request", body=body(form={"fields": fields})))["id"])
        await agent.call("cancel_request", request_id=ids[-1], body={})
    reply = await agent.call("wait", request_ids=ids * 100)
    entries = [(await agent.frame())["settled"]["id"] for _ in range(8 - len(reply["settled"]))]
    assert entries
    assert [r["id"] for r in reply["settled"]] + entries == ids
    assert len(json.dumps(reply)) < 1024 * 1024 + 1024


class CountingStore(TemporaryStore):
    """A store that counts how often a whole thread is read."""

    reads = 0

    async def thread(self, tenant: str, thread_id: str, *, limit: int = 500) -> ThreadView | None:
        self.reads += 1
        return await super().thread(tenant, thread_id, limit=limit)


async def test_a_reader_that_stalls_does_not_pile_up_large_replies(tmp_path: Path):
    bus = InProcessBus()
    store = CountingStore(on_commit=bus.publish)
    app = create_app(load({}, data_dir=tmp_path), store=store, bus=bus)
    async with app.running():
        headers = {"Authorization": f"Bearer {await app.token('requester')}"}
        peer = Socket(app, headers=headers, subprotocols=["askback.v1"])
        assert (await peer.message())["type"] == "websocket.accept"
        peer.reading.clear()
        numbers = {peer.send("get_thread", thread_id="t1") for _ in range(50)}
        await anyio.wait_all_tasks_blocked()
        assert store.reads == 1
        peer.reading.set()
        assert {(await peer.frame())["id"] for _ in range(50)} == numbers
        await peer.leave()


async def test_an_agent_cannot_wait_for_a_request_of_another(open_: Open, app: App):
    agent = await open_()
    other_open_value = await open_(
        headers={"Authorization": f"Bearer {await app.token('requester', name='other')}"}
    )
    request = await agent.call("create_request", body=body())
    assert await other_open_value.call("wait", request_ids=[request["id"]]) == {
        "settled": [],
        "unknown": [request["id"]],
    }
    hidden = {"subscribe": {"cursor": 0}, "get_thread": {}}
    for op, extra in hidden.items():
        assert (await other_open_value.call(op, thread_id="t1", **extra))["status"] == 404


@pytest.mark.requirement("G4")
async def test_a_subscription_replays_from_its_cursor_and_then_goes_live(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    text = {"content": [{"type": "text", "text": "x"}]}
    for _ in range(5):
        await agent.call("post_message", thread_id="t1", body=text)
    assert await person.call("subscribe", thread_id="t1", cursor=2) == {"cursor": 2, "level": "all"}
    assert await person.call("subscribe", thread_id="t2") == {"cursor": 0, "level": "all"}
    await agent.call("post_message", thread_id="t1", body=text)
    assert [(await person.frame())["event"]["seq"] for _ in range(4)] == [3, 4, 5, 6]
    assert await person.call("unsubscribe", thread_id="t1") == {}
    await agent.call("post_message", thread_id="t1", body=text)
    await agent.call("post_message", thread_id="t2", body=text)
    assert (await person.frame())["event"]["thread_id"] == "t2"


@pytest.mark.requirement("G4")
async def test_a_second_subscription_continues_where_the_first_was(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    for _ in range(3):
        await agent.call("post_message", thread_id="t1", body={"content": [{"type": "text", "text": "x"}]})
    person.send("subscribe", thread_id="t1", cursor=0)
    person.send("subscribe", thread_id="t1")
    frames = [await person.frame() for _ in range(5)]
    assert [frame["ok"]["cursor"] for frame in frames if "ok" in frame] == [0, 3]
    assert [frame["event"]["seq"] for frame in frames if "event" in frame] == [1, 2, 3]


@pytest.mark.requirement("A20")
async def test_a_subscription_cancelled_before_its_start_stays_closed(open_: Open, app: App):
    peer = await open_("requester")
    peer.send("subscribe", thread_id="t1")
    assert await peer.call("unsubscribe", thread_id="t1") == {}
    await peer.call("post_message", thread_id="t1", body={"content": [{"type": "text", "text": "hi"}]})
    assert app.services.bus.topic_count() == 0  # type: ignore[attr-defined]


async def test_a_slow_operation_holds_up_no_other(open_: Open, app: App, monkeypatch: pytest.MonkeyPatch):
    agent = await open_()
    release = asyncio.Event()
    store = app.services.store
    real = store.list_requests

    async def slow(*args: Any, **kwargs: Any) -> Any:
        await release.wait()
        return await real(*args, **kwargs)

    monkeypatch.setattr(store, "list_requests", slow)
    listing = agent.send("list_requests")
    assert (await agent.call("create_request", body=body()))["status"] == "pending"
    assert await agent.call("ping") == {}
    release.set()
    assert (await agent.frame())["id"] == listing


async def test_a_message_sent_before_disconnecting_is_processed(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    request = await agent.call("create_request", body=body())
    person.send("answer_request", request_id=request["id"], body={"revision": 1, "values": {"topic": "Bees"}})
    await person.leave()
    assert (await agent.call("get_request", request_id=request["id"]))["status"] == "answered"


@pytest.mark.requirement("H5")
async def test_nothing_is_leased_to_a_worker_that_has_left(open_: Open):
    worker, person = await open_("requester"), await open_("responder")
    request = await worker.call("create_request", body=body(delivery="resume"))
    worker.send("pull_resumes", wait=30)
    await worker.call("ping")
    with anyio.fail_after(120):
        await worker.leave()
    answer = {"revision": 1, "values": {"topic": "Bees"}}
    await person.call("answer_request", request_id=request["id"], body=answer)
    successor = await open_("requester")
    [resume] = (await successor.call("pull_resumes"))["resumes"]
    assert (resume["request_id"], resume["attempt"]) == (request["id"], 1)


async def test_nothing_is_left_of_a_connection_that_ended(open_: Open, app: App):
    agent, person = await open_("requester"), await open_("responder")
    await agent.call("create_request", body=body(), wait=True)
    await agent.call("subscribe", thread_id="t1")
    await person.call("subscribe", inbox=True)
    sockets = app.connections.sockets
    assert (sockets.count(), sockets._waits.count(), sockets._subscriptions.count()) == (2, 1, 2)
    await agent.leave()
    await person.leave()
    assert (sockets.count(), sockets._waits.count(), sockets._subscriptions.count()) == (0, 0, 0)
    assert app.services.bus.topic_count() == 0  # type: ignore[attr-defined]


@pytest.mark.requirement("L9")
async def test_a_stalled_reader_gets_a_resync_and_misses_nothing(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", thread_id="t1", cursor=0)
    text = {"content": [{"type": "text", "text": "x" * 4000}]}
    person.reading.clear()
    for _ in range(400):
        await agent.call("post_message", thread_id="t1", body=text)
    person.reading.set()
    seen_items: list[int] = []
    while "resync" not in (frame := await person.frame()):
        seen_items.append(frame["event"]["seq"])
    assert len(seen_items) < 300
    await person.call("subscribe", thread_id="t1", cursor=seen_items[-1])
    while seen_items[-1] < 400:
        seen_items.append((await person.frame())["event"]["seq"])
    assert seen_items == list(range(1, 401))


async def test_a_burst_is_not_slowness(open_: Open):
    agent, person = await open_("requester"), await open_("responder")
    await person.call("subscribe", inbox=True)
    numbers = {agent.send("create_request", body=body(), wait=True) for _ in range(600)}
    reply_ids = {(await agent.frame())["id"] for _ in range(600)}
    assert reply_ids == numbers
    ids = [(await person.frame())["event"]["request"]["id"] for _ in range(600)]
    for request_id in ids:
        person.send("answer_request", request_id=request_id, body={"revision": 1, "values": {"topic": "x"}})
    assert {(await agent.frame())["settled"]["id"] for _ in range(600)} == set(ids)
