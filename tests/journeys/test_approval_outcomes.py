"""Groups B, C and M: an agent that waits for a decision, and the result and text of each outcome."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Decision
from tests.journeys.conftest import KillableServer, Server
from tests.journeys.people import Person, Team
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CALL = {"command": "make deploy"}
Deciding = Callable[[str], Coroutine[Any, Any, Any]]


@pytest.fixture
async def client(server: Server, team: Team) -> AsyncIterator[AsyncClient]:
    """The team's agent."""
    async with AsyncClient(server.url, team.agent.token) as client:
        yield client


async def wait_for_request(person: Person, thread: str) -> str:
    """The id of the first request in a thread, as soon as there is one."""
    with anyio.fail_after(120):
        async for event in person.events(thread, until=1):
            return event["request"]["id"]
    raise AssertionError("the stream ended")


async def outcome(client: AsyncClient, team: Team, thread: str, deciding: Deciding, **extra: Any) -> Decision:
    """Ask, let somebody decide, and return the agent's result."""
    asking = asyncio.ensure_future(client.approve("bash", CALL, thread_id=thread, **extra))
    await deciding(await wait_for_request(team.ada, thread))
    with anyio.fail_after(120):
        return await asking


@requirement("C20")
async def test_an_interrupted_agent_withdraws_its_request_on_every_screen(
    client: AsyncClient, team: Team, thread: str
) -> None:
    asking = asyncio.ensure_future(client.approve("bash", CALL, thread_id=thread))
    request_id = await wait_for_request(team.ada, thread)
    asking.cancel()
    for person in (team.ada, team.bob):
        with anyio.fail_after(120):
            events = [event async for event in person.events(thread, until=2)]
        ended_request = events[1]["request"]
        assert (ended_request["id"], ended_request["status"], ended_request["reason"]) == (
            request_id,
            "cancelled",
            "agent_aborted",
        )
    assert (await team.ada.decide(request_id, "approve")).status_code == 409
    assert (await team.agent.consume(request_id, "run-1")).status_code == 409


@requirement("C4")
async def test_a_listed_tool_is_approved_immediately_with_its_input_unchanged(
    client: AsyncClient, team: Team, thread: str
) -> None:
    call = {"file_path": "src/a.py", "limit": 20}
    decision = await client.approve("Read", call, thread_id=thread)
    assert (bool(decision), decision.source, decision.input) == (True, "policy", call)
    assert await team.ada.pending(thread) == []


@requirement("C5")
async def test_the_no_of_a_hook_wins_over_the_yes_of_a_person(
    client: AsyncClient, team: Team, thread: str
) -> None:
    frozen: list[str] = []

    async def answer_meanwhile(request_id: str) -> None:
        frozen.append("the freeze has begun")
        await team.ada.decide(request_id, "approve")

    decision = await outcome(
        client, team, thread, answer_meanwhile, hooks=[lambda tool, call: " ".join(frozen) or None]
    )
    assert not decision
    assert decision.input == {}
    assert "the freeze has begun" in decision.text


@requirement("C5")
async def test_a_call_refused_by_a_hook_creates_no_request(
    client: AsyncClient, team: Team, thread: str
) -> None:
    decision = await client.approve("bash", CALL, thread_id=thread, hooks=[lambda tool, call: f"no {tool}"])
    assert not decision
    assert "no bash" in decision.text
    assert (await team.ada.http.get(f"/v1/threads/{thread}")).json()["seq"] == 0


@requirement("C5", "B29")
async def test_a_hook_that_fails_says_no(client: AsyncClient, team: Team, thread: str) -> None:
    def fails(tool: str, call: Any) -> str | None:
        raise RuntimeError("broken")

    assert not await client.approve("Read", {"file_path": "a.py"}, thread_id=thread, hooks=[fails])


@requirement("B16", "M6")
async def test_the_input_edited_by_the_person_runs(client: AsyncClient, team: Team, thread: str) -> None:
    edited_input = {"command": "make deploy --dry-run"}

    async def answer_meanwhile(request_id: str) -> None:
        await team.ada.decide(request_id, "approve", edited_input=edited_input, note="dry first")

    decision = await outcome(client, team, thread, answer_meanwhile, allow_edit=True)
    assert (bool(decision), decision.input, decision.note) == (True, edited_input, "dry first")
    assert "make deploy --dry-run" in decision.text
    assert "dry first" in decision.text


