"""The promises about Google ADK, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest
from google.adk.agents import LlmAgent, ParallelAgent
from google.adk.events import Event
from google.adk.tools import AgentTool, BaseTool, LongRunningFunctionTool, ToolContext, request_input
from google.genai import types

from askback import AsyncClient
from askback.adapters.adk import AskbackRunner, mirror
from askback.testing import Approve, Decline, Deny, LeaveOpen
from tests.adapters.adk.models import GO, WHERE, FakeModel, release_agent, results_read_by, runner_of, text_of
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    DurablePromises,
    RunResult,
    Turn,
    agent_of,
    approval_of,
    client_answered_by,
)


async def run(ask: AsyncClient, agent: LlmAgent) -> list[Event]:
    """Run an agent to its end in a new session."""
    runner = AskbackRunner(await runner_of(agent), ask)
    return [item async for item in runner.run_async(**WHERE, new_message=GO)]


class TestPromises(DurablePromises):
    name = "adk"
    edits = True

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> LlmAgent:
        return release_agent(*turns, deploy=deploy, tools=tools, name=name)

    async def run(self, ask: AsyncClient, agent: LlmAgent) -> RunResult:
        events = await run(ask, agent)
        return RunResult(text_of(events), results_read_by(agent), events)

    async def delegate(self, ask: AsyncClient, inner: LlmAgent) -> RunResult:
        return await self.run(
            ask,
            release_agent([(inner.name, {"request": "go"})], name="boss", more=[AgentTool(inner)]),
        )

    async def park(self, ask: AsyncClient, agent: LlmAgent) -> Any:
        runner = await runner_of(agent)
        async for _ in runner.run_async(**WHERE, new_message=GO):
            pass
        await AskbackRunner(runner, ask).park(**WHERE)
        return runner.session_service

    async def resume(self, ask: AsyncClient, agent: LlmAgent, parked: Any) -> RunResult | None:
        runner = AskbackRunner(await runner_of(agent, deepcopy(parked)), ask)
        events = [item async for item in runner.resume_async(**WHERE)]
        return RunResult(text_of(events), results_read_by(agent)) if events else None

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result, thread_id="t1")


class Holiday(BaseTool):
    """A tool of one's own that asks for confirmation itself, and does not look at what was confirmed."""

    def __init__(self) -> None:
        super().__init__(name="holiday", description="Request a holiday.")
        self.ran: list[Any] = []

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, description=self.description)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        if tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint="Ask the boss.", payload={"approved_days": 0})
            return {"status": "waiting"}
        self.ran.append((args, tool_context.tool_confirmation.payload))
        return "requested"


async def test_a_custom_tool_that_ignores_a_denial_does_not_run() -> None:
    tool = Holiday()
    agent = release_agent([("holiday", {"days": 9})], more=[tool])
    async with client_answered_by({"holiday": Deny("too long")}) as (ask, ada):
        await run(ask, agent)
    assert tool.ran == []
    assert "too long" in results_read_by(agent)[0]
    assert approval_of(ada.asked_once("holiday").request).reason == "Ask the boss."


async def test_a_person_completes_the_form_of_a_tool() -> None:
    tool = Holiday()
    agent = release_agent([("holiday", {"days": 9})], more=[tool])
    async with client_answered_by({"holiday": Approve(input={"days": 9, "approved_days": 5})}) as (ask, ada):
        await run(ask, agent)
    assert tool.ran == [({"days": 9}, {"approved_days": 5})]
    assert ada.asked_once("holiday").input == {"days": 9, "approved_days": 0}


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("schema", "reply", "read"),
    [
        ({}, "blue", '{"result": "blue"}'),
        ({"response_schema": {"type": "boolean"}}, True, '{"result": true}'),
        ({"response_schema": NUMBER}, {"n": 7}, '{"result": {"n": 7}}'),
        ({}, Decline("refused"), "will not answer"),
    ],
)
async def test_questions_of_the_framework_are_typed(schema: Any, reply: Any, read: str) -> None:
    agent = release_agent([("adk_request_input", {"message": "Which?", **schema})], more=[request_input])
    async with client_answered_by([reply]) as (ask, _):
        await run(ask, agent)
    assert read in results_read_by(agent)[0]


