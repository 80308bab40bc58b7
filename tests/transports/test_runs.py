"""Runs over HTTP: begin, end, list, and cancel their open requests at once."""

from __future__ import annotations

from typing import Any

import pytest

from askback.service.jobs import recovery
from tests.requirements import requirement
from tests.transports.conftest import Api, ask, create_request

pytestmark = pytest.mark.anyio

RUNS = "/v1/threads/t1/runs"


async def begin_run(api: Api, who: str = "requester", thread: str = "t1", **body: Any) -> dict[str, Any]:
    reply = await (await api.as_(who)).post(f"/v1/threads/{thread}/runs", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()


async def event_types(api: Api) -> list[str]:
    events = await api.app.services.store.thread_events("default", "t1", after=0)
    return [event.type for event in events]


async def read(api: Api, run: dict[str, Any]) -> dict[str, Any]:
    reply = await (await api.as_("admin")).get(f"/v1/threads/{run['thread_id']}/runs/{run['id']}")
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_a_run_begins_and_ends_with_its_reason(api: Api) -> None:
    agent = await api.as_("requester")
    run = await begin_run(api, run_id="r1", metadata={"turn": None})
    assert {**run, "agent": "", "started_at": ""} == {
        "id": "r1",
        "thread_id": "t1",
        "agent": "",
        "status": "running",
        "started_at": "",
        "metadata": {"turn": None},
    }
    second_reply = await agent.post(RUNS, json={"run_id": "r1"})
    assert (second_reply.status_code, second_reply.json()) == (200, run)
    api.clock.advance(seconds=2)
    ended_reply = await agent.post(f"{RUNS}/r1/end", json={"reason": "clarification"})
    assert ended_reply.status_code == 200
    assert (ended_reply.json()["status"], ended_reply.json()["reason"]) == ("ended", "clarification")
    assert (await agent.post(f"{RUNS}/r1/end", json={"reason": "other"})).json() == ended_reply.json()
    assert await read(api, run) == ended_reply.json()
    for path in (RUNS, f"{RUNS}/r1/renew"):
        refusal = await agent.post(path, json={"run_id": "r1"} if path == RUNS else {})
        assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "run_ended")
    assert await event_types(api) == ["run.started", "run.ended"]
    other = await begin_run(api)
    assert other["id"].startswith("run_")
    listing = (await agent.get(RUNS)).json()
    assert listing == {"runs": [other, ended_reply.json()], "next_cursor": None}
    assert (await agent.get(RUNS, params={"running": "true"})).json()["runs"] == [other]
    page = (await agent.get(RUNS, params={"limit": 1})).json()
    assert (await agent.get(RUNS, params={"cursor": page["next_cursor"]})).json()["runs"] == [
        ended_reply.json()
    ]


async def test_a_thread_says_which_runs_have_not_ended_and_an_agent_sees_only_its_own(api: Api) -> None:
    ended, mine = await begin_run(api, run_id="r1"), await begin_run(api, run_id="r2")
    other = (await (await api.as_("requester/other")).get("/v1/session")).json()["principal"]["id"]
    await (await api.as_("admin")).put("/v1/threads/t1/access", json={"agents": [mine["agent"], other]})
    theirs = await begin_run(api, "requester/other", run_id="r3")
    await (await api.as_("requester")).post(f"{RUNS}/{ended['id']}/end", json={})
    thread_body = {
        person: (await (await api.as_(person)).get("/v1/threads/t1")).json()["runs"]
        for person in ("requester", "requester/other", "responder")
    }
    assert thread_body == {"requester": [mine], "requester/other": [theirs], "responder": [theirs, mine]}


@requirement("A19")
async def test_the_open_requests_of_a_run_are_listed_and_cancelled_together(api: Api) -> None:
    agent = await api.as_("requester")
    run, other = await begin_run(api, run_id="r1"), await begin_run(api, run_id="r2")
    own_items = [await create_request(api, run_id="r1") for _ in range(2)]
    queued_request = await create_request(api, run_id="r1", exclusive_key="k", on_conflict="queue")
    other_request = await create_request(api, run_id="r2")
    ids = {"run_id": "r1", "thread_id": "t1", "status": "pending"}
    requests = (await agent.get("/v1/requests", params=ids)).json()["requests"]
    assert {request["id"] for request in requests} == {item["id"] for item in (*own_items, queued_request)}
    finished_reply = await agent.post(f"{RUNS}/r1/cancel", json={})
    assert set(finished_reply.json()["cancelled"]) == {request["id"] for request in requests}
    assert (await read(api, run))["status"] == "running"
    assert (await (await api.as_("requester")).get(f"/v1/requests/{other_request['id']}")).json()[
        "status"
    ] == "pending"
    await agent.post(f"{RUNS}/r2/end", json={"cancel": True})
    ended_request = (await agent.get(f"/v1/requests/{other_request['id']}")).json()
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "agent_aborted")
    assert (await read(api, other))["status"] == "ended"
    label = await create_request(api, run_id="never begun")
    finished_reply = await agent.post(f"{RUNS}/never%20begun/cancel", json={})
    assert finished_reply.json() == {"cancelled": [label["id"]]}


