"""Groups B and J: many approvals at once, in order, and decided in one action."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Team, decision_of_reply, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def create_thirty_calls(team: Team, thread: str) -> list[dict[str, Any]]:
    """Thirty calls that wait for a decision, asked one after the other."""
    return [request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(30)]


def shown_parts(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a person saw of some requests."""
    return [
        {"id": request["id"], "revision": request["revision"], "digest": request["approval"]["digest"]}
        for request in requests
    ]


@requirement("B25", "J9")
async def test_thirty_that_wait_are_declined_in_one_action(team: Team, thread: str) -> None:
    requests = await create_thirty_calls(team, thread)
    assert [item["id"] for item in await team.ada.pending(thread)] == [request["id"] for request in requests]
    finished_reply = await team.ada.batch("decline", shown_parts(requests), reason="refused", note="stop")
    assert finished_reply.status_code == 200
    results = finished_reply.json()["results"]
    assert [result["id"] for result in results] == [request["id"] for request in requests]
    assert {result["status"] for result in results} == {200}
    ended_requests = [await team.bob.get(request["id"]) for request in requests]
    for now, result in zip(ended_requests, results, strict=True):
        told_request = result["request"]
        assert told_request == {name: now[name] for name in told_request}
        assert told_request["status"] == "declined"
        assert "approval" not in told_request
    assert {(e["status"], e["reason"], e["note"], e["settled_by"]["name"]) for e in ended_requests} == {
        ("declined", "refused", "stop", "ada")
    }
    assert await team.ada.pending(thread) == []
    assert await team.ada.rules(ended="true") == []
    events = [event["type"] async for event in team.ada.events(thread, until=60)]
    assert events == ["request.created"] * 30 + ["request.declined"] * 30


@requirement("B25")
@pytest.mark.parametrize(("action", "decision"), [("approve", "approve"), ("deny", "deny")])
async def test_a_batch_decides_about_each_that_is_listed_and_keeps_no_rule(
    team: Team, thread: str, action: str, decision: str
) -> None:
    first_request, second_request, third_request = [
        request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(3)
    ]
    results = (await team.ada.batch(action, shown_parts([first_request, third_request]))).json()["results"]
    assert [result["request"]["answer"]["decision"] for result in results] == [decision] * 2
    assert [item["id"] for item in await team.ada.pending(thread)] == [second_request["id"]]
    assert await team.ada.rules(ended="true") == []
    assert decision_of_reply(await team.agent.bash("another", "make step0")) == ("ask", "")


