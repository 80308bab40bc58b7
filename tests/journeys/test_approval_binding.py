"""Group B: a decision applies to one call, is used once, and expires."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.conftest import KillableServer
from tests.journeys.people import Team, decision_of_reply, digest_of, faults, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CALL = {"command": "make deploy"}


async def approved(team: Team, thread: str, call: dict[str, Any] = CALL, **extra: Any) -> dict[str, Any]:
    """A call that was approved once."""
    request = request_of(await team.agent.approve(thread, "bash", call, **extra))
    reply = await team.ada.decide(request["id"], "approve")
    assert reply.status_code == 200, reply.text
    return reply.json()


@requirement("B15")
async def test_the_decision_carries_the_digest_of_the_call(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    assert request["approval"]["digest"] == request["answer"]["digest"] == digest_of("bash", CALL)
    assert request["answer"]["decision"] == "approve"
    assert request["settled_by"]["name"] == "ada"


@requirement("B15")
async def test_the_same_call_spelt_otherwise_has_the_same_digest(team: Team, thread: str) -> None:
    headers = {"Content-Type": "application/json"}
    digests = set[str]()
    for text in ('{"a": 1, "b": "\\u00e9"}', '{"b":"é","a":1.0}', '{"b": "é", "a": 1e0}'):
        body = (
            f'{{"kind": "approval", "thread_id": "{thread}", "approval": {{"tool": "t", "input": {text}}}}}'
        )
        reply = await team.agent.http.post("/v1/requests", content=body.encode(), headers=headers)
        digests.add(request_of(reply)["approval"]["digest"])
    assert len(digests) == 1


@requirement("B15")
async def test_an_approved_call_is_used_once_and_only_as_it_was_approved(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    for change in (
        {"tool": "bash", "input": {"command": "make deploy2"}},
        {"tool": "bash", "input": {**CALL, "cwd": "elsewhere"}},
        {"tool": "sh", "input": CALL},
        {"digest": digest_of("bash", {"command": "make  deploy"})},
    ):
        assert refusal(await team.agent.consume(request["id"], "run-1", **change)) == (409, "digest_mismatch")
    used_reply = await team.agent.consume(request["id"], "run-1", tool="bash", input=CALL)
    assert used_reply.status_code == 200
    assert used_reply.json() == {
        "request_id": request["id"],
        "execution_id": "run-1",
        "tool": "bash",
        "input": CALL,
        "digest": digest_of("bash", CALL),
        "consumed_at": used_reply.json()["consumed_at"],
        "outcome": None,
    }
    second_reply = await team.agent.consume(request["id"], "run-1", digest=digest_of("bash", CALL))
    assert (second_reply.status_code, second_reply.json()) == (200, used_reply.json())
    second = await team.agent.consume(request["id"], "run-2", tool="bash", input=CALL)
    assert refusal(second) == (409, "already_consumed")
    assert "the call may have run" in second.json()["error"]["message"]


@requirement("B15")
async def test_one_of_many_concurrent_executions_gets_the_call(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    replies = await asyncio.gather(*(team.agent.consume(request["id"], f"run-{n}") for n in range(30)))
    assert sorted(reply.status_code for reply in replies) == [200] + [409] * 29
    assert {refusal(r)[1] for r in replies if r.status_code == 409} == {"already_consumed"}


@requirement("B15")
async def test_a_call_without_approval_cannot_be_used(team: Team, thread: str) -> None:
    pending = request_of(await team.agent.bash(thread, "make one"))
    denied_request = request_of(await team.agent.bash(thread, "make two"))
    await team.ada.decide(denied_request["id"], "deny")
    declined_request = request_of(await team.agent.bash(thread, "make three"))
    await team.ada.decline(declined_request["id"], "refused")
    cancelled_request = request_of(await team.agent.bash(thread, "make four"))
    await team.agent.cancel(cancelled_request["id"])
    refused_request = (await team.agent.bash(thread, "rm -rf /")).json()
    for request in (pending, denied_request, declined_request, cancelled_request, refused_request):
        tried_reply = await team.agent.consume(request["id"], "run-1")
        assert refusal(tried_reply) == (409, "not_approved"), request["id"]


@requirement("B15")
async def test_an_approval_ends_when_its_time_is_over(team: Team, thread: str) -> None:
    request = await approved(team, thread, valid_s=1)
    used_in_time = await approved(team, thread, {"command": "make other"}, valid_s=1)
    first_reply = await team.agent.consume(used_in_time["id"], "run-1")
    assert first_reply.status_code == 200
    await team.agent.lets_pass(1)
    assert refusal(await team.agent.consume(request["id"], "run-1")) == (410, "decision_expired")
    assert (await team.agent.consume(used_in_time["id"], "run-1")).json() == first_reply.json()


@requirement("B15")
async def test_only_the_agent_that_asked_uses_the_decision(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    foreign_reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    headers = {"Authorization": f"Bearer {foreign_reply.json()['token']}"}
    body = {"execution_id": "theirs"}
    other_reply = await team.agent.http.post(
        f"/v1/requests/{request['id']}/consume", json=body, headers=headers
    )
    assert refusal(other_reply) == (404, "not_found")
    assert refusal(await team.ada.consume(request["id"], "adas")) == (403, "forbidden")
    assert (await team.agent.consume(request["id"], "mine")).status_code == 200


@requirement("B15")
async def test_the_result_of_an_execution_is_reported_once(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    assert (await team.agent.report(request["id"], "run-1", "succeeded")).status_code in {404, 409}
    used_execution = (await team.agent.consume(request["id"], "run-1")).json()
    reply = await team.agent.report(request["id"], "run-1", "failed", note="exit status 2")
    assert reply.json() == {**used_execution, "outcome": "failed"}
    assert (await team.agent.report(request["id"], "run-1", "failed")).json() == reply.json()
    other_reply = await team.agent.report(request["id"], "run-1", "succeeded")
    assert refusal(other_reply) == (409, "already_reported")
    assert (await team.agent.consume(request["id"], "run-1")).json() == reply.json()


@requirement("B15")
async def test_a_decision_about_another_call_than_the_shown_one_is_refused(team: Team, thread: str) -> None:
    request = request_of(await team.agent.approve(thread, "bash", CALL))
    other = digest_of("bash", {"command": "make clean"})
    assert refusal(await team.ada.decide(request["id"], "approve", digest=other)) == (409, "digest_mismatch")
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    right = await team.ada.decide(request["id"], "approve", digest=request["approval"]["digest"])
    assert right.json()["answer"]["decision"] == "approve"


@requirement("B16")
async def test_an_edited_input_replaces_the_requested_one_and_is_bound_again(team: Team, thread: str) -> None:
    call = {"command": "make deploy", "timeout": 60}
    request = request_of(await team.agent.approve(thread, "bash", call, allow_edit=True))
    edited_input = {"command": "make deploy --dry-run"}
    approval = (await team.ada.decide(request["id"], "approve", edited_input=edited_input)).json()
    assert approval["answer"]["edited_input"] == edited_input
    assert approval["answer"]["digest"] == digest_of("bash", edited_input)
    assert approval["approval"]["input"] == call
    original = await team.agent.consume(request["id"], "run-1", tool="bash", input=call)
    assert refusal(original) == (409, "digest_mismatch")
    used_execution = (await team.agent.consume(request["id"], "run-1")).json()
    assert (used_execution["input"], used_execution["digest"]) == (
        edited_input,
        digest_of("bash", edited_input),
    )


@requirement("B16")
async def test_an_input_is_edited_only_where_the_agent_allows_it(team: Team, thread: str) -> None:
    request = request_of(await team.agent.approve(thread, "bash", CALL))
    refused_reply = await team.ada.decide(request["id"], "approve", edited_input={"command": "make clean"})
    assert [path for path, _ in faults(refused_reply)] == ["edited_input"]
    assert await team.ada.get(request["id"]) == request


@requirement("B16", "B7")
@pytest.mark.parametrize(
    "command", ["rm -rf /", "make deploy; rm -rf /", "echo key >> ~/.ssh/authorized_keys"]
)
async def test_an_edited_input_that_a_hard_limit_refuses_is_refused_and_the_request_stays_open(
    team: Team, thread: str, command: str
) -> None:
    request = request_of(await team.agent.approve(thread, "bash", CALL, allow_edit=True))
    refused_reply = await team.ada.decide(request["id"], "approve", edited_input={"command": command})
    assert [path for path, _ in faults(refused_reply)] == ["edited_input"]
    assert await team.ada.get(request["id"]) == request


@requirement("B16")
async def test_an_edited_input_that_a_rule_denies_is_refused(team: Team, thread: str) -> None:
    await team.ada.rule("make clean:*", "deny")
    request = request_of(await team.agent.approve(thread, "bash", CALL, allow_edit=True))
    refused_reply = await team.ada.decide(
        request["id"], "approve", edited_input={"command": "make clean all"}
    )
    assert [path for path, _ in faults(refused_reply)] == ["edited_input"]
    assert (await team.ada.get(request["id"]))["status"] == "pending"


@requirement("B16")
@pytest.mark.parametrize("scope", ["thread", "always"])
async def test_an_edited_input_is_approved_once_and_keeps_no_rule(
    team: Team, thread: str, scope: str
) -> None:
    request = request_of(await team.agent.approve(thread, "bash", CALL, allow_edit=True))
    edited_input = {"command": "make clean"}
    refused_reply = await team.ada.decide(request["id"], "approve", scope=scope, edited_input=edited_input)
    assert [path for path, _ in faults(refused_reply)] == ["scope"]
    await team.ada.decide(request["id"], "approve", edited_input=edited_input)
    assert await team.ada.rules() == []
    assert decision_of_reply(await team.agent.approve(thread, "bash", edited_input)) == ("ask", "")


@requirement("B24")
async def test_a_rule_that_now_denies_wins_over_a_late_yes(team: Team, thread: str) -> None:
    request = request_of(await team.agent.approve(thread, "bash", CALL))
    await team.bob.rule("make deploy:*", "deny", why="the freeze has begun")
    late_reply = await team.ada.decide(request["id"], "approve", scope="always")
    assert late_reply.status_code == 200
    ended_body = late_reply.json()
    assert (ended_body["status"], ended_body["source"], ended_body["answer"]["decision"]) == (
        "answered",
        "policy",
        "deny",
    )
    assert "make deploy" in " ".join(ended_body["answer"]["reasons"])
    assert [rule["effect"] for rule in await team.ada.rules()] == ["deny"]
    assert refusal(await team.agent.consume(request["id"], "run-1")) == (409, "not_approved")


@requirement("B24")
@pytest.mark.parametrize("who", ["person", "policy"])
async def test_a_rule_that_now_denies_stops_an_approved_call_that_is_not_yet_used(
    team: Team, thread: str, who: str
) -> None:
    if who == "policy":
        await team.ada.rule("make deploy")
        request = (await team.agent.approve(thread, "bash", CALL)).json()
    else:
        request = await approved(team, thread)
    used = await approved(team, thread, {"command": "make docs"})
    first_reply = await team.agent.consume(used["id"], "run-1")
    await team.bob.rule("make:*", "deny")
    stopped_reply = await team.agent.consume(request["id"], "run-1", tool="bash", input=CALL)
    assert refusal(stopped_reply) == (409, "denied_by_policy")
    assert (await team.agent.consume(used["id"], "run-1")).json() == first_reply.json()


@requirement("B15", "B24")
async def test_an_approval_survives_the_death_of_the_server_and_is_still_used_once(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        waiting_request = request_of(await team.agent.bash(thread, "make one"))
        request = await approved(team, thread)
        await killable_server.dies_and_returns()
        used_reply = await team.agent.consume(request["id"], "run-1", tool="bash", input=CALL)
        assert used_reply.status_code == 200
        late_request = (await team.ada.decide(waiting_request["id"], "approve")).json()
        assert late_request["answer"]["decision"] == "approve"
        await killable_server.dies_and_returns()
        assert (await team.agent.consume(request["id"], "run-1")).json() == used_reply.json()
        assert refusal(await team.agent.consume(request["id"], "run-2")) == (409, "already_consumed")
        assert (await team.agent.consume(late_request["id"], "run-3")).status_code == 200