async def test_an_agent_sees_and_cancels_only_its_own_runs(api: Api) -> None:
    run = await begin_run(api, run_id="r1")
    request = await create_request(api, run_id="r1")
    other = (await (await api.as_("requester/other")).get("/v1/session")).json()["principal"]["id"]
    await (await api.as_("admin")).put("/v1/threads/t1/access", json={"agents": [run["agent"], other]})
    foreign_client = await api.as_("requester/other")
    assert (await foreign_client.get(RUNS)).json()["runs"] == []
    for method, path in (("GET", "r1"), ("POST", "r1/renew"), ("POST", "r1/end")):
        reply = await foreign_client.request(method, f"{RUNS}/{path}", json={} if method == "POST" else None)
        assert reply.status_code == 404, path
    assert (await foreign_client.post(f"{RUNS}/r1/cancel", json={})).json() == {"cancelled": []}
    taken = await foreign_client.post(RUNS, json={"run_id": "r1"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "id_taken")
    person = await api.as_("responder")
    assert (await person.get(RUNS)).json()["runs"] == [run]
    admin = await api.as_("admin")
    assert (await admin.post(f"{RUNS}/r1/cancel", json={})).json() == {"cancelled": [request["id"]]}


async def test_a_run_ends_after_ten_minutes_without_activity(api: Api) -> None:
    agent = await api.as_("requester")
    runs = {
        name: await begin_run(api, run_id=name) for name in ("silent", "asks", "says", "renewed", "waits")
    }
    waiting_request = await create_request(api, run_id="waits")
    api.clock.advance(seconds=300)
    await create_request(api, run_id="asks", delivery="resume")
    text = {"content": [{"type": "text", "text": "x"}], "run_id": "says"}
    assert (await agent.post("/v1/threads/t1/messages", json=text)).status_code == 201
    assert (await agent.post(f"{RUNS}/renewed/renew", json={})).status_code == 200

    async def running() -> set[str]:
        await recovery.promote_and_deliver(api.app.services)
        return {name for name, run in runs.items() if (await read(api, run))["status"] == "running"}

    api.clock.advance(seconds=299)
    assert await running() == set(runs)
    api.clock.advance(seconds=1)
    assert await running() == set(runs) - {"silent"}
    assert (await read(api, runs["silent"]))["reason"] == "timeout"
    api.clock.advance(seconds=300)
    assert await running() == {"waits"}
    await agent.post(f"/v1/requests/{waiting_request['id']}/cancel", json={})
    api.clock.advance(seconds=600)
    assert await running() == set()
    assert (await event_types(api)).count("run.ended") == 5


async def test_an_archived_thread_ends_its_runs_and_begins_none(api: Api) -> None:
    agent = await api.as_("requester")
    run = await begin_run(api)
    await agent.post("/v1/threads/t1/archive")
    ended_request = await read(api, run)
    assert (ended_request["status"], ended_request["reason"]) == ("ended", "thread_archived")
    refusal = await agent.post(RUNS, json={})
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "thread_archived")
    export = (await (await api.as_("admin")).get("/v1/threads/t1/export")).json()
    assert export["runs"] == [ended_request]
    await (await api.as_("admin")).delete("/v1/threads/t1")
    assert (await (await api.as_("admin")).get(RUNS)).json()["runs"] == []


@pytest.mark.parametrize(
    ("path", "body", "fault"),
    [
        ("", {"run_id": ""}, ("run_id", "empty")),
        ("", {"run_id": "x" * 201}, ("run_id", "too_long")),
        ("", {"run_id": "a\nb"}, ("run_id", "control_chars")),
        ("", {"run_id": 1}, ("run_id", "wrong_type")),
        ("", {"metadata": "x" * 16383}, ("metadata", "too_long")),
        ("", {"id": "r"}, ("id", "unknown_field")),
        ("", [], ("", "wrong_type")),
        ("/r1/end", {"reason": "x" * 201}, ("reason", "too_long")),
        ("/r1/end", {"cancel": "yes"}, ("cancel", "wrong_type")),
        ("/r1/renew", {"x": 1}, ("x", "unknown_field")),
        ("/r1/cancel", {"x": 1}, ("x", "unknown_field")),
    ],
)
async def test_bad_input_is_refused_with_its_path_and_changes_nothing(
    api: Api, path: str, body: Any, fault: tuple[str, str]
) -> None:
    run = await begin_run(api, run_id="r1")
    reply = await (await api.as_("requester")).post(f"{RUNS}{path}", json=body)
    (field_error,) = reply.json()["error"]["field_errors"]
    assert (reply.status_code, field_error["path"], field_error["code"]) == (422, *fault)
    assert await read(api, run) == run
    assert await event_types(api) == ["run.started"]


async def test_a_run_that_does_not_exist_is_not_found(api: Api) -> None:
    agent = await api.as_("requester")
    await create_request(api)
    for method, path in (("GET", "x"), ("GET", "%00"), ("POST", "x/end"), ("POST", "x/renew")):
        reply = await agent.request(method, f"{RUNS}/{path}", json={} if method == "POST" else None)
        assert reply.status_code == 404, path
    assert (await agent.post("/v1/requests", json=ask(run_id="x"))).status_code == 201
