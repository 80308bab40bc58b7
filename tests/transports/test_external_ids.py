"""The agent's own data on requests: external ids, metadata, and the lists that find them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import anyio
import pytest

from tests.transports.conftest import ANSWER, Api, ask, create_request

pytestmark = pytest.mark.anyio

BODIES: dict[str, dict[str, Any]] = {
    "form": ask(external_id="x1"),
    "approval": {
        "kind": "approval",
        "thread_id": "t1",
        "external_id": "x1",
        "approval": {"tool": "deploy", "input": {"n": 1}},
    },
    "allowed": {
        "kind": "approval",
        "thread_id": "t1",
        "external_id": "x1",
        "approval": {"tool": "bash", "input": {"command": "pwd"}},
    },
}


@pytest.mark.parametrize("kind", BODIES)
async def test_the_same_external_id_with_the_same_body_is_the_same_request(api: Api, kind: str) -> None:
    agent = await api.as_("requester")
    first_reply = await agent.post("/v1/requests", json=BODIES[kind])
    second_reply = await agent.post("/v1/requests", json=BODIES[kind], headers={"Idempotency-Key": "k"})
    assert (first_reply.status_code, second_reply.status_code, second_reply.json()) == (
        201,
        200,
        first_reply.json(),
    )
    assert first_reply.json()["external_id"] == "x1"
    assert second_reply.headers["Idempotent-Replayed"] == "true"
    assert len(await api.app.services.store.thread_events("default", "t1", after=0)) == 1


@pytest.mark.parametrize("kind", BODIES)
async def test_the_same_external_id_with_another_body_is_a_conflict_with_that_request(
    api: Api, kind: str
) -> None:
    agent = await api.as_("requester")
    first_body = (await agent.post("/v1/requests", json=BODIES[kind])).json()
    refusal = await agent.post("/v1/requests", json={**BODIES[kind], "timeout_s": 9})
    error = refusal.json()["error"]
    assert (refusal.status_code, error["code"], error["request"]) == (409, "external_id_taken", first_body)


async def test_an_external_id_belongs_to_one_agent_and_thread(api: Api) -> None:
    first_request = await create_request(api, external_id="x1")
    assert (await create_request(api, external_id="x1", thread_id="t2"))["id"] != first_request["id"]
    assert (await create_request(api, "requester/other", external_id="x1", thread_id="t3"))[
        "id"
    ] != first_request["id"]


async def test_a_request_that_was_answered_comes_back_with_its_answer(api: Api) -> None:
    first_request = await create_request(api, external_id="x1")
    person = await api.as_("responder")
    assert (await person.post(f"/v1/requests/{first_request['id']}/answer", json=ANSWER)).status_code == 200
    second_reply = await (await api.as_("requester")).post("/v1/requests", json=ask(external_id="x1"))
    assert (second_reply.status_code, second_reply.json()["answer"]["values"]) == (200, {"dish": "soup"})


async def test_one_of_many_concurrent_calls_creates_the_request(api: Api) -> None:
    agent = await api.as_("requester")
    replies: list[Any] = []

    async def call(n: int) -> None:
        replies.append(await agent.post("/v1/requests", json=ask(external_id="x1", metadata=n % 2)))

    async with anyio.create_task_group() as tasks:
        for n in range(20):
            tasks.start_soon(call, n)
    assert Counter(reply.status_code for reply in replies) == {201: 1, 200: 9, 409: 10}
    requests = (await agent.get("/v1/requests", params={"external_id": "x1"})).json()["requests"]
    assert len(requests) == 1


@pytest.mark.parametrize(
    "metadata",
    [{"a": None, "b": [1.5, None, {"c": ""}]}, [], "é" * 8191, 0, False, {"$ref": "x", "": "\u0000"}],
)
async def test_metadata_comes_back_unchanged(api: Api, metadata: Any) -> None:
    request = await create_request(api, metadata=metadata)
    person = await api.as_("responder")
    ended_body = (await person.post(f"/v1/requests/{request['id']}/answer", json=ANSWER)).json()
    requests = (await person.get("/v1/requests")).json()["requests"][0]
    assert request["metadata"] == ended_body["metadata"] == requests["metadata"] == metadata
    assert type(request["metadata"]) is type(metadata)


async def test_requests_are_listed_by_external_id(api: Api) -> None:
    labels = {"external_id": "x1", "tool_call_id": "c1", "run_id": "r1"}
    first_request = await create_request(api, **labels)
    other_request = await create_request(api, "requester/other", thread_id="t2", tool_call_id="c1")
    agent, person = await api.as_("requester"), await api.as_("responder")

    async def ids(who: Any, **params: str) -> list[str]:
        reply = await who.get("/v1/requests", params=params)
        assert reply.status_code == 200, reply.text
        return [request["id"] for request in reply.json()["requests"]]

    for name, value in labels.items():
        assert await ids(agent, **{name: value}) == [first_request["id"]]
        assert await ids(agent, **{name: value}, thread_id="t1", status="pending", kind="form") == [
            first_request["id"]
        ]
        assert await ids(agent, **{name: "other"}) == []
    assert await ids(person, tool_call_id="c1") == [other_request["id"], first_request["id"]]
    assert await ids(person, agent=first_request["requester"]["id"]) == [first_request["id"]]
    assert await ids(agent, agent=other_request["requester"]["id"]) == []


async def test_requests_are_listed_by_the_time_of_their_creation(api: Api) -> None:
    created_requests = []
    for _ in range(3):
        created_requests.append(await create_request(api))
        api.clock.advance(seconds=1)
    person = await api.as_("responder")
    times = [item["created_at"] for item in created_requests]

    async def places(**params: str) -> list[int]:
        requests = (await person.get("/v1/requests", params=params)).json()["requests"]
        return [[item["id"] for item in created_requests].index(request["id"]) for request in requests]

    assert await places(created_after=times[0]) == [2, 1]
    assert await places(created_before=times[2]) == [1, 0]
    assert await places(created_after=times[0], created_before=times[2]) == [1]
    assert await places(created_after=times[0], created_before=times[2], kind="form", status="pending") == [1]
    assert await places(created_before=times[2], limit="1") == [1]
    assert await places(created_before=times[2], cursor=created_requests[1]["id"]) == [0]
    assert await places(created_after="0001-01-01T00:00:00Z", created_before="9999-12-31T23:59:59Z") == [
        2,
        1,
        0,
    ]


@pytest.mark.parametrize("name", ["created_after", "created_before"])
@pytest.mark.parametrize("value", ["yesterday", "2026-11-20", "2026-11-20T09:00:00", "", "1795000000000"])
async def test_a_time_that_cannot_be_read_is_refused_with_its_name(api: Api, name: str, value: str) -> None:
    reply = await (await api.as_("responder")).get("/v1/requests", params={name: value})
    (fault,) = reply.json()["error"]["field_errors"]
    assert (reply.status_code, fault["path"], fault["code"]) == (422, name, "invalid_datetime")
