"""The promises about Pydantic AI, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    AgentRunResultEvent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    RunContext,
    Tool,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls

from askback import AsyncClient, Client
from askback.adapters.pydantic_ai import human, mirror, park, resume_agent
from askback.testing import Approve, Decline, person
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    DurablePromises,
    RunResult,
    Turn,
    approval_of,
    client_answered_by,
)
from tests.adapters.pydantic_ai.models import model, release_agent, results


def run_result(result: Any) -> RunResult:
    return RunResult(result.output, results(result), result)


class TestPromises(DurablePromises):
    name = "pydantic_ai"
    edits = True

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Agent[None, Any]:
        return release_agent(*turns, deploy=deploy, tools=tools, name=name)

    async def run(self, ask: AsyncClient, agent: Agent[None, Any]) -> RunResult:
        return run_result(await agent.run("go", capabilities=[human(ask)]))

    async def delegate(self, ask: AsyncClient, inner: Agent[None, Any]) -> RunResult:
        async def delegate() -> str:
            """Delegate."""
            return (await self.run(ask, inner)).text

        return await self.run(ask, Agent(model([("delegate", {})]), name="boss", tools=[delegate]))

    async def park(self, ask: AsyncClient, agent: Agent[None, Any]) -> bytes:
        return await park(ask, await agent.run("go"))

    async def resume(self, ask: AsyncClient, agent: Agent[None, Any], parked: bytes) -> RunResult | None:
        result = await resume_agent(ask, agent, parked)
        return None if result is None else run_result(result)

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result.all_messages(), thread_id="t1")


@pytest.mark.parametrize("thread_id", ["t2", None])
async def test_the_conversation_is_that_of_the_run_unless_a_thread_is_named(thread_id: str | None) -> None:
    async with client_answered_by({"deploy": False}) as (_, ada), AsyncClient(app=ada.app) as ask:
        agent = release_agent([("deploy", PROD)], deploy=Deployments().deploy)
        result = await agent.run("go", capabilities=[human(ask, thread_id=thread_id)], conversation_id="c1")
    request = ada.asked_once("deploy").request
    assert (request.thread_id, request.run_id) == (thread_id or "c1", result.run_id)


async def test_questions_and_approvals_that_the_program_raises_itself_are_asked() -> None:
    ran: list[str] = []

    def mail(context: RunContext[Any], to: str) -> str:
        """Mail."""
        if not context.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": "It leaves the company."})
        ran.append(to)
        return "sent"

    def colour(question: str) -> str:
        """Ask."""
        raise CallDeferred(kind="question")

    calls = [
        ("mail", {"to": "bob"}),
        ("colour", {"question": "Which colour?"}),
        ("colour", {"question": "And then?"}),
    ]
    async with client_answered_by(
        {"mail": True, "Which colour?": "blue", "And then?": Decline("refused")}
    ) as (
        ask,
        ada,
    ):
        agent = Agent(model(calls), tools=[mail, colour], capabilities=[human(ask)])
        result = await agent.run("go")
    assert ran == ["bob"]
    assert approval_of(ada.asked_once("mail").request).reason == "It leaves the company."
    assert "blue" in results(result)
    assert any("will not answer" in item for item in results(result))


async def test_external_calls_are_left_to_the_next_capability() -> None:
    def run_externally() -> str:
        """Run elsewhere."""
        raise CallDeferred

    def run(context: Any, requests: DeferredToolRequests) -> Any:
        return requests.build_results(calls={call.tool_call_id: "ran" for call in requests.calls})

    deployments = Deployments()
    calls = [("run_externally", {}), ("deploy", PROD)]
    async with client_answered_by({"deploy": True}) as (ask, _):
        capabilities = [human(ask), HandleDeferredToolCalls(run)]
        agent = Agent(
            model(calls),
            tools=[run_externally, Tool(deployments.deploy, requires_approval=True)],
            capabilities=capabilities,
        )
        result = await agent.run("go")
    assert sorted(results(result)) == ["deployed prod", "ran"]


async def test_a_run_without_deferred_calls_cannot_be_parked() -> None:
    async with client_answered_by({}) as (ask, _):
        result = await Agent(model()).run("go")
        with pytest.raises(TypeError, match="DeferredToolRequests"):
            await park(ask, result, thread_id="t1")


def agent_with(ask: Any, *turns: Turn, deploy: Any, **options: Any) -> Agent[None, Any]:
    tools = [Tool(deploy, requires_approval=True)]
    return Agent(model(*turns, **options), tools=tools, capabilities=[human(ask, thread_id="t1")])


def test_a_synchronous_program_runs_the_approved_call() -> None:
    deployments = Deployments()
    ada = person([True, False])
    with ada, Client(app=ada.app) as ask:
        agent = agent_with(ask, [("deploy", PROD), ("deploy", STAGE)], deploy=deployments.deploy)
        mirror(ask, agent.run_sync("go").all_messages(), thread_id="t1")
    assert deployments.ran == ["prod"]


async def test_the_same_ids_in_another_turn_of_a_run_are_other_calls() -> None:
    deployments = Deployments()
    turns = [[("deploy", PROD)], [("deploy", STAGE)], [("deploy", STAGE)]]
    async with client_answered_by([True, True, True]) as (ask, _):
        await agent_with(ask, *turns, deploy=deployments.deploy, same_ids=True).run("go")
    assert deployments.ran == ["prod", "stage", "stage"]


async def test_a_run_with_streamed_events_continues_with_the_answers() -> None:
    deployments = Deployments()
    async with client_answered_by([Approve(input=STAGE)]) as (ask, _):
        agent = agent_with(ask, [("deploy", PROD)], deploy=deployments.deploy)
        async with agent.run_stream_events("go") as events:
            last = [event async for event in events][-1]
    assert deployments.ran == ["stage"]
    assert isinstance(last, AgentRunResultEvent)
    assert last.result.output == "done"