async def test_an_agent_that_got_a_transfer_continues_after_the_answer() -> None:
    deployments = Deployments()
    team = release_agent([("deploy", PROD)], deploy=deployments.deploy, name="team")
    boss = release_agent([("transfer_to_agent", {"agent_name": "team"})], name="boss", sub_agents=[team])
    async with client_answered_by({"deploy": True}) as (ask, ada):
        events = await run(ask, boss)
    assert (deployments.ran, text_of(events), events[-1].author) == (["prod"], "done", "team")
    assert agent_of(ada.asked_once("deploy").request) == "team"


async def test_parallel_agents_continue_with_their_own_decisions() -> None:
    deployments = Deployments()
    one = release_agent([("deploy", PROD)], deploy=deployments.deploy, name="one")
    two = release_agent([("deploy", STAGE), ("deploy", PROD)], deploy=deployments.deploy, name="two")
    runner = await runner_of(ParallelAgent(name="both", sub_agents=[one, two]))
    async with client_answered_by(lambda request: request.approval.input == PROD) as (ask, ada):
        for _again in range(2):  # a program wraps its runner for each request
            async for _event in AskbackRunner(runner, ask).run_async(**WHERE, new_message=GO):
                pass
    assert deployments.ran == ["prod", "prod"]
    assert sorted(item.request.agent.name for item in ada.asked()) == ["one", "two", "two"]  # type: ignore[union-attr] - it is named
    assert "denied" in results_read_by(two)[0]


async def test_a_question_of_an_agent_used_as_a_tool_is_answered() -> None:
    deployments = Deployments()
    calls = [("deploy", PROD), ("ask_user", {"question": "Which?"})]
    team = release_agent(calls, deploy=deployments.deploy, tools=["ask_user"], name="team")
    boss = release_agent([("team", {"request": "go"})], name="boss", more=[AgentTool(team)])
    async with client_answered_by({"deploy": Approve(input=STAGE), "Which?": "blue"}) as (ask, ada):
        await run(ask, boss)
    assert deployments.ran == ["stage"]
    assert "blue" in results_read_by(team)[1]
    assert {item.request.thread_id for item in ada.asked()} == {"t1"}


async def test_an_external_call_is_left_to_the_program() -> None:
    def run_externally() -> None:
        """Run elsewhere."""

    agent = LlmAgent(
        name="a",
        model=FakeModel(left=[[("run_externally", {})]]),
        tools=[LongRunningFunctionTool(run_externally)],
    )
    async with client_answered_by({}) as (ask, _):
        events = await run(ask, agent)
    assert [event.long_running_tool_ids for event in events if event.long_running_tool_ids] == [{"call_1"}]


async def test_a_new_message_abandons_the_pauses_of_its_session() -> None:
    deployments = Deployments()
    agent = release_agent([("deploy", PROD)], deploy=deployments.deploy)
    runner = await runner_of(agent)
    async with client_answered_by({"deploy": True}) as (_, ada), AsyncClient(app=ada.app) as ask:
        wrapped_askback_runner = AskbackRunner(runner, ask)
        async for _event in runner.run_async(**WHERE, new_message=GO):
            pass
        assert [item async for item in wrapped_askback_runner.run_async(**WHERE)]
        agent.model.left.append([("deploy", STAGE)])  # type: ignore[union-attr] - it is the fake
        async for _event in runner.run_async(**WHERE, new_message=GO):
            pass
        ada.script = {"deploy": LeaveOpen()}
        [parked] = await wrapped_askback_runner.park(**WHERE)
        async for _event in wrapped_askback_runner.run_async(
            **WHERE, new_message=types.UserContent("Never mind.")
        ):
            pass
        assert await wrapped_askback_runner.park(**WHERE) == []
        assert (await ask.requests.get(parked)).reason == "superseded"
    assert {item.request.thread_id for item in ada.asked("deploy")} == {"s1"}
    assert deployments.ran == ["prod"]
