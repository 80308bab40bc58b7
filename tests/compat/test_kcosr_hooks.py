"""kcosr's `InteractionRequest` in Python: its hooks decide what becomes of a response."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from askback import AsyncClient, InputRequest
from askback.compat.a2ui import to_a2ui, write_surface
from askback.compat.kcosr import InteractionRequest, ToolError, UserResponse, request_interaction, to_form
from tests.client.conftest import clients_of_app
from tests.requirements import requirement

pytestmark = pytest.mark.anyio
SCHEMA: dict[str, Any] = {
    "title": "Contact",
    "fields": [{"id": "email", "type": "text", "label": "Email", "required": True}],
}


@pytest.fixture
async def clients():
    async with clients_of_app() as connect, connect() as agent, connect("responder") as person:
        yield agent, person


async def wait_for_request(person: AsyncClient, revision: int = 1) -> InputRequest:
    """Wait for the request of the thread at a revision."""
    async for event in person.events("s1", cursor=0):
        request = InputRequest.model_validate(event["request"])
        expected = request.revision == revision and request.status == "pending"
        if expected and not (await person.requests.get(request.id)).settled:
            return request
    raise AssertionError


def complete(response: UserResponse) -> dict[str, Any]:
    if response.action == "cancel":
        return {"complete": {"ok": False, "cancelled": True, "reason": response.reason}}
    return {"complete": {"ok": True, "answers": response.input}}


@requirement("F13", "F14")
async def test_a_hook_asks_again_and_then_completes(clients: tuple[AsyncClient, AsyncClient]) -> None:
    agent, person = clients

    def check(response: UserResponse) -> dict[str, Any]:
        assert response.input is not None
        if "@" not in response.input["email"]:
            second_form = {**SCHEMA, "title": "Fix the errors", "initialValues": response.input}
            return {
                "reprompt": {"inputSchema": second_form, "fieldErrors": {"email": "Invalid email format"}}
            }
        return complete(response)

    request = InteractionRequest("input", check, inputSchema=SCHEMA, presentation="questionnaire")
    with anyio.fail_after(120):
        asking = asyncio.create_task(request_interaction(agent, request, thread_id="s1", tool_call_id="tc1"))
        await person.requests.answer(await wait_for_request(person), {"email": "ada"})
        second_request = await wait_for_request(person, 2)
        assert second_request.form is not None
        assert (second_request.form.title, second_request.submitted and second_request.submitted.values) == (
            "Fix the errors",
            {"email": "ada"},
        )
        assert [(error.path, error.message) for error in second_request.field_errors] == [
            ("values.email", "Invalid email format")
        ]
        await person.requests.answer(second_request, {"email": "ada@example.org"}, revision=2)
        assert await asking == {"ok": True, "answers": {"email": "ada@example.org"}}


async def test_errors_are_not_repeated_after_a_correction(clients: tuple[AsyncClient, AsyncClient]) -> None:
    agent, person = clients
    wrong = iter(
        [{"errorSummary": "Look again.", "fieldErrors": {"email": "No"}}, {"errorSummary": "Once more."}]
    )

    def check(response: UserResponse) -> dict[str, Any]:
        more = next(wrong, None)
        return complete(response) if more is None else {"reprompt": more}

    request = InteractionRequest("input", check, inputSchema=SCHEMA)
    with anyio.fail_after(120):
        asking = asyncio.create_task(request_interaction(agent, request, thread_id="s1"))
        for revision, expected in ((1, (None, [])), (2, ("Look again.", ["No"])), (3, ("Once more.", []))):
            second_request = await wait_for_request(person, revision)
            assert (
                second_request.error_summary,
                [error.message for error in second_request.field_errors],
            ) == expected
            await person.requests.answer(second_request, {"email": "ada"}, revision=revision)
        assert await asking == {"ok": True, "answers": {"email": "ada"}}


@requirement("F20")
async def test_a_cancellation_is_a_response_with_its_reason(clients: tuple[AsyncClient, AsyncClient]) -> None:
    agent, person = clients
    request = InteractionRequest("input", complete, inputSchema=SCHEMA)
    with anyio.fail_after(120):
        asking = asyncio.create_task(request_interaction(agent, request, thread_id="s1"))
        await person.requests.decline(await wait_for_request(person), reason="dismissed", note="later")
        assert await asking == {"ok": False, "cancelled": True, "reason": "later"}


@requirement("F20", "F22")
async def test_a_deadline_and_an_abort_call_their_hooks_once(
    clients: tuple[AsyncClient, AsyncClient],
) -> None:
    agent, person = clients
    called: list[str] = []

    async def timed_out() -> dict[str, Any]:
        called.append("timeout")
        return {"complete": {"ok": False, "error": "Interaction timed out"}}

    late_interaction_request = InteractionRequest(
        "input", complete, inputSchema=SCHEMA, timeoutMs=1000, onTimeout=timed_out
    )
    with anyio.fail_after(120):
        assert await request_interaction(agent, late_interaction_request, thread_id="s1") == {
            "ok": False,
            "error": "Interaction timed out",
        }
        without = InteractionRequest("input", complete, inputSchema=SCHEMA, timeoutMs=1000)
        with pytest.raises(ToolError, match="Interaction timed out"):
            await request_interaction(agent, without, thread_id="s1")
        aborted_request = InteractionRequest(
            "input", complete, inputSchema=SCHEMA, onCancel=lambda: called.append("cancel")
        )
        asking = asyncio.create_task(request_interaction(agent, aborted_request, thread_id="s1"))
        await agent.requests.cancel(await wait_for_request(person), reason="agent_aborted")
        with pytest.raises(ToolError, match="Tool execution aborted"):
            await asking
    assert called == ["timeout", "cancel"]


@requirement("B8", "B18")
@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_an_approval_is_a_response(clients: tuple[AsyncClient, AsyncClient], decision: Any) -> None:
    agent, person = clients
    user_responses: list[UserResponse] = []

    def decided(response: UserResponse) -> dict[str, Any]:
        user_responses.append(response)
        return {"complete": response.action == "approve"}

    request = InteractionRequest("approval", decided, prompt="Deploy web", approvalScopes=("once",))
    with anyio.fail_after(120):
        asking = asyncio.create_task(request_interaction(agent, request, thread_id="s1", tool_name="deploy"))
        card = await wait_for_request(person)
        await person.requests.decide(card, decision, note="because")
        assert await asking is (decision == "approve")
    scope = "once" if decision == "approve" else None
    assert user_responses == [UserResponse(decision, approvalScope=scope, reason="because")]


async def test_nobody_there_is_an_error_where_that_was_asked_for(
    clients: tuple[AsyncClient, AsyncClient],
) -> None:
    agent, _ = clients
    request = InteractionRequest("input", complete, inputSchema=SCHEMA)
    with pytest.raises(ToolError) as error:
        await request_interaction(agent, request, thread_id="s1", require_client="fail_fast")
    assert error.value.code == "interaction_unavailable"


@requirement("F32")
def test_a_questionnaire_is_a_form_and_a_surface() -> None:
    form = to_form(SCHEMA)
    assert to_a2ui(form, surface_id="q1") == write_surface(form, surface_id="q1").messages
