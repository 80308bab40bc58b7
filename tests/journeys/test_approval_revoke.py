"""An approved call that has not run is revoked: the agent is told, and either the use or the revocation wins."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from askback import Approval, Conflict
from askback.domain.decision import Decision
from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.conftest import Server
from tests.journeys.people import Person, Team, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def approved(team: Team, thread: str, command: str = "make deploy", **extra: Any) -> dict[str, Any]:
    request = request_of(await team.agent.bash(thread, command, **extra))
    return (await team.ada.decide(request["id"], "approve")).json()


async def revoke(person: Person, request: dict[str, Any]) -> Any:
    return await person.http.post(f"/v1/requests/{request['id']}/revoke", json={})


@requirement("B15", "B28")
async def test_a_revoked_call_cannot_run_and_the_revocation_is_logged(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    revoked = (await revoke(team.bob, request)).json()
    assert (revoked["status"], revoked["answer"]["decision"]) == ("answered", "approve")
    assert revoked["revoked"]["by"]["name"] == "bob"
    assert await team.agent.get(request["id"]) == revoked
    assert (await revoke(team.ada, request)).json() == revoked
    for execution in ("run-1", "run-1", "run-2"):
        refused_reply = await team.agent.consume(request["id"], execution)
        assert refusal(refused_reply) == (409, "revoked")
        assert "A person revoked this approval" in refused_reply.json()["error"]["message"]
    entries, _ = await team.admin.audit()
    records = [
        (entry["action"], entry.get("actor", {}).get("name"), entry.get("refused")) for entry in entries
    ]
    assert records == [
        ("decide", "ada", None),
        ("revoke", "bob", None),
        *[("consume", "agent", "revoked")] * 3,
    ]
    events = [event["type"] async for event in team.bob.events(thread, until=3)]
    assert events == ["request.created", "request.answered", "request.revoked"]


@requirement("B15")
async def test_a_used_approval_cannot_be_revoked_and_shows_its_time(team: Team, thread: str) -> None:
    request = await approved(team, thread)
    used_execution = (await team.agent.consume(request["id"], "run-1")).json()
    refused_reply = await revoke(team.bob, request)
    assert refusal(refused_reply) == (409, "already_consumed")
    assert refused_reply.json()["error"]["request"]["used_at"] == used_execution["consumed_at"]
    assert (await team.agent.consume(request["id"], "run-1")).json() == used_execution
    events = [event["type"] async for event in team.bob.events(thread, until=3)]
    assert events == ["request.created", "request.answered", "request.used"]


@requirement("B15", "H4")
async def test_a_concurrent_use_and_revocation_have_one_winner(team: Team, thread: str) -> None:
    for turn in range(10):
        request = await approved(team, thread, f"make {turn}")
        used, revoked = await asyncio.gather(
            team.agent.consume(request["id"], "run-1"), revoke(team.bob, request)
        )
        assert sorted((used.status_code, revoked.status_code)) == [200, 409]
        current_request = await team.ada.get(request["id"])
        assert ("used_at" in current_request, "revoked" in current_request) == (
            used.status_code == 200,
            revoked.status_code == 200,
        )


@requirement("B15", "I2")
async def test_only_a_person_who_may_decide_a_call_may_revoke_it(team: Team, thread: str) -> None:
    request = await approved(team, thread, assignees=[team.ada.id])
    assert refusal(await revoke(team.agent, request)) == (403, "forbidden")
    assert refusal(await revoke(team.bob, request)) == (403, "not_assigned")
    assert (await revoke(team.ada, request)).status_code == 200
    waiting_request = request_of(await team.agent.bash(thread, "make later"))
    assert refusal(await revoke(team.ada, waiting_request)) == (409, "not_approved")
    denied_request = (await team.ada.decide(waiting_request["id"], "deny")).json()
    assert refusal(await revoke(team.ada, denied_request)) == (409, "not_approved")


@requirement("B15", "F23")
async def test_a_resume_that_was_not_delivered_says_that_it_was_revoked(team: Team, thread: str) -> None:
    request = await approved(team, thread, delivery="resume")
    await revoke(team.bob, request)
    [resume] = (await team.agent.http.get(f"/v1/threads/{thread}/resumes")).json()["resumes"]
    assert resume["request"]["revoked"]["by"]["name"] == "bob"
    assert "then revoked the approval: it was not run. Do not run it" in resume["text"]


@requirement("B15")
async def test_a_client_takes_a_revoked_approval_for_a_no(server: Server, thread: str) -> None:
    async with server.client() as agent, server.client("responder") as person:
        call = Approval(tool="bash", input={"command": "make"})
        request = await agent.requests.create(call, thread_id=thread)
        await person.requests.decide(request, "approve")
        revoked_request = await person.requests.revoke(request)
        assert revoked_request.revoked is not None
        decision = Decision.from_request(await agent.wait(request))
        assert (decision.status, bool(decision), decision.input) == ("revoked", False, {})
        assert "then revoked the approval" in decision.text
        with pytest.raises(Conflict, match="revoked this approval"):
            await agent.consume(request, "run-1")


@requirement("B15")
@pytest.mark.parametrize(
    ("locale", "button", "line"),
    [
        ("en-US", "Revoke", "Revoked by Eva, did not run"),
        ("de-DE", "Widerrufen", "Widerrufen von Eva, nicht ausgeführt"),
    ],
)
async def test_a_receipt_revokes_an_unused_approval_on_every_page(
    screen: OpenScreen, team: Team, thread: str, locale: str, button: str, line: str
) -> None:
    request = await approved(team, thread)
    run_result = await approved(team, thread, "make test")
    page_path = place_of(thread)
    eva = await screen(page_path, team=team, locale=locale)
    bob = await screen(page_path, team=team, name="Bob", locale=locale)
    for item in (eva, bob):
        await expect(item.page.get_by_role("button", name=button)).to_have_count(2)
    await team.agent.consume(run_result["id"], "run-1")
    for item in (eva, bob):
        await expect(item.page.get_by_role("button", name=button)).to_have_count(1)
    assert await eva.violations() == []
    await eva.page.get_by_role("button", name=button).click()
    for item in (eva, bob):
        await expect(item.card.first.locator("summary")).to_contain_text(line)
        await expect(item.page.get_by_role("button", name=button)).to_have_count(0)
    assert refusal(await team.agent.consume(request["id"], "run-1")) == (409, "revoked")
    await eva.page.reload()
    await expect(eva.card.first.locator("summary")).to_contain_text(line)
