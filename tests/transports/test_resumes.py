"""Groups F and H over HTTP: an agent that does not wait gets the outcome once it continues."""

from __future__ import annotations

from typing import Any

import anyio
import httpx2
import pytest

from tests.requirements import requirement
from tests.transports.conftest import ANSWER, Api, create_request

pytestmark = pytest.mark.anyio


async def pull_resumes(api: Api, who: str = "requester", **query: Any) -> list[dict[str, Any]]:
    """The resumes that an agent pulls."""
    thread = query.pop("thread", None)
    path = "/v1/resumes" if thread is None else f"/v1/threads/{thread}/resumes"
    reply = await (await api.as_(who)).get(path, params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()["resumes"]


async def ack(api: Api, resume: dict[str, Any], who: str = "requester") -> httpx2.Response:
    """Acknowledge a resume."""
    body = {"attempt": resume["attempt"]}
    return await (await api.as_(who)).post(f"/v1/resumes/{resume['id']}/ack", json=body)


async def settled(api: Api, how: str = "answer", body: Any = ANSWER, **asking: Any) -> dict[str, Any]:
    """Ask, and have a person settle it; returns the settled request."""
    request = await create_request(api, **asking)
    who = "requester" if how == "cancel" else "responder"
    reply = await (await api.as_(who)).post(f"/v1/requests/{request['id']}/{how}", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


@requirement("F23", "H5")
async def test_an_answer_waits_for_an_agent_that_has_ended_its_turn(api: Api) -> None:
    request = await settled(api, delivery="resume")
    [resume] = await pull_resumes(api)
    assert resume["request_id"] == request["id"]
    assert resume["thread_id"] == "t1"
    assert resume["request"] == request
    assert (resume["attempt"], resume["until"]) == (1, "2026-11-18T11:07:40.000Z")
    expected_text = 'The person answered "Lunch": "Dish" (dish): "soup"'
    assert resume["text"] == f"About your question ({request['id']}): {expected_text}"
    assert (await ack(api, resume)).json() == {}
    api.clock.advance(seconds=3600)
    assert await pull_resumes(api) == []


@requirement("F23")
@pytest.mark.parametrize(
    ("how", "body", "message"),
    [
        ("decline", {"reason": "refused"}, 'The person will not answer "Lunch".'),
        ("decline", {"reason": "dismissed"}, 'The person closed "Lunch" without answering.'),
    ],
)
async def test_an_unanswered_question_is_reported_too(
    api: Api, how: str, body: dict[str, Any], message: str
) -> None:
    await settled(api, how, body, delivery="resume")
    [resume] = await pull_resumes(api)
    assert message in resume["text"]
    assert "answer" not in resume["request"]


@requirement("F23")
async def test_without_auto_resume_nothing_is_queued(api: Api) -> None:
    request = await settled(api, delivery="resume", auto_resume=False)
    assert "queued" not in request
    api.clock.advance(seconds=3600)
    assert await pull_resumes(api) == []


async def test_an_agent_gets_no_resume_for_its_own_cancellation(api: Api) -> None:
    await settled(api, "cancel", {}, delivery="resume")
    assert await pull_resumes(api) == []


@requirement("H5")
async def test_an_unacknowledged_resume_is_redelivered_and_its_old_lease_is_void(
    api: Api,
) -> None:
    await settled(api, delivery="resume")
    [first] = await pull_resumes(api)
    assert await pull_resumes(api) == []
    api.clock.advance(seconds=60)
    [second] = await pull_resumes(api)
    assert (second["id"], second["attempt"]) == (first["id"], 2)
    late_reply, early = await ack(api, first), await ack(api, {**second, "attempt": 3})
    for refused_reply, text in ((late_reply, "another worker has it now"), (early, "was never leased")):
        assert (refused_reply.status_code, refused_reply.json()["error"]["code"]) == (409, "lease_lost")
        assert text in refused_reply.json()["error"]["message"]
    for _ in range(2):
        assert (await ack(api, second)).status_code == 200
    assert (await ack(api, first)).status_code == 200  # it is done, no matter by whom
    api.clock.advance(seconds=3600)
    assert await pull_resumes(api) == []


@requirement("I12")
async def test_resumes_are_found_by_requester_and_thread(api: Api) -> None:
    await settled(api, delivery="resume", thread_id="t2")
    assert await pull_resumes(api, thread="t1") == []
    assert await pull_resumes(api, "requester/other") == []
    assert await pull_resumes(api, "requester@acme") == []
    [resume] = await pull_resumes(api, thread="t2")
    for who in ("requester/other", "requester@acme"):
        strange = await ack(api, resume, who)
        unknown = await ack(api, {**resume, "id": "rsm_unknown"}, who)
        assert (
            (strange.status_code, strange.content)
            == (unknown.status_code, unknown.content)
            == (404, unknown.content)
        )


@requirement("F23")
async def test_a_poll_returns_as_soon_as_there_is_something(api: Api) -> None:
    request = await create_request(api, delivery="resume")
    found: list[dict[str, Any]] = []

    async def poll() -> None:
        found.extend(await pull_resumes(api, wait=20))

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(poll)
            await anyio.wait_all_tasks_blocked()
            await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert [item["request_id"] for item in found] == [request["id"]]


@requirement("H5")
async def test_an_outcome_without_a_waiter_becomes_a_resume_with_the_same_id(api: Api) -> None:
    request = await settled(api)
    assert request["queued"] is True
    assert await pull_resumes(api) == []  # the waiting client may be about to reconnect
    api.clock.advance(seconds=10)
    [resume] = await pull_resumes(api)
    assert resume["request_id"] == request["id"]


@requirement("G8")
@pytest.mark.parametrize("how", ["read", "poll", "again"])
async def test_a_requester_that_reads_the_outcome_in_time_gets_no_resume(api: Api, how: str) -> None:
    agent = await api.as_("requester", **{"Idempotency-Key": "k"})
    body = {
        "kind": "form",
        "thread_id": "t1",
        "form": {"fields": [{"id": "dish", "type": "text", "label": "Dish"}]},
    }
    request = (await agent.post("/v1/requests", json=body)).json()
    await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    path = f"/v1/requests/{request['id']}"
    back = {
        "read": lambda: agent.get(path),
        "poll": lambda: agent.get(path, params={"wait": 5}),
        "again": lambda: agent.post("/v1/requests", json=body),
    }
    assert (await back[how]()).json()["status"] == "answered"
    api.clock.advance(seconds=60)
    assert await pull_resumes(api) == []


async def test_an_outcome_read_by_a_person_still_reaches_the_agent(api: Api) -> None:
    request = await settled(api)
    await (await api.as_("responder")).get(f"/v1/requests/{request['id']}")
    api.clock.advance(seconds=10)
    assert len(await pull_resumes(api)) == 1


async def test_while_the_agent_waits_nothing_is_queued(api: Api) -> None:
    request = await create_request(api)
    agent = await api.as_("requester")
    ended: list[dict[str, Any]] = []

    async def wait() -> None:
        ended.append((await agent.get(f"/v1/requests/{request['id']}", params={"wait": 20})).json())

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await (await api.as_("responder")).post(f"/v1/requests/{request['id']}/answer", json=ANSWER)
    assert ended[0]["status"] == "answered"
    assert "queued" not in ended[0]


async def test_long_polls_end_as_if_their_time_were_up_when_the_server_stops(api: Api) -> None:
    request = await create_request(api)
    agent = await api.as_("requester")
    replies: list[tuple[int, str]] = []

    async def poll(path: str) -> None:
        reply = await agent.get(path, params={"wait": 60})
        replies.append((reply.status_code, reply.text))

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(poll, f"/v1/requests/{request['id']}")
            tasks.start_soon(poll, "/v1/resumes")
            await anyio.wait_all_tasks_blocked()
            api.app.connections.end()
    assert sorted(replies) == [(200, '{"resumes":[]}'), (204, "")]


@requirement("H5")
@pytest.mark.parametrize("arrives", [True, False])
async def test_an_unacknowledged_outcome_is_a_resume_until_it_is_read(api: Api, arrives: bool) -> None:
    request = await create_request(api)
    agent, path = await api.as_("requester"), f"/v1/requests/{request['id']}"
    ended: list[dict[str, Any]] = []

    async def wait() -> None:
        ended.append((await agent.get(path, params={"wait": 20, "receipt": "true"})).json())

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await (await api.as_("responder")).post(f"{path}/answer", json=ANSWER)
    assert (ended[0]["status"], ended[0]["queued"]) == ("answered", True)
    second_reply = await agent.get(path, params={"wait": 20, "receipt": "true"})
    assert second_reply.json() == ended[0]
    if arrives:
        assert (await agent.get(path)).json() == ended[0]
    api.clock.advance(seconds=10)
    assert [item["request_id"] for item in await pull_resumes(api)] == ([] if arrives else [request["id"]])


@requirement("E8")
async def test_a_resume_about_a_tool_call_has_the_decision(api: Api) -> None:
    body = {
        "kind": "approval",
        "thread_id": "t1",
        "delivery": "resume",
        "approval": {"tool": "deploy", "input": {"to": "production"}},
    }
    reply = await (await api.as_("requester")).post("/v1/requests", json=body)
    decided = await (await api.as_("responder")).post(
        f"/v1/requests/{reply.json()['id']}/answer", json={"revision": 1, "decision": "approve"}
    )
    assert decided.status_code == 200
    [resume] = await pull_resumes(api)
    assert resume["text"].startswith(f"About your tool call ({reply.json()['id']}): The call of the tool")
    assert resume["request"]["answer"]["decision"] == "approve"


@pytest.mark.parametrize(
    "body", [{}, {"attempt": "1"}, {"attempt": 0}, {"attempt": 2**70}, {"attempt": 1, "more": 2}, []]
)
async def test_an_acknowledgement_says_which_lease(api: Api, body: Any) -> None:
    reply = await (await api.as_("requester")).post("/v1/resumes/rsm_x/ack", json=body)
    assert reply.status_code == 422
