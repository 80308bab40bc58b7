"""The requests of five source systems with several steps, on the wire and in the client.

The letters and numbers are those of `test_source_items.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from askback import Approval, AsyncClient, Form
from tests.journeys.conftest import Server
from tests.journeys.people import Team
from tests.journeys.test_source_items import NOTE, NOTES
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@dataclass
class Place:
    """The same thread for an agent and a person, over the wire (`agent`, `ada`) and with the client."""

    team: Team
    bot: AsyncClient
    eva: AsyncClient
    boss: AsyncClient

    async def snapshot(self, thread: str) -> dict[str, Any]:
        return (await self.team.ada.http.get(f"/v1/threads/{thread}")).json()


@pytest.fixture
async def step_place(server: Server, team: Team) -> AsyncIterator[Place]:
    """Everybody in a tenant of its own."""
    async with (
        AsyncClient(server.url, team.agent.token) as bot,
        AsyncClient(server.url, team.ada.token) as eva,
        AsyncClient(server.url, team.admin.token) as boss,
    ):
        yield Place(team, bot, eva, boss)


NOTE_FORM = Form(title="Where?", fields=[NOTES])


@requirement("C17", "A18")
async def test_a1_a2_a_message_grows_around_its_request_and_a_tool_call_has_states(step_place: Place) -> None:
    agent, call = (
        step_place.team.agent.http,
        {"type": "tool", "tool_call_id": "tc1", "name": "bash", "status": "calling"},
    )
    text = {"type": "text", "text": "Before."}
    await agent.post("/v1/threads/w/messages", json={"id": "m1", "content": [text, call]})
    first = (await step_place.team.agent.ask("w", {"fields": [NOTE]})).json()["id"]
    extra = {
        "append_to": "m1",
        "content": [{"type": "request", "request_id": first}, {"type": "text", "text": "After."}],
    }
    assert (await agent.post("/v1/threads/w/messages", json=extra)).status_code == 200
    ended = {"tool_call_id": "tc1", "status": "failed", "result": {"exit": 2}, "duration_ms": 1200}
    assert (await agent.patch("/v1/threads/w/messages/m1", json=ended)).status_code == 200
    threads = step_place.bot.threads
    message = await threads.create_message([text, call], thread_id="c")
    second_request = await step_place.bot.requests.create(NOTE_FORM, thread_id="c")
    parts = [{"type": "request", "request_id": second_request.id}, {"type": "text", "text": "After."}]
    await threads.append_parts(message, parts, thread_id="c")
    await threads.update_tool_call(
        message, "tc1", thread_id="c", status="failed", result={"exit": 2}, duration_ms=1200
    )
    for thread, request_id in (("w", first), ("c", second_request.id)):
        [shown_message] = (await step_place.snapshot(thread))["messages"]
        assert [part["type"] for part in shown_message["content"]] == ["text", "tool", "request", "text"]
        assert shown_message["content"][1] == {**call, **ended}
        assert shown_message["content"][2]["request_id"] == request_id


async def test_a3_a_run_ends_with_its_reason_and_cancels_its_open_requests(step_place: Place) -> None:
    agent = step_place.team.agent
    run = (await agent.http.post("/v1/threads/w/runs", json={})).json()["id"]
    await agent.ask("w", {"fields": [NOTE]}, run_id=run)
    await agent.bash("w", "make x", run_id=run)
    body = {"reason": "clarification", "cancel": True}
    assert (await agent.http.post(f"/v1/threads/w/runs/{run}/end", json=body)).status_code == 200
    started_run = await step_place.bot.runs.start(thread_id="c")
    await step_place.bot.requests.create(NOTE_FORM, thread_id="c", run_id=started_run.id)
    await step_place.bot.requests.create(
        Approval(tool="deploy", input={}), thread_id="c", run_id=started_run.id
    )
    await step_place.bot.runs.end(started_run.id, thread_id="c", reason="clarification", cancel=True)
    for thread, run_id in (("w", run), ("c", started_run.id)):
        requests = await step_place.eva.requests.list(thread_id=thread, run_id=run_id)
        assert [item.status for item in requests.items] == ["cancelled"] * 2
        assert (await step_place.bot.runs.get(run_id, thread_id=thread)).reason == "clarification"


@requirement("D7")
async def test_a10_the_answer_is_a_message_of_the_person(step_place: Place) -> None:
    on = {"answers_as_messages": True}
    assert (await step_place.team.agent.http.patch("/v1/threads/w", json=on)).status_code == 200
    await step_place.bot.threads.update("c", answers_as_messages=True)
    for thread in ("w", "c"):
        request = await step_place.bot.requests.create(NOTE_FORM, thread_id=thread)
        await step_place.eva.requests.answer(request, {"note": "Rome"})
        [message] = (await step_place.snapshot(thread))["messages"]
        assert (message["role"], message["content"]) == ("user", [{"type": "text", "text": "Rome"}])


@requirement("B8", "B11")
async def test_a13_a14_always_for_exactly_this_command_of_this_agent(step_place: Place) -> None:
    command = "cd web && FOO=1 npm test 2>&1 | tail -20"
    request = (await step_place.team.agent.bash("w", command)).json()
    assert "always" in request["approval"]["scopes"]
    allowed = await step_place.team.ada.decide(request["id"], "approve", scope="always")
    assert allowed.status_code == 200, allowed.text
    second_request = (await step_place.team.agent.bash("w2", command)).json()
    assert (second_request["status"], second_request["source"]) == ("answered", "policy")
    assert (await step_place.team.agent.bash("w2", f"{command} -n")).json()["status"] == "pending"
    call = Approval(tool="bash", input={"command": "make a && make b"})
    waiting_request = await step_place.bot.requests.create(call, thread_id="c")
    await step_place.eva.requests.decide(waiting_request, "approve", scope="always")
    assert (await step_place.bot.requests.create(call, thread_id="c2")).source == "policy"
    assert {rule.agent for rule in (await step_place.eva.rules.list()).items} == {request["requester"]["id"]}


@requirement("B1")
async def test_a15_nebos_table_is_chosen_on_the_wire_and_in_the_client(step_place: Place) -> None:
    body = {"table": "nebo", "level": "full", "confirm": "ENABLE FULL"}
    assert (await step_place.team.admin.http.post("/v1/policy", json=body)).json()["table"] == "nebo"
    assert (await step_place.team.agent.bash("w", "anything --at all")).json()["status"] == "answered"
    await step_place.boss.policy.update(table="askback", level="allowlist")
    assert (await step_place.team.agent.bash("w", "anything --at all")).json()["status"] == "pending"
    new_policy = await step_place.boss.policy.update(table="nebo", level="full", confirm="ENABLE FULL")
    assert new_policy.table == "nebo"
    assert (
        await step_place.bot.requests.create(Approval(tool="x", input="y"), thread_id="c")
    ).source == "policy"


@requirement("F20", "F22")
async def test_b3_b5_b7_a_hook_reopens_a_decline_with_a_new_deadline_and_a_check_has_a_result(
    step_place: Place,
) -> None:
    def options() -> dict[str, Any]:
        return {"validator": "requester", "hooks": ["decline"], "timeout_s": 600}

    def stricter() -> dict[str, Any]:
        return {"fields": [{**NOTE, "max_length": 3, "required": True}]}

    agent, ada = step_place.team.agent, step_place.team.ada
    wire = (await agent.ask("w", {"fields": [NOTE]}, **options())).json()["id"]
    no = {"reason": "dismissed", "note": "Later", "values": {"note": "Paris"}}
    held_body = (await ada.http.post(f"/v1/requests/{wire}/decline", json=no)).json()
    client = await step_place.bot.requests.create(NOTE_FORM, thread_id="c", **options())
    same_request = await step_place.eva.requests.decline(
        client, reason="dismissed", note="Later", values={"note": "Paris"}
    )
    assert held_body["held"] == {"event": "decline", "reason": "dismissed", "note": "Later"}
    assert (same_request.status, same_request.submitted and same_request.submitted.values) == (
        "resolving",
        {"note": "Paris"},
    )
    assert held_body["check"]["state"] in {"waiting", "checking"}
    body = {"error_summary": "Really?", "timeout_s": 3600, "form": stricter()}
    assert (await agent.http.post(f"/v1/requests/{wire}/reprompt", json=body)).status_code == 200
    await step_place.bot.requests.reprompt(client, error_summary="Really?", timeout_s=3600, form=stricter())
    for request_id in (wire, client.id):
        shown_request = (await ada.http.get(f"/v1/requests/{request_id}")).json()
        assert (shown_request["status"], shown_request["revision"], shown_request["error_summary"]) == (
            "pending",
            2,
            "Really?",
        )
        assert shown_request["submitted"]["values"] == {"note": "Paris"}  # B12: as it was sent
        left = datetime.fromisoformat(shown_request["expires_at"]) - datetime.now(UTC)
        assert 3000 < left.total_seconds() < 3700
        assert (await ada.answer(request_id, {"note": "Rom"}, revision=2)).json()["status"] == "resolving"
    done = {"values": {"note": "ROM"}, "result": {"number": 12}, "message": "Booked, number 12."}
    assert (await agent.http.post(f"/v1/requests/{wire}/accept", json=done)).status_code == 200
    await step_place.bot.requests.accept(client, **done)
    for request_id in (wire, client.id):
        answer = (await ada.http.get(f"/v1/requests/{request_id}")).json()["answer"]
        assert {name: answer[name] for name in done} == done


@requirement("C16")
async def test_b6_b9_an_open_form_is_changed_and_an_empty_answer_is_accepted(step_place: Place) -> None:
    another = {"title": "Where now?", "fields": [NOTE]}
    agent, ada = step_place.team.agent, step_place.team.ada
    wire = (await agent.ask("w", {"fields": [NOTE]})).json()["id"]
    body = {"form": another, "field_errors": [{"path": "values.note", "message": "It is taken."}]}
    assert (await agent.http.patch(f"/v1/requests/{wire}", json=body)).status_code == 200
    client = await step_place.bot.requests.create(NOTE_FORM, thread_id="c")
    await step_place.bot.requests.update(client, form=another, errors={"note": "It is taken."})
    for request_id in (wire, client.id):
        shown_request = (await ada.http.get(f"/v1/requests/{request_id}")).json()
        assert (shown_request["form"]["title"], shown_request["revision"]) == ("Where now?", 2)
        assert shown_request["field_errors"] == body["field_errors"]
        assert (await ada.answer(request_id, {}, revision=2)).json()["answer"] == {"values": {}}


@requirement("E9", "E12")
async def test_b17_a_request_settled_on_creation_resumes_the_agent(step_place: Place) -> None:
    await step_place.boss.rules.create("deploy")
    wire = await step_place.team.agent.approve("w", "deploy", {}, delivery="resume")
    client = await step_place.bot.requests.create(
        Approval(tool="deploy", input={}), thread_id="c", delivery="resume"
    )
    for thread, request_id in (("w", wire.json()["id"]), ("c", client.id)):
        [resume] = (await step_place.team.agent.http.get(f"/v1/threads/{thread}/resumes")).json()["resumes"]
        assert resume["request_id"] == request_id
