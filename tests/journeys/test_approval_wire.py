"""Groups G and M: approvals are the same over HTTP, events and the WebSocket, and are asked and answered once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def operate(person: Person, **frame: Any) -> Any:
    """The reply of an operation over a WebSocket; a refusal fails the test."""
    reply = await person.frame(**frame)
    assert "error" not in reply, reply
    return reply["ok"]


@requirement("G1", "G5", "H2")
async def test_each_event_carries_the_request_as_it_was_at_that_moment(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make", quorum=2))
    voted = (await team.ada.decide(request["id"], "approve")).json()
    answered_request = (await team.bob.decide(request["id"], "approve")).json()
    events = [event async for event in team.carol.events(thread, until=3)]
    assert [event["type"] for event in events] == ["request.created", "request.voted", "request.answered"]
    assert [event["request"] for event in events] == [request, voted, answered_request]
    assert [event["seq"] for event in events] == [1, 2, 3]
    assert await team.agent.get(request["id"]) == answered_request


@requirement("G2", "B8", "B11", "B15", "B28")
async def test_an_approval_works_completely_over_the_websocket(team: Team, thread: str) -> None:
    agent, ada, admin = team.agent, team.ada, team.admin
    approval = {"tool": "bash", "input": {"command": "make test"}}
    created = await operate(
        agent, op="create_request", body={"kind": "approval", "thread_id": thread, "approval": approval}
    )
    assert created == await ada.get(created["id"])
    body = {"revision": 1, "decision": "approve", "scope": "always"}
    answered_request = await operate(ada, op="answer_request", request_id=created["id"], body=body)
    use = {"execution_id": "run-1", **approval}
    used = await operate(agent, op="consume_approval", request_id=created["id"], body=use)
    assert used["input"] == approval["input"]
    report = {"execution_id": "run-1", "outcome": "succeeded"}
    assert (await operate(agent, op="report_execution", request_id=created["id"], body=report))[
        "outcome"
    ] == "succeeded"
    listing = await operate(ada, op="list_rules")
    assert [rule["id"] for rule in listing["rules"]] == [answered_request["answer"]["rule"]["id"]]
    assert await ada.rules() == listing["rules"]
    new_rule = await operate(ada, op="create_rule", body={"rule": "make docs"})
    ended_request = await operate(ada, op="revoke_rule", rule_id=new_rule["id"])
    assert ended_request["revoked_by"]["name"] == "ada"
    changed = await operate(ada, op="update_policy", body={"thread_id": thread, "mode": "plan"})
    assert (
        changed == await operate(ada, op="get_policy", thread_id=thread) == await ada.policy(thread_id=thread)
    )
    log = await operate(admin, op="get_audit_log")
    assert (log["entries"], (log["head"]["seq"], log["head"]["hash"])) == await admin.log()


@requirement("M4", "B17")
async def test_the_same_key_asks_once(team: Team, thread: str) -> None:
    first, *more = await asyncio.gather(*(team.agent.bash(thread, "make", key="k1") for _ in range(10)))
    assert sorted(reply.status_code for reply in (first, *more)) == [201] * 10
    assert {reply.json()["id"] for reply in more} == {first.json()["id"]}
    other_reply = await team.agent.bash(thread, "make install", key="k1")
    assert refusal(other_reply) == (422, "idempotency_mismatch")
    assert len(await team.ada.pending(thread)) == 1
    await team.ada.decide(first.json()["id"], "approve")
    late_reply = await team.agent.bash(thread, "make", key="k1")
    assert (late_reply.status_code, late_reply.json()["answer"]["decision"]) == (201, "approve")


@requirement("M4")
async def test_the_same_key_asks_the_policy_once(team: Team, thread: str) -> None:
    first_reply = await team.agent.bash(thread, "ls", key="k1")
    await team.ada.rule("ls", "deny")
    second_reply = await team.agent.bash(thread, "ls", key="k1")
    assert (first_reply.status_code, second_reply.status_code) == (201, 201)
    assert second_reply.json() == first_reply.json()
    entries, _ = await team.admin.audit()
    assert [entry["action"] for entry in entries] == ["decide", "rule.add"]


@requirement("M4", "B9")
async def test_the_same_key_decides_once_and_keeps_one_rule(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    replies = [await team.ada.decide(request["id"], "approve", scope="always", key="once") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200] * 3
    first, *other_replies = [reply.json() for reply in replies]
    assert other_replies == [{**first, "submission": "accepted"}] * 2
    other_reply = await team.ada.decide(request["id"], "deny", key="once")
    assert refusal(other_reply) == (422, "idempotency_mismatch")
    assert refusal(await team.ada.decide(request["id"], "approve", key="two")) == (409, "already_settled")
    assert len(await team.ada.rules()) == 1


@requirement("C12", "B15")
async def test_a_decision_about_another_revision_is_refused(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make"))
    refused_reply = await team.ada.decide(request["id"], "approve", revision=2)
    assert refusal(refused_reply) == (409, "stale_revision")
    assert refused_reply.json()["error"]["request"] == request


@requirement("G4", "H8")
async def test_approvals_are_in_the_snapshot_of_their_thread_and_in_the_list(team: Team, thread: str) -> None:
    allowed = (await team.agent.bash(thread, "ls", tool_call_id="tc1")).json()
    request = request_of(await team.agent.bash(thread, "make", tool_call_id="tc2", run_id="r1"))
    snapshot = (await team.ada.http.get(f"/v1/threads/{thread}")).json()
    assert snapshot["requests"] == [{**allowed, "seq": 1}, {**request, "seq": 2}]
    query = {"thread_id": thread, "kind": "approval"}
    requests = (await team.ada.http.get("/v1/requests", params=query)).json()["requests"]
    assert requests == [{**item, "level": "all"} for item in (request, allowed)]
    assert (await team.ada.http.get("/v1/requests", params={**query, "kind": "form"})).json()[
        "requests"
    ] == []