@requirement("B18", "M6")
async def test_the_text_for_the_model_names_the_denied_tool_and_the_note(
    client: AsyncClient, team: Team, thread: str
) -> None:
    async def answer_meanwhile(request_id: str) -> None:
        await team.ada.decide(request_id, "deny", note="Not on a Friday: {tool}")

    decision = await outcome(client, team, thread, answer_meanwhile)
    assert (bool(decision), decision.status, decision.input) == (False, "deny", {})
    assert '"bash"' in decision.text
    assert "Not on a Friday: {tool}" in decision.text
    second_decision = await client.approve("bash", CALL, thread_id=thread)
    assert (bool(second_decision), second_decision.status) == (False, "deny")
    assert "already denied" in second_decision.text


@requirement("M6", "M5", "B20")
async def test_each_outcome_has_a_separate_text_and_only_an_approval_reads_as_permission(
    client: AsyncClient, team: Team, thread: str
) -> None:
    ada, admin = team.ada, team.admin
    ways: dict[str, Deciding] = {
        "approve": lambda item: ada.decide(item, "approve"),
        "deny": lambda item: ada.decide(item, "deny"),
        "declined": lambda item: ada.decline(item, "refused"),
        "dismissed": lambda item: ada.decline(item, "dismissed"),
        "cancelled": lambda item: admin.cancel(item, reason="admin"),
    }
    result = {
        outcome_name: await outcome(client, team, f"{thread}-{outcome_name}", answer_request)
        for outcome_name, answer_request in ways.items()
    }
    result["expired"] = await client.approve("bash", CALL, thread_id=f"{thread}-e", timeout_s=1)
    result["refused"] = await client.approve("bash", {"command": "rm -rf /"}, thread_id=thread)
    statuses = {outcome_name: decision.status for outcome_name, decision in result.items()}
    assert statuses == {
        "approve": "approve",
        "deny": "deny",
        "declined": "declined",
        "dismissed": "declined",
        "cancelled": "cancelled",
        "expired": "expired",
        "refused": "deny",
    }
    assert [outcome_name for outcome_name, decision in result.items() if decision] == ["approve"]
    texts = {outcome_name: decision.text for outcome_name, decision in result.items()}
    assert len(set(texts.values())) == len(texts)
    assert all("bash" in text for text in texts.values())
    assert [outcome_name for outcome_name, text in texts.items() if "not run" not in text] == ["approve"]


@requirement("M6")
async def test_the_texts_can_be_replaced(server: Server, team: Team, thread: str) -> None:
    texts = {"approval.deny": "Nein zu {tool}."}
    async with AsyncClient(server.url, team.agent.token, texts=texts) as client:
        decision = await outcome(client, team, thread, lambda item: team.ada.decide(item, "deny"))
    assert decision.text == 'Nein zu "bash".'
    with pytest.raises(ValueError, match="approval.deny"):
        AsyncClient(server.url, team.agent.token, texts={"approval.deny": "{secret}"})


@requirement("B29", "M6")
async def test_without_a_server_the_answer_is_no(killable_server: KillableServer, thread: str) -> None:
    async with (
        killable_server.team() as team,
        AsyncClient(killable_server.server.url, team.agent.token, retry_for=0) as client,
    ):
        assert await client.approve("bash", {"command": "ls"}, thread_id=thread)
        killable_server.dies()
        with anyio.fail_after(120):
            decision = await client.approve("bash", {"command": "ls"}, thread_id=thread)
        assert (bool(decision), decision.status, decision.input) == (False, "unavailable", {})
        assert "must not be run" in decision.text


@requirement("B15", "G7")
async def test_an_agent_that_waits_gets_the_decision_through_the_death_of_the_server(
    killable_server: KillableServer, thread: str
) -> None:
    async with (
        killable_server.team() as team,
        AsyncClient(killable_server.server.url, team.agent.token) as client,
    ):
        asking = asyncio.ensure_future(client.approve("bash", CALL, thread_id=thread))
        request_id = await wait_for_request(team.ada, thread)
        await killable_server.dies_and_returns()
        assert (await team.ada.decide(request_id, "approve")).status_code == 200
        with anyio.fail_after(120):
            decision = await asking
        assert (bool(decision), decision.input) == (True, CALL)
