"""The promises about the OpenAI Agents SDK, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import agents
from agents import Agent, SQLiteSession

from askback import AsyncClient, Client
from askback.adapters.openai_agents import Runner, mirror, park, resume_run
from askback.testing import person
from tests.adapters.openai_agents.models import FakeModel, release_agent, results
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    DurablePromises,
    RunResult,
    Turn,
    client_answered_by,
)


def run_result(result: Any) -> RunResult:
    return RunResult(result.final_output, results(result), result)


class TestPromises(DurablePromises):
    name = "openai_agents"

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Agent[Any]:
        return release_agent(*turns, deploy=deploy, tools=tools, name=name)

    async def run(self, ask: AsyncClient, agent: Agent[Any]) -> RunResult:
        return run_result(await Runner.run(agent, "go", ask=ask))

    async def delegate(self, ask: AsyncClient, inner: Agent[Any]) -> RunResult:
        tool = inner.as_tool(tool_name="delegate", tool_description="Delegate.")
        boss = Agent("boss", model=FakeModel([("delegate", {"input": "go"})]), tools=[tool])
        return await self.run(ask, boss)

    async def park(self, ask: AsyncClient, agent: Agent[Any]) -> str:
        return await park(ask, await agents.Runner.run(agent, "go"))

    async def resume(self, ask: AsyncClient, agent: Agent[Any], parked: str) -> RunResult | None:
        result = await resume_run(ask, agent, parked)
        return None if result is None else run_result(result)

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result.new_items, thread_id="t1")


async def test_options_of_the_sdk_hold_for_the_whole_run() -> None:
    deployments = Deployments()
    agent = release_agent([("deploy", PROD)], [("deploy", STAGE)], deploy=deployments.deploy)
    session = SQLiteSession("s1")
    options: Any = {"session": session, "context": {"user": "ada"}, "max_turns": 5}
    async with client_answered_by([True, True]) as (ask, ada):
        await Runner.run(agent, "go", ask=ask, thread_id="t2", **options)
    assert deployments.ran == ["prod", "stage"]
    assert {item.request.thread_id for item in ada.asked()} == {"t2"}
    assert len(await session.get_items()) == 6


async def test_the_tool_for_models_says_that_a_call_approved_by_the_program_asked_no_person() -> None:
    agent = release_agent([("ask_user", {"question": "Which?"})], tools=["ask_user"])
    result = await agents.Runner.run(agent, "go")
    state = result.to_state()
    state.approve(state.get_interruptions()[0])
    assert results(await agents.Runner.run(agent, state)) == [
        "Nobody was asked, because this agent was not run by askback."
    ]


def test_a_synchronous_program_runs_the_approved_call() -> None:
    deployments = Deployments()
    agent = release_agent(
        [("deploy", PROD), ("deploy", STAGE), ("ask_user", {"question": "Which?"})],
        deploy=deployments.deploy,
        tools=["ask_user"],
    )
    ada = person(lambda request: "blue" if request.form else request.approval.input == STAGE)  # type: ignore[union-attr] - it is an approval
    with ada, Client(app=ada.app) as ask:
        result = Runner.run_sync(agent, "go", ask=ask, thread_id="t1")
        mirror(ask, result.new_items, thread_id="t1")
    assert (deployments.ran, result.final_output) == (["stage"], "done")
    assert any("blue" in item for item in results(result))


async def test_a_stream_continues_after_its_interruptions_even_after_a_handoff() -> None:
    deployments = Deployments()
    team = release_agent([("deploy", PROD), ("deploy", STAGE)], [("deploy", PROD)], deploy=deployments.deploy)
    triage = Agent("triage", model=FakeModel([("transfer_to_releaser", {})]), handoffs=[team])
    triage.model.number = 100  # type: ignore[union-attr] - it is the fake: the SDK wants ids of its own for each call
    replies = iter([True, False, True])
    async with client_answered_by(lambda request: next(replies)) as (ask, ada):
        result = Runner.run_streamed(triage, "go", ask=ask)
        items = [
            event.name async for event in result.stream_events() if event.type == "run_item_stream_event"
        ]
    assert (deployments.ran, result.final_output) == (["prod", "prod"], "done")
    assert {item.request.agent.name for item in ada.asked()} == {"releaser"}  # type: ignore[union-attr] - it is named
    assert items.count("tool_output") == 3


async def test_equal_call_ids_of_an_agent_used_as_a_tool_are_asked_separately() -> None:
    deployments = Deployments()
    team = release_agent([("deploy", PROD), ("deploy", STAGE)], deploy=deployments.deploy)
    tool = team.as_tool("delegate", "Delegate.", needs_approval=True)
    boss = Agent("boss", model=FakeModel([("delegate", {"input": "go"})]), tools=[tool])
    async with client_answered_by(lambda request: request.approval.input != STAGE) as (ask, ada):
        assert (await Runner.run(boss, "go", ask=ask)).final_output == "done"
    assert deployments.ran == ["prod"]
    assert [item.request.agent.name for item in ada.asked()] == ["boss", "releaser", "releaser"]  # type: ignore[union-attr] - it is named


async def test_a_stream_that_ended_at_its_interruptions_is_parked_and_resumed() -> None:
    deployments = Deployments()
    async with client_answered_by({"deploy": True}) as (ask, _):
        stream = agents.Runner.run_streamed(
            release_agent([("deploy", PROD)], deploy=deployments.deploy), "go"
        )
        _ = [event async for event in stream.stream_events()]
        parked = await park(ask, stream)
        for request in await ask.requests.list(thread_id="t1"):
            await ask.wait(request)
        assert await resume_run(ask, release_agent(deploy=deployments.deploy), parked) is not None
    assert deployments.ran == ["prod"]
