"""People answer the interrupts of an AG-UI agent over SSE."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from ag_ui.core import (
    BaseEvent,
    Interrupt,
    RunAgentInput,
    RunFinishedEvent,
    RunFinishedSuccessOutcome,
    ToolCallResultEvent,
)

from askback import AsyncClient, InputRequest
from askback.adapters.ag_ui import answer_interrupts, run_agent
from askback.testing import Approve, Decline, Deny
from tests.adapters.ag_ui.agents import Agent, Sender, serve_agent
from tests.adapters.conftest import Server
from tests.adapters.programs import PATIENCE_S, requests_asked, start
from tests.adapters.promises import client_answered_by

pytestmark = pytest.mark.anyio


async def run(ask: AsyncClient, agent: Agent, thread_id: str = "t1") -> list[BaseEvent]:
    run_input = RunAgentInput(thread_id=thread_id, run_id="r1", messages=[])
    async with serve_agent(agent) as url:
        return [event async for event in run_agent(ask, Sender(url), run_input)]


async def test_an_approved_call_runs_once_with_the_arguments_that_were_approved() -> None:
    agent = Agent("prod")
    async with client_answered_by([Approve(input={"to": "stage"})]) as (ask, ada):
        events = await run(ask, agent)
    assert agent.ran == [{"to": "stage"}]
    assert isinstance(events[-1], RunFinishedEvent)
    assert isinstance(events[-1].outcome, RunFinishedSuccessOutcome)
    [request] = ada.requests
    assert request.request.approval is not None
    assert (request.request.approval.tool, request.request.approval.input) == ("deploy", {"to": "prod"})
    assert request.request.approval.reason == "Deploy to prod?"
    assert (request.request.tool_call_id, request.request.run_id) == ("call-1", "r1")


async def test_a_denied_call_never_runs_and_the_agent_reads_why() -> None:
    agent = Agent("prod")
    async with client_answered_by([Deny(note="not on Friday")]) as (ask, _):
        events = await run(ask, agent)
    assert agent.ran == []
    [result] = [event for event in events if isinstance(event, ToolCallResultEvent)]
    assert "not on Friday" in str(result.content)


@pytest.mark.parametrize("snapshot", [False, True])
async def test_simultaneous_interrupts_are_answered_by_id(*, snapshot: bool) -> None:
    agent = Agent("prod", "stage", snapshot=snapshot)

    def decide(request: InputRequest) -> Approve | Deny:
        assert request.approval is not None
        return Approve() if request.approval.input == {"to": "stage"} else Deny()

    async with client_answered_by(decide) as (ask, ada):
        await run(ask, agent)
    assert agent.ran == [{"to": "stage"}]
    assert len(ada.requests) == 2
    assert [entry.interrupt_id for entry in agent.inputs[1].resume or ()] == ["int-call-1", "int-call-2"]
    assert [message.id for message in agent.inputs[1].messages] == (["m1"] if snapshot else [])


async def test_the_same_thread_gets_a_new_run_with_every_answer() -> None:
    agent = Agent("prod")
    async with client_answered_by([Approve()]) as (ask, _):
        await run(ask, agent)
    first, second = agent.inputs
    assert (first.thread_id, second.thread_id) == ("t1", "t1")
    assert first.run_id != second.run_id


SIZE = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 1}},
    "required": ["size"],
}


@pytest.mark.parametrize(
    ("interrupt", "reply", "payload"),
    [
        ({"reason": "input_required", "response_schema": SIZE}, {"size": 3}, {"size": 3}),
        ({"reason": "input_required", "response_schema": {"type": "string"}}, "blue", "blue"),
        ({"reason": "confirmation"}, True, True),
        ({"reason": "confirmation", "response_schema": {"type": "boolean"}}, True, True),
        ({"reason": "mastra:workflow_suspend", "metadata": {"step": "review"}}, "later", "later"),
    ],
)
async def test_a_question_is_asked_by_its_schema(interrupt: dict[str, Any], reply: Any, payload: Any) -> None:
    asked_interrupt = Interrupt(id="int-1", message="Go on?", **interrupt)
    async with client_answered_by([reply]) as (ask, _):
        [entry] = await answer_interrupts(ask, [asked_interrupt], thread_id="t1")
    assert (entry.interrupt_id, entry.status, entry.payload) == ("int-1", "resolved", payload)


async def test_a_declined_question_and_an_interrupt_that_has_expired_are_cancelled() -> None:
    past = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    requests = [
        Interrupt(id="int-1", reason="input_required", message="Which?"),
        Interrupt(id="int-2", reason="input_required", message="Too late?", expires_at=past),
    ]
    async with client_answered_by([Decline("refused")]) as (ask, ada):
        entries = await answer_interrupts(ask, requests, thread_id="t1")
    assert [(entry.status, entry.payload) for entry in entries] == [("cancelled", None)] * 2
    assert len(ada.requests) == 1


async def test_a_call_without_arguments_shows_the_text_of_its_interrupt() -> None:
    interrupt = Interrupt(id="int-1", reason="tool_call", message="Send the mail?", tool_call_id="c1")
    async with client_answered_by([Approve()]) as (ask, ada):
        [entry] = await answer_interrupts(ask, [interrupt], thread_id="t1")
    assert entry.payload == {"approved": True}
    assert "Send the mail?" in json.dumps(ada.requests[0].input)


async def test_a_host_that_was_killed_finds_its_request_and_uses_the_approval_once(
    own_server: Server, tmp_path: Path
) -> None:
    interrupts = Agent("prod").interrupts
    host = start("tests.adapters.ag_ui.program", "run", tmp_path, own_server.url)
    async with own_server.client("responder") as ada:
        with anyio.fail_after(PATIENCE_S):
            [request] = await requests_asked(ada, 1)
            host.kill()
            await anyio.to_thread.run_sync(host.communicate)
            own_server.kill_and_restart()
            await ada.requests.decide(request, "approve")
        async with own_server.client() as another:
            [entry] = await answer_interrupts(another, interrupts, thread_id="t1")
            assert entry.payload == {"approved": True}
            [second_outcome] = await answer_interrupts(another, interrupts, thread_id="t1")
        assert second_outcome.payload is not None
        assert second_outcome.payload["approved"] is False
        assert "has been started before" in second_outcome.payload["reason"]
        assert len(await ada.requests.list(thread_id="t1")) == 1
