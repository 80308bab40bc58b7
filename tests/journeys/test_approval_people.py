"""Groups K and B: who may decide, how many have to agree, and concurrent decisions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.conftest import KillableServer, Server
from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


async def ask_two_of_three(team: Team, thread: str, command: str = "make deploy", **extra: Any) -> str:
    """Ask for two yeses of three people; returns the id."""
    request = request_of(await team.agent.bash(thread, command, quorum=2, assignees=team.ids, **extra))
    assert request["approval"]["scopes"] == ["once"]
    return request["id"]


def voters(request: dict[str, Any]) -> list[tuple[str, str]]:
    """Who voted, and how."""
    return [(vote["by"]["name"], vote["decision"]) for vote in request.get("votes", [])]


@requirement("K6")
async def test_one_yes_of_two_leaves_it_open_and_the_second_approves(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    first_reply = await team.ada.decide(request_id, "approve")
    assert (first_reply.status_code, first_reply.json()["status"]) == (200, "pending")
    assert voters(first_reply.json()) == [("ada", "approve")]
    assert "answer" not in first_reply.json()
    assert refusal(await team.agent.consume(request_id, "early")) == (409, "not_approved")
    second_request = (await team.carol.decide(request_id, "approve")).json()
    assert (second_request["status"], second_request["answer"]["decision"]) == ("answered", "approve")
    assert voters(second_request) == [("ada", "approve"), ("carol", "approve")]
    assert refusal(await team.bob.decide(request_id, "approve")) == (409, "already_settled")
    assert (await team.agent.consume(request_id, "run-1")).status_code == 200
    events = [event["type"] async for event in team.bob.events(thread, until=3)]
    assert events == ["request.created", "request.voted", "request.answered"]


@requirement("K6")
async def test_one_no_is_enough(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    await team.ada.decide(request_id, "approve")
    denied_request = (await team.bob.decide(request_id, "deny", note="not today")).json()
    assert (denied_request["status"], denied_request["answer"]["decision"]) == ("answered", "deny")
    assert denied_request["answer"]["note"] == "not today"
    assert refusal(await team.carol.decide(request_id, "approve")) == (409, "already_settled")
    assert refusal(await team.agent.consume(request_id, "run-1")) == (409, "not_approved")


@requirement("K6")
async def test_a_person_votes_once_whatever_the_second_vote_says(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    await team.ada.decide(request_id, "approve")
    for decision in ("approve", "deny"):
        second_reply = await team.ada.decide(request_id, decision)
        assert refusal(second_reply) == (409, "already_voted")
        assert voters(second_reply.json()["error"]["request"]) == [("ada", "approve")]
    assert (await team.ada.get(request_id))["status"] == "pending"


@requirement("K6")
async def test_a_vote_sent_again_with_its_key_counts_once(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    replies = [await team.ada.decide(request_id, "approve", key="once") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200] * 3
    assert voters(await team.ada.get(request_id)) == [("ada", "approve")]


@requirement("K6")
async def test_a_second_credential_of_the_same_person_has_no_second_vote(
    server: Server, team: Team, thread: str
) -> None:
    request_id = request_of(await team.agent.bash(thread, "make deploy", quorum=2))["id"]
    await team.ada.decide(request_id, "approve")
    reply = await team.admin.http.post("/v1/tokens", json={"role": "responder", "name": "ada"})
    async with Person(server.url, reply.json()["token"]) as second_person:
        assert refusal(await second_person.decide(request_id, "approve")) == (409, "already_voted")
    assert (await team.ada.get(request_id))["status"] == "pending"


@requirement("K6", "B25")
async def test_an_approval_in_a_batch_is_one_vote(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    [result] = (await team.ada.batch("approve", [request_id])).json()["results"]
    assert (result["status"], result["request"]["status"]) == (200, "pending")
    [second_result] = (await team.ada.batch("approve", [request_id])).json()["results"]
    assert (second_result["status"], second_result["error"]["code"]) == (409, "already_voted")
    [last_result] = (await team.bob.batch("approve", [request_id])).json()["results"]
    assert last_result["request"]["answer"]["decision"] == "approve"


@requirement("K6", "I2")
async def test_the_vote_of_the_asking_agent_is_refused(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    await team.ada.decide(request_id, "approve")
    assert refusal(await team.agent.decide(request_id, "approve")) == (403, "forbidden")
    assert voters(await team.ada.get(request_id)) == [("ada", "approve")]


@requirement("K6")
async def test_the_user_of_the_agent_cannot_decide_if_the_request_excludes_them(
    server: Server, team: Team, thread: str
) -> None:
    async def person(**body: str) -> Person:
        reply = await team.admin.http.post("/v1/tokens", json=body)
        return Person(server.url, reply.json()["token"])

    async with (
        await person(role="requester", name="her agent", user="usr_eva") as agent,
        await person(role="responder", name="Eva at work", user="usr_eva") as eva,
    ):
        request = request_of(await agent.bash(thread, "make deploy", exclude_requester=True, quorum=2))
        assert request["approval"]["exclude_requester"] is True
        for decision in ("approve", "deny"):
            assert refusal(await eva.decide(request["id"], decision)) == (403, "requester_excluded")
        assert refusal(await eva.decline(request["id"], "dismissed")) == (403, "requester_excluded")
        [batch_result] = (await eva.batch("approve", [request["id"]])).json()["results"]
        assert (batch_result["status"], batch_result["error"]["code"]) == (403, "requester_excluded")
        assert "votes" not in await team.ada.get(request["id"])
        await team.ada.decide(request["id"], "approve")
        ended_request = (await team.bob.decide(request["id"], "approve")).json()
        assert ended_request["answer"]["decision"] == "approve"
        other_request = request_of(await agent.bash(thread, "make clean"))
        assert (await eva.decide(other_request["id"], "approve")).status_code == 200


@requirement("K6")
async def test_votes_at_the_same_moment_all_count(team: Team, thread: str) -> None:
    for turn in range(10):
        request = request_of(
            await team.agent.bash(thread, f"make deploy{turn}", quorum=3, assignees=team.ids)
        )
        people = (team.ada, team.bob, team.carol)
        replies = await asyncio.gather(*(person.decide(request["id"], "approve") for person in people))
        assert [reply.status_code for reply in replies] == [200] * 3
        ended_request = await team.ada.get(request["id"])
        assert (ended_request["status"], ended_request["answer"]["decision"]) == ("answered", "approve")
        assert sorted(voters(ended_request)) == [(name, "approve") for name in ("ada", "bob", "carol")]


@requirement("K6")
async def test_votes_survive_the_death_of_the_server(killable_server: KillableServer, thread: str) -> None:
    async with killable_server.team() as team:
        request_id = await ask_two_of_three(team, thread)
        await team.ada.decide(request_id, "approve")
        await killable_server.dies_and_returns()
        assert refusal(await team.ada.decide(request_id, "approve")) == (409, "already_voted")
        ended_request = (await team.bob.decide(request_id, "approve")).json()
        assert voters(ended_request) == [("ada", "approve"), ("bob", "approve")]
        assert ended_request["status"] == "answered"


@requirement("K6", "B20")
async def test_too_few_votes_in_time_are_no_approval(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread, timeout_s=1)
    await team.ada.decide(request_id, "approve")
    ended_request = (await team.agent.http.get(f"/v1/requests/{request_id}", params={"wait": 20})).json()
    while ended_request["status"] == "pending":
        ended_request = (await team.agent.http.get(f"/v1/requests/{request_id}", params={"wait": 20})).json()
    assert ended_request["status"] == "expired"
    assert "answer" not in ended_request
    assert refusal(await team.bob.decide(request_id, "approve")) == (410, "expired")


@requirement("K6", "B24")
async def test_a_rule_that_now_denies_ends_the_voting(team: Team, thread: str) -> None:
    request_id = await ask_two_of_three(team, thread)
    await team.ada.decide(request_id, "approve")
    await team.bob.rule("make deploy", "deny")
    ended_request = (await team.carol.decide(request_id, "approve")).json()
    assert (ended_request["status"], ended_request["source"], ended_request["answer"]["decision"]) == (
        "answered",
        "policy",
        "deny",
    )


@requirement("K6")
async def test_only_the_assignees_decide(team: Team, thread: str) -> None:
    _, bob, carol = team.ids
    assert (await team.carol.http.get("/v1/session")).json()["principal"]["id"] == carol
    request = request_of(await team.agent.bash(thread, "make deploy", assignees=[bob, carol]))
    assert request["assignees"] == [bob, carol]
    for stranger in (team.ada, team.admin):
        for reply in (
            await stranger.decide(request["id"], "approve"),
            await stranger.decide(request["id"], "deny"),
            await stranger.decline(request["id"], "refused"),
        ):
            assert refusal(reply) == (403, "not_assigned")
    [result] = (await team.ada.batch("approve", [request["id"]])).json()["results"]
    assert (result["status"], result["error"]["code"]) == (403, "not_assigned")
    assert await team.ada.get(request["id"]) == request
    assert (await team.carol.decide(request["id"], "approve")).status_code == 200


@requirement("K6")
async def test_only_the_assignees_answer_a_form(team: Team, thread: str) -> None:
    form = (await team.agent.ask(thread, FORM, assignees=[team.bob.id])).json()
    assert refusal(await team.ada.answer(form["id"], {"q": "x"})) == (403, "not_assigned")
    assert refusal(await team.ada.decline(form["id"], "dismissed")) == (403, "not_assigned")
    assert (await team.bob.answer(form["id"], {"q": "x"})).status_code == 200


@requirement("B25", "K6")
async def test_one_of_two_concurrent_decisions_wins_and_the_other_person_sees_it(
    team: Team, thread: str
) -> None:
    for turn in range(10):
        request = request_of(await team.agent.bash(thread, f"make deploy{turn}"))
        yes, no = await asyncio.gather(
            team.ada.decide(request["id"], "approve"), team.bob.decide(request["id"], "deny")
        )
        assert sorted((yes.status_code, no.status_code)) == [200, 409]
        won, lost = (yes, no) if yes.status_code == 200 else (no, yes)
        assert refusal(lost) == (409, "already_settled")
        assert lost.json()["error"]["request"] == won.json() == await team.carol.get(request["id"])


@requirement("B25")
async def test_one_of_fifty_concurrent_decisions_settles_and_stores_one_rule(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make deploy"))

    async def decides(person: Person) -> int:
        return (await person.decide(request["id"], "approve", scope="always")).status_code

    result = await asyncio.gather(*(decides(person) for person in (team.ada, team.bob) for _ in range(25)))
    assert sorted(result) == [200] + [409] * 49
    assert len(await team.ada.rules()) == 1
