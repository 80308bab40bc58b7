"""Rules and modes belong to the agent that asked, unless a person says "every agent"."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.journeys.people import Person, Team, decision_of_reply, faults, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FULL_MODE = {"mode": "full", "confirm": "ENABLE FULL"}
SCOPES = ["once", "thread", "project", "always"]


@pytest.fixture
async def stranger(server: Any, team: Team) -> AsyncIterator[Person]:
    """A second agent of the same tenant."""
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "stranger"})
    async with Person(server.url, reply.json()["token"]) as person:
        yield person


async def runs_unasked(agent: Person, thread: str, command: str, **extra: Any) -> bool:
    """Return whether a command runs without a question."""
    return decision_of_reply(await agent.bash(thread, command, **extra))[0] == "approve"


async def admit_agents(team: Team, thread: str, *agents: Person) -> None:
    """Let agents into a thread."""
    ids = [(await item.http.get("/v1/session")).json()["principal"]["id"] for item in (team.agent, *agents)]
    assert (
        await team.admin.http.put(f"/v1/threads/{thread}/access", json={"agents": ids})
    ).status_code == 200


@requirement("N9")
@pytest.mark.parametrize("scope", ["thread", "project", "always"])
async def test_a_rule_made_on_a_card_is_for_the_asking_agent(
    team: Team, stranger: Person, thread: str, scope: str
) -> None:
    await admit_agents(team, thread, stranger)
    request = request_of(await team.agent.bash(thread, "make test", scopes=SCOPES, project="web"))
    await team.ada.decide(request["id"], "approve", scope=scope)
    assert await runs_unasked(team.agent, thread, "make test", project="web")
    assert not await runs_unasked(stranger, thread, "make test", project="web")
    [rule] = await team.ada.rules()
    assert (rule["agent"], rule["agent_name"]) == (request["requester"]["id"], request["requester"]["name"])


@requirement("N9")
async def test_with_every_agent_it_is_for_all_of_them(team: Team, stranger: Person, thread: str) -> None:
    await admit_agents(team, thread, stranger)
    request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(request["id"], "approve", scope="always", every_agent=True)
    assert await runs_unasked(stranger, thread, "make test")
    [rule] = await team.ada.rules()
    assert rule["agent"] is None


@requirement("N9")
async def test_a_new_token_of_the_same_agent_keeps_its_rules(team: Team, server: Any, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(request["id"], "approve", scope="always")
    body = {"role": "requester", "agent": request["requester"]["id"]}
    reply = await team.admin.http.post("/v1/tokens", json=body)
    async with Person(server.url, reply.json()["token"]) as second_person:
        assert await runs_unasked(second_person, thread, "make test")
        assert (await second_person.http.get(f"/v1/requests/{request['id']}")).status_code == 200


@requirement("N9")
async def test_a_rule_added_by_hand_is_for_every_agent_or_the_named_one(
    team: Team, stranger: Person, thread: str
) -> None:
    await admit_agents(team, thread, stranger)
    me = (await team.agent.http.get("/v1/session")).json()["principal"]["id"]
    await team.ada.rule("make one", agent=me)
    await team.ada.rule("make two")
    assert await runs_unasked(team.agent, thread, "make one")
    assert not await runs_unasked(stranger, thread, "make one")
    assert await runs_unasked(stranger, thread, "make two")
    assert faults(await team.ada.rule("make three", agent="agt_none")) == [("agent", "unknown_agent")]


@requirement("N9")
async def test_a_mode_of_a_thread_is_for_the_agents_that_were_in_it(
    team: Team, stranger: Person, thread: str
) -> None:
    request_of(await team.agent.bash(thread, "make one"))
    assert (await team.ada.set_policy(thread_id=thread, **FULL_MODE)).status_code == 200
    await admit_agents(team, thread, stranger)
    assert await runs_unasked(team.agent, thread, "make two")
    assert not await runs_unasked(stranger, thread, "make two")
    them = (await stranger.http.get("/v1/session")).json()["principal"]["id"]
    await team.ada.set_policy(thread_id=thread, **FULL_MODE, mode_agents=[them])
    assert await runs_unasked(stranger, thread, "make three")


@requirement("B22", "N9")
async def test_a_mode_of_a_new_thread_is_for_the_first_agent_that_asks_there(
    team: Team, stranger: Person, thread: str
) -> None:
    assert (await team.ada.set_policy(thread_id=thread, **FULL_MODE)).status_code == 200
    assert await runs_unasked(team.agent, thread, "make one")
    await admit_agents(team, thread, stranger)
    assert not await runs_unasked(stranger, thread, "make one")
    assert await runs_unasked(team.agent, thread, "make two")


@requirement("N9")
async def test_no_agent_that_a_person_names_is_taken_for_the_first_one(team: Team, thread: str) -> None:
    refusal = await team.ada.set_policy(thread_id=thread, **FULL_MODE, mode_agents=[""])
    assert faults(refusal) == [("mode_agents[0]", "empty")]
    await team.ada.set_policy(thread_id=thread, **FULL_MODE, mode_agents=["first"])
    assert not await runs_unasked(team.agent, thread, "make one")


@requirement("N9")
async def test_a_mode_that_lets_less_run_is_for_every_agent(
    team: Team, stranger: Person, thread: str
) -> None:
    await admit_agents(team, thread, stranger)
    await team.ada.rule("make test")
    await team.ada.set_policy(thread_id=thread, mode="plan")
    for agent in (team.agent, stranger):
        assert decision_of_reply(await agent.bash(thread, "make test"))[0] == "deny"
