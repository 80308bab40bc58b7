"""Requests of askback as the interrupts of an AG-UI agent, answered in its front end."""

from __future__ import annotations

import runpy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from ag_ui.core import Interrupt, ResumeEntry, RunAgentInput, RunFinishedInterruptOutcome

from askback import Approval, AskbackError, AsyncClient, Form, Invalid, Number, SecretAsk, Select
from askback.adapters.ag_ui import as_interrupts, take_resume
from askback.testing import LeaveOpen
from tests.adapters.conftest import Server
from tests.adapters.programs import ROOT
from tests.adapters.promises import client_answered_by

pytestmark = pytest.mark.anyio

LUNCH = Form(
    title="Lunch",
    fields=[
        Select(id="dish", label="Dish", options=["Soup", "Rice"], required=True),
        Number(id="people", label="People", min=1),
    ],
)
CALL = Approval(tool="send_mail", input={"to": "ada@example.com"})


@pytest.fixture
async def ask() -> AsyncIterator[AsyncClient]:
    async with client_answered_by(lambda _: LeaveOpen()) as (client, _):
        yield client


@pytest.fixture
async def trusted_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """An agent whose server takes its reports about approvals."""
    monkeypatch.setenv("ASKBACK_REPORTED_APPROVALS", "on")
    server = Server(tmp_path / "server")
    async with server.client(thread_id="t1") as client:
        yield client
    server.stop()


def resolved(interrupt: Interrupt, payload: Any) -> ResumeEntry:
    return ResumeEntry(interrupt_id=interrupt.id, status="resolved", payload=payload)


async def test_a_form_is_an_interrupt_with_its_schema_and_the_payload_its_answer(ask: AsyncClient) -> None:
    request = await ask.requests.create(LUNCH)
    [interrupt] = await as_interrupts(ask, [request])
    RunFinishedInterruptOutcome(interrupts=[interrupt])
    assert (interrupt.id, interrupt.reason, interrupt.message) == (request.id, "input_required", "Lunch")
    assert interrupt.response_schema is not None
    assert interrupt.response_schema["required"] == ["dish"]
    [answered_request] = await take_resume(
        ask, [request], [resolved(interrupt, {"dish": "Rice", "people": 2})]
    )
    assert answered_request.answer is not None
    assert answered_request.answer.values == {"dish": "Rice", "people": 2}
    assert answered_request.source == "client"


async def test_two_interrupts_are_answered_by_their_ids_and_sending_them_again_changes_nothing(
    ask: AsyncClient,
) -> None:
    requests = [await ask.requests.create(LUNCH), await ask.requests.create(LUNCH)]
    first_interrupt, second_interrupt = await as_interrupts(ask, requests)
    resume = [
        resolved(second_interrupt, {"dish": "Soup"}),
        ResumeEntry(interrupt_id=first_interrupt.id, status="cancelled"),
    ]
    for _ in range(2):
        declined_request, answered_request = await take_resume(ask, requests, resume)
        assert (declined_request.status, declined_request.reason) == ("declined", "dismissed")
        assert answered_request.answer is not None
        assert answered_request.answer.values == {"dish": "Soup"}


async def test_a_payload_that_the_form_refuses_leaves_it_open(ask: AsyncClient) -> None:
    request = await ask.requests.create(LUNCH)
    [interrupt] = await as_interrupts(ask, [request])
    with pytest.raises(Invalid) as exc_info:
        await take_resume(ask, [request], [resolved(interrupt, {"dish": "Cake"})])
    assert [fault["path"] for fault in exc_info.value.field_errors] == ["values.dish"]
    assert (await ask.requests.get(request.id)).status == "pending"


async def test_a_required_question_that_may_be_skipped_is_skipped_when_it_is_left_empty(
    ask: AsyncClient,
) -> None:
    skippable = {"id": "why", "type": "text", "label": "Why", "required": True, "allow_skip": True}
    request = await ask.requests.create(
        {"fields": [skippable, {"id": "name", "type": "text", "label": "Name"}]}
    )
    [interrupt] = await as_interrupts(ask, [request])
    [answered_request] = await take_resume(ask, [request], [resolved(interrupt, {"name": "Ada"})])
    assert answered_request.answer is not None
    assert (answered_request.answer.values, answered_request.answer.skipped) == (
        {"name": "Ada"},
        {"why": True},
    )


async def test_a_resume_has_to_cover_every_interrupt_and_no_other(ask: AsyncClient) -> None:
    requests = [await ask.requests.create(LUNCH), await ask.requests.create(LUNCH)]
    first_interrupt, _ = await as_interrupts(ask, requests)
    for resume in (None, [resolved(first_interrupt, {"dish": "Rice"})]):
        with pytest.raises(AskbackError, match="one entry for each open interrupt"):
            await take_resume(ask, requests, resume)


@pytest.mark.parametrize("kind", ["approval", "secret"])
async def test_a_request_that_the_front_end_may_not_answer_is_a_link_to_the_page(
    ask: AsyncClient, kind: str
) -> None:
    if kind == "approval":
        request = await ask.requests.create(CALL)
    else:
        request = await ask.requests.create(SecretAsk(names=["API_KEY"], reason="To deploy."))
    [interrupt] = await as_interrupts(ask, [request])
    assert (interrupt.reason, interrupt.response_schema) == ("askback:page", None)
    assert interrupt.metadata == {"askback": {"kind": kind, "path": f"/r/{request.id}"}}
    [still] = await take_resume(ask, [request], [resolved(interrupt, {"approved": True})])
    assert still.status == "pending"


async def test_an_approval_is_decided_in_the_front_end_where_the_server_takes_reports(
    trusted_agent: AsyncClient,
) -> None:
    requests = [await trusted_agent.requests.create(CALL, tool_call_id=f"call-{n}") for n in (1, 2)]
    first_interrupt, second_interrupt = await as_interrupts(trusted_agent, requests)
    assert (first_interrupt.reason, first_interrupt.tool_call_id) == ("tool_call", "call-1")
    resume = [
        resolved(first_interrupt, {"approved": True}),
        resolved(second_interrupt, {"approved": False, "reason": "no"}),
    ]
    approved, denied = [
        await trusted_agent.decision(one) for one in await take_resume(trusted_agent, requests, resume)
    ]
    assert approved.approved
    assert (denied.status, denied.note) == ("deny", "no")


async def test_an_approval_without_a_decision_is_refused(trusted_agent: AsyncClient) -> None:
    request = await trusted_agent.requests.create(CALL)
    [interrupt] = await as_interrupts(trusted_agent, [request])
    with pytest.raises(AskbackError, match="must have `approved`"):
        await take_resume(trusted_agent, [request], [resolved(interrupt, {})])


async def test_the_example_asks_in_its_front_end_and_continues_with_the_resume(ask: AsyncClient) -> None:
    program = runpy.run_path(str(ROOT / "examples" / "frameworks" / "ag_ui_server.py"))

    async def last_event(resume: list[ResumeEntry] | None = None) -> Any:
        run_input = RunAgentInput(thread_id="t1", run_id="r1", messages=[], resume=resume)
        return [event async for event in program["run"](ask, run_input)][-1]

    [interrupt] = (await last_event()).outcome.interrupts
    assert "one entry for each open interrupt" in (await last_event()).message
    finished = await last_event([resolved(interrupt, {"format": "Word"})])
    assert finished.outcome.type == "success"
    assert finished.result == ['The person answered "Which format?": "Word"']