@requirement("B25")
@pytest.mark.parametrize("key", ["scope", "rule", "edited_input"])
async def test_a_batch_has_no_place_for_a_rule(team: Team, thread: str, key: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    assert faults(await team.ada.batch("approve", [request["id"]], **{key: "always"})) == [
        (key, "unknown_field")
    ]
    item = {"id": request["id"], "revision": 1, key: "always"}
    assert faults(await team.ada.batch("approve", [item])) == [(f"requests[0].{key}", "unknown_field")]
    assert (await team.ada.get(request["id"]))["status"] == "pending"


@requirement("B25")
async def test_each_request_of_a_batch_is_independent(team: Team, thread: str) -> None:
    good, other_request, stale, settled_request = [
        request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(4)
    ]
    plan = request_of(await team.agent.plan(thread, "Do it."))
    await team.bob.decide(settled_request["id"], "deny")
    items = [
        {"id": good["id"], "revision": 1, "digest": good["approval"]["digest"]},
        {"id": other_request["id"], "revision": 1, "digest": good["approval"]["digest"]},
        {"id": stale["id"], "revision": 7},
        {"id": settled_request["id"], "revision": 1},
        {"id": "req_nothing", "revision": 1},
        {"id": plan["id"], "revision": 1},
    ]
    results = (await team.ada.batch("deny", items)).json()["results"]
    assert [(result["id"], result["status"]) for result in results] == [
        (good["id"], 200),
        (other_request["id"], 409),
        (stale["id"], 409),
        (settled_request["id"], 409),
        ("req_nothing", 404),
        (plan["id"], 422),
    ]
    codes = [r["error"]["code"] for r in results[1:]]
    assert codes == ["digest_mismatch", "stale_revision", "already_settled", "not_found", "invalid"]
    assert results[3]["error"]["request"]["settled_by"]["name"] == "bob"
    left = [item["id"] for item in await team.ada.pending(thread)]
    assert left == [other_request["id"], stale["id"], plan["id"]]


@requirement("B25")
async def test_a_batch_that_is_no_list_of_requests_does_nothing(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    one = {"id": request["id"], "revision": 1}
    for body, path in (
        ({"action": "decline", "requests": []}, "requests"),
        ({"action": "decline", "requests": [one] * 2}, "requests[1].id"),
        ({"action": "decline", "requests": [one, *({"id": f"r{n}"} for n in range(200))]}, "requests"),
        ({"action": "destroy", "requests": [one]}, "action"),
        ({"action": "decline", "requests": [one], "reason": "because"}, "reason"),
        ({"action": "approve", "requests": [one], "reason": "refused"}, "reason"),
        ({"requests": [one]}, "action"),
    ):
        refused_reply = await team.ada.http.post("/v1/requests/batch", json=body)
        assert [fault for fault, _ in faults(refused_reply)] == [path]
    assert await team.ada.get(request["id"]) == request


@requirement("B25", "G2")
async def test_a_batch_works_over_a_websocket_as_well(team: Team, thread: str) -> None:
    requests = [request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(3)]
    reply = await team.ada.frame(
        op="batch_requests", body={"action": "decline", "requests": shown_parts(requests)}
    )
    assert {(result["status"], result["request"]["status"]) for result in reply["ok"]["results"]} == {
        (200, "declined")
    }
    assert await team.ada.pending(thread) == []


@requirement("B25")
async def test_deciding_one_request_does_not_change_the_others(team: Team, thread: str) -> None:
    requests = [request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(5)]
    await asyncio.gather(
        team.ada.decide(requests[3]["id"], "approve"), team.bob.decide(requests[1]["id"], "deny")
    )
    assert await team.carol.pending(thread) == [requests[0], requests[2], requests[4]]


@requirement("B25")
async def test_open_requests_are_declined_in_one_action_after_a_kill_of_the_server(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        requests = await create_thirty_calls(team, thread)
        await killable_server.dies_and_returns()
        assert await team.ada.pending(thread) == requests
        results = (await team.ada.batch("decline", shown_parts(requests))).json()["results"]
        assert {result["status"] for result in results} == {200}
        assert await team.ada.pending(thread) == []


@requirement("J9")
async def test_open_requests_of_all_threads_are_counted_and_declined_in_one_action(
    team: Team, thread: str
) -> None:
    threads = [f"{thread}-{n}" for n in range(3)]
    requests = [request_of(await team.agent.bash(thread, "make")) for thread in threads]
    waiting_requests = (await team.ada.http.get("/v1/requests", params={"status": "pending"})).json()[
        "requests"
    ]
    assert [request["thread_id"] for request in waiting_requests[::-1]] == threads
    results = (await team.ada.batch("decline", shown_parts(requests))).json()["results"]
    assert [result["request"]["status"] for result in results] == ["declined"] * 3
    query = {"status": "pending", "kind": "approval"}
    assert (await team.ada.http.get("/v1/requests", params=query)).json()["requests"] == []


@requirement("J9")
async def test_nobody_declines_all_but_a_person(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    assert refusal(await team.agent.batch("decline", [request["id"]])) == (403, "forbidden")
    assert (await team.ada.get(request["id"]))["status"] == "pending"


@requirement("B25")
async def test_a_key_that_was_used_for_something_else_refuses_that_request_alone(
    team: Team, thread: str
) -> None:
    first_request, second_request = [
        request_of(await team.agent.bash(thread, f"make step{n}")) for n in range(2)
    ]
    key = {"Idempotency-Key": thread}
    body = {"action": "approve", "requests": [{"id": first_request["id"], "revision": 1}]}
    assert (await team.ada.http.post("/v1/requests/batch", json=body, headers=key)).status_code == 200
    body = {
        "action": "deny",
        "requests": [{"id": r["id"], "revision": 1} for r in (first_request, second_request)],
    }
    reply = await team.ada.http.post("/v1/requests/batch", json=body, headers=key)
    assert reply.status_code == 200, reply.text
    first_result, second_result = reply.json()["results"]
    assert (first_result["status"], first_result["error"]["code"]) == (422, "idempotency_mismatch")
    assert (second_result["status"], second_result["request"]["status"]) == (200, "answered")
