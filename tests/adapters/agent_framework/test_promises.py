"""The promises about Microsoft Agent Framework, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from agent_framework import Agent, Content, FunctionTool, ToolApprovalMiddleware

from askback import AsyncClient
from askback.adapters.agent_framework import human, mirror, park, resume_agent, run
from askback.testing import Deny
from tests.adapters.agent_framework.models import FakeClient, release_agent, results_read_by
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    DurablePromises,
    RunResult,
    Turn,
    client_answered_by,
)


class TestPromises(DurablePromises):
    name = "agent_framework"

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Agent[Any]:
        return release_agent(*turns, deploy=deploy, tools=tools, name=name)

    async def run(self, ask: AsyncClient, agent: Agent[Any]) -> RunResult:
        reply = await run(ask, agent, "go")
        return RunResult(reply.text, results_read_by(agent), reply)

    async def delegate(self, ask: AsyncClient, inner: Agent[Any]) -> RunResult:
        inner.middleware = [human(ask)]
        boss = Agent(
            client=FakeClient([("team", {"task": "go"})]),
            name="boss",
            tools=[inner.as_tool(name="team")],
        )
        return await self.run(ask, boss)

    async def park(self, ask: AsyncClient, agent: Agent[Any]) -> str:
        session = agent.create_session()
        return await park(ask, agent, await agent.run("go", session=session), session)

    async def resume(self, ask: AsyncClient, agent: Agent[Any], parked: str) -> RunResult | None:
        resumed = await resume_agent(ask, agent, parked)
        return None if resumed is None else RunResult(resumed.reply.text, results_read_by(agent))

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result.messages, thread_id="t1")


async def test_the_conversation_is_the_session_unless_the_client_has_a_thread() -> None:
    async with client_answered_by({"deploy": False}) as (_, ada), AsyncClient(app=ada.app) as ask:
        agent = release_agent([("deploy", PROD)], deploy=Deployments().deploy)
        await run(ask, agent, "go", session=agent.create_session(session_id="s1"))
    request = ada.asked_once("deploy").request
    assert (request.thread_id, request.run_id) == ("s1", "run_1")


async def test_the_reason_of_a_denial_stays_in_the_session() -> None:
    agent = release_agent([("deploy", PROD)], deploy=Deployments().deploy)
    session = agent.create_session()
    async with client_answered_by({"deploy": Deny("not on Friday")}) as (ask, _):
        await run(ask, agent, "go", session=session)
    await agent.run("And now?", session=session)
    assert "not on Friday" in results_read_by(agent)[0]


async def test_a_stream_continues_after_the_answer() -> None:
    deployments = Deployments()
    calls = [("deploy", PROD), ("ask_user", {"question": "Which?"})]
    async with client_answered_by({"deploy": True, "Which?": "blue"}) as (ask, _):
        agent = release_agent(calls, deploy=deployments.deploy, tools=["ask_user"], middleware=[human(ask)])
        stream = agent.run("go", stream=True)
        text = "".join([update.text async for update in stream])
        reply = await stream.get_final_response()
    assert (deployments.ran, text, reply.text) == (["prod"], "done", "done")
    assert reply.user_input_requests == []
    assert "blue" in results_read_by(agent)[1]


async def test_calls_that_the_program_approves_itself_are_not_asked() -> None:
    deployments = Deployments()

    def is_stage(call: Content) -> bool:
        return call.parse_arguments() == STAGE

    rules = ToolApprovalMiddleware(auto_approval_rules=[is_stage])
    turns = [[("deploy", STAGE), ("deploy", PROD)]]
    async with client_answered_by({"deploy": False}) as (ask, ada):
        await run(
            ask, release_agent(*turns, deploy=deployments.deploy, middleware=[rules]), "go", thread_id="t2"
        )
        inside = release_agent(*turns, deploy=deployments.deploy, middleware=[human(ask), rules])
        await inside.run("go", session=inside.create_session())
    assert deployments.ran == ["stage", "stage"]
    assert [item.input for item in ada.asked()] == [PROD, PROD]


async def test_an_external_call_is_left_to_the_program() -> None:
    other_function_tool = FunctionTool(name="elsewhere", input_model={"type": "object", "properties": {}})
    agent = Agent(client=FakeClient([("elsewhere", {})]), tools=[other_function_tool])
    async with client_answered_by({}) as (ask, _):
        reply = await run(ask, agent, "go")
        assert [request.name for request in reply.user_input_requests] == ["elsewhere"]
        with pytest.raises(TypeError, match="no tool call"):
            await park(ask, agent, reply, agent.create_session())
