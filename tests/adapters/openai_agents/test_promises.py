"""The promises about the OpenAI Agents SDK, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import agents
import pytest
from agents import Agent, SQLiteSession

from askback import AsyncClient
from askback.adapters.openai_agents import Runner, mirror, park, resume_run
from tests.adapters.openai_agents.models import FakeModel, releaser, results
from tests.adapters.promises import PROD, STAGE, Deployments, DurablePromises, Ran, Turn, answered_by


def ran(result: Any) -> Ran:
    return Ran(result.final_output, results(result), result)


class TestPromises(DurablePromises):
    name = "openai_agents"

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Agent[Any]:
        return releaser(*turns, deploy=deploy, tools=tools, name=name)

    async def run(self, ask: AsyncClient, agent: Agent[Any]) -> Ran:
        return ran(await Runner.run(agent, "go", ask=ask))

    async def delegate(self, ask: AsyncClient, inner: Agent[Any]) -> Ran:
        tool = inner.as_tool(tool_name="delegate", tool_description="Delegate.")
        boss = Agent("boss", model=FakeModel([("delegate", {"input": "go"})]), tools=[tool])
        return await self.run(ask, boss)

    async def park(self, ask: AsyncClient, agent: Agent[Any]) -> str:
        return await park(ask, await agents.Runner.run(agent, "go"))

    async def resume(self, ask: AsyncClient, agent: Agent[Any], parked: str) -> Ran | None:
        result = await resume_run(ask, agent, parked)
        return None if result is None else ran(result)

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result.new_items, thread_id="t1")


async def test_options_of_the_sdk_hold_for_the_whole_run() -> None:
    deployments = Deployments()
    agent = releaser([("deploy", PROD)], [("deploy", STAGE)], deploy=deployments.deploy)
    session = SQLiteSession("s1")
    options: Any = {"session": session, "context": {"user": "ada"}, "max_turns": 5}
    async with answered_by([True, True]) as (ask, ada):
        await Runner.run(agent, "go", ask=ask, thread_id="t2", **options)
    assert deployments.ran == ["prod", "stage"]
    assert {each.request.thread_id for each in ada.asked()} == {"t2"}
    assert len(await session.get_items()) == 6


async def test_a_tool_for_models_says_that_nobody_was_asked_where_somebody_else_approved_it() -> None:
    agent = releaser([("ask_user", {"question": "Which?"})], tools=["ask_user"])
    result = await agents.Runner.run(agent, "go")
    state = result.to_state()
    state.approve(state.get_interruptions()[0])
    assert results(await agents.Runner.run(agent, state)) == [
        "Nobody was asked, because this agent was not run by askback."
    ]


@pytest.mark.parametrize("name", ["run_sync", "run_streamed"])
def test_what_cannot_wait_for_a_person_says_so(name: str) -> None:
    with pytest.raises(TypeError, match=r"await Runner.run"):
        getattr(Runner, name)(Agent("a"), "go")
