"""Exclusive keys: at most one open request of an agent with a key in a thread, and the fate of the others."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback.service.jobs import recovery
from tests.contracts.samples import answer
from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, ask, create_request

pytestmark = pytest.mark.anyio


def exclusive_body(on_conflict: str | None = None, **extra: Any) -> dict[str, Any]:
    conflict = {} if on_conflict is None else {"on_conflict": on_conflict}
    return ask(exclusive_key="plan", **conflict, **extra)


async def read(api: Api, request: dict[str, Any]) -> dict[str, Any]:
    return (await (await api.as_("requester")).get(f"/v1/requests/{request['id']}")).json()


async def event_types(api: Api, thread: str = "t1") -> list[str]:
    events = await api.app.services.store.thread_events("default", thread, after=0)
    return [event.type for event in events]


@requirement("M9")
async def test_a_new_request_supersedes_the_open_one_with_its_key(api: Api) -> None:
    old_request = await create_request(api, **exclusive_body())
    new_request = await create_request(api, **exclusive_body())
    other_request = await create_request(api, exclusive_key="other")
    ended_request = await read(api, old_request)
    assert (ended_request["status"], ended_request["reason"]) == ("cancelled", "superseded")
    assert [(await read(api, item))["status"] for item in (new_request, other_request)] == [
        "pending",
        "pending",
    ]
    assert await event_types(api) == [
        "request.created",
        "request.cancelled",
        "request.created",
        "request.created",
    ]


async def test_of_many_concurrent_requests_that_supersede_each_other_one_is_open(api: Api) -> None:
    agent = await api.as_("requester")
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(lambda: create_request(api, **exclusive_body()))
    requests = (await agent.get("/v1/requests", params={"status": "pending"})).json()["requests"]
    assert len(requests) == 1


async def test_a_request_that_is_to_be_rejected_gets_the_open_one(api: Api) -> None:
    old_request = await create_request(api, **exclusive_body())
    agent = await api.as_("requester")
    refusal = await agent.post("/v1/requests", json=exclusive_body("reject"))
    assert (refusal.status_code, refusal.json()["error"]["code"]) == (409, "exclusive")
    assert refusal.json()["error"]["request"] == old_request


async def test_a_retry_with_its_idempotency_key_gets_its_own_request(api: Api) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k"})
    first_body = (await agent.post("/v1/requests", json=exclusive_body("reject"))).json()
    second_reply = await agent.post("/v1/requests", json=exclusive_body("reject"))
    assert (second_reply.status_code, second_reply.json()) == (201, first_body)


async def test_an_agent_does_not_supersede_requests_of_another(api: Api) -> None:
    own_request = await create_request(api, **exclusive_body())
    other = (await (await api.as_("requester/other")).get("/v1/session")).json()["principal"]["id"]
    let_in = {"agents": [own_request["requester"]["id"], other]}
    assert (await (await api.as_("admin")).put("/v1/threads/t1/access", json=let_in)).status_code == 200
    await create_request(api, "requester/other", **exclusive_body())
    assert (await read(api, own_request))["status"] == "pending"


async def test_a_queued_request_waits_for_presence_only_when_promoted(api: Api) -> None:
    first_request = await create_request(api, **exclusive_body())
    second_request = await create_request(api, **exclusive_body("queue"))
    third_request = await create_request(api, **exclusive_body("queue"))
    assert second_request["queued_behind"] is True
    person = await api.as_("responder")
    early = await person.post(f"/v1/requests/{second_request['id']}/answer", json=ANSWER)
    assert (early.status_code, early.json()["error"]["code"]) == (409, "queued_behind")
    declined_reply = await person.post(
        f"/v1/requests/{second_request['id']}/decline", json={"reason": "refused"}
    )
    assert declined_reply.status_code == 409
    inbox = (await person.get("/v1/requests", params={"status": "pending"})).json()["requests"]
    assert [item["id"] for item in inbox] == [first_request["id"]]
    for now, next_request in ((first_request, second_request), (second_request, third_request)):
        assert (await person.post(f"/v1/requests/{now['id']}/answer", json=ANSWER)).status_code == 200
        ahead = await read(api, next_request)
        assert (ahead["status"], "queued_behind" in ahead) == ("pending", False)
    assert (await event_types(api)).count("request.created") == 3
    assert (await event_types(api))[1:3] == ["request.lined_up", "request.lined_up"]


async def test_queued_requests_of_a_dead_server_are_promoted_by_another(api: Api) -> None:
    first_request = await create_request(api, **exclusive_body())
    second_request = await create_request(api, **exclusive_body("queue"))
    store = api.app.services.store
    row = await store.get("default", first_request["id"])
    assert row is not None
    await store.settle(answer(row))  # as if the server had died right after
    await recovery.promote_and_deliver(api.app.services)
    assert "queued_behind" not in await read(api, second_request)


async def test_an_approval_waits_in_line_as_well(api: Api) -> None:
    agent = await api.as_("requester")
    call = {"kind": "approval", "thread_id": "t1", "approval": {"tool": "deploy", "input": {"n": 1}}}
    await create_request(api, **exclusive_body())
    reply = await agent.post("/v1/requests", json={**call, "exclusive_key": "plan", "on_conflict": "queue"})
    assert (reply.status_code, reply.json()["queued_behind"]) == (201, True)
    person = await api.as_("responder")
    early = await person.post(
        f"/v1/requests/{reply.json()['id']}/answer", json={"revision": 1, "decision": "approve"}
    )
    assert early.status_code == 409


async def test_no_clock_begins_while_a_request_waits_in_line(api: Api) -> None:
    first_request = await create_request(api, **exclusive_body())
    clock = {"timeout_s": 5, "timeout_from": "shown"}
    lined_up = await create_request(api, **exclusive_body("queue", **clock))
    person = await api.as_("responder")
    assert (await person.post(f"/v1/requests/{lined_up['id']}/shown", json={})).json() == lined_up
    await person.post(f"/v1/requests/{first_request['id']}/answer", json=ANSWER)
    body = (await person.post(f"/v1/requests/{lined_up['id']}/shown", json={})).json()
    assert {"shown_at", "expires_at"} <= body.keys()


async def test_a_queued_request_that_is_erased_meanwhile_is_no_error_of_another_answer(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create_request(api, **exclusive_body())
    queued = await create_request(api, **exclusive_body("queue"))
    other = await create_request(api, exclusive_key="other", thread_id="t2")
    store = api.app.services.store
    stale_record = await store.get("default", queued["id"])
    assert (await (await api.as_("admin")).delete("/v1/threads/t1")).status_code == 204

    async def next_in_line() -> list[Any]:
        return [stale_record]

    monkeypatch.setattr(store, "next_in_line", next_in_line)
    person = await api.as_("responder")
    reply = await person.post(f"/v1/requests/{other['id']}/answer", json=ANSWER)
    assert (reply.status_code, reply.json()["status"]) == (200, "answered")
