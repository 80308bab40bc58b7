"""The promises about CrewAI, with the real framework and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from crewai import Agent, Crew, CrewOutput, TaskOutput
from crewai.flow import Flow, human_feedback, listen
from crewai.flow import start as starting
from crewai.flow.async_feedback import HumanFeedbackPending
from crewai.flow.flow_config import flow_config
from crewai.flow.persistence import SQLiteFlowPersistence
from crewai.tools import tool

from askback import AsyncClient, Declined
from askback.adapters.crewai import (
    AskbackFeedback,
    answer_tasks,
    ask_tools,
    gate_tools,
    mirror,
    resume_flow,
)
from askback.adapters.crewai import gate as gates
from askback.testing import Decline, LeaveOpen
from tests.adapters.conftest import Server
from tests.adapters.crewai.models import (
    Review,
    TextModel,
    blocking,
    crew_of,
    deploy_tool,
    release_agent,
    results_read_by,
)
from tests.adapters.programs import PATIENCE_S, requests_asked, start, wait_for_exit
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    ProgramPromises,
    RunResult,
    Turn,
    agent_of,
    client_answered_by,
)


async def run(ask: AsyncClient, crew: Crew) -> Any:
    """Run a crew in a thread, with the tool `deploy` gated."""

    def kickoff() -> Any:
        with gate_tools(client, {"dep*"}), answer_tasks(client):
            return crew.kickoff()

    client = blocking(ask)
    return await anyio.to_thread.run_sync(kickoff)


class TestPromises(ProgramPromises):
    name = "crewai"
    edits = True
    tells_call_ids = False

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Agent:
        agent = release_agent(*turns, tools=[] if deploy is None else [deploy_tool(deploy)], name=name)
        agent.backstory = " ".join(tools)
        return agent

    async def run(self, ask: AsyncClient, agent: Agent) -> RunResult:
        wanted_frame_piece = agent.backstory.split()
        agent.tools = [
            *(agent.tools or ()),
            *(item for item in ask_tools(blocking(ask)) if item.name in wanted_frame_piece),
        ]
        result = await run(ask, crew_of(agent))
        return RunResult(result.raw, results_read_by(agent), result)

    async def delegate(self, ask: AsyncClient, inner: Agent) -> RunResult:
        order = {"task": "go", "context": "-", "coworker": inner.role}
        boss = release_agent([("delegate_work_to_coworker", order)], name="boss", allow_delegation=True)
        result = await run(ask, crew_of(boss, inner))
        return RunResult(result.raw, results_read_by(boss), result)

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        client = blocking(ask)
        await anyio.to_thread.run_sync(partial(mirror, client, result, thread_id="t1"))


async def test_a_call_does_not_run_if_the_server_cannot_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **options: Any) -> Any:
        raise RuntimeError("broken")

    deployments = Deployments()
    agent = release_agent([("deploy", PROD)], tools=[deploy_tool(deployments.deploy)])
    async with client_answered_by({}) as (ask, _):
        monkeypatch.setattr(gates, "get_execution_uuid", broken)
        await run(ask, crew_of(agent))
    assert deployments.ran == []
    assert results_read_by(agent) == ["Nobody could be asked, so it was not run: broken"]


async def test_arguments_that_are_not_json_are_shown_unchanged() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "deploy", "arguments": "{to: prod"}}
    messages: Any = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    task_output = TaskOutput(description="go", agent="releaser", messages=messages)
    async with client_answered_by({}) as (ask, _):
        client = blocking(ask)
        await anyio.to_thread.run_sync(
            partial(mirror, client, CrewOutput(tasks_output=[task_output]), thread_id="t1")
        )
        [message] = (await ask.threads.get("t1"))["messages"]
    assert message["content"][0]["input"] == "{to: prod"


async def test_other_tools_run_freely_and_the_gate_ends_with_its_block() -> None:
    deployments = Deployments()

    def look(environment: str) -> str:
        """Look."""
        return f"looked at {environment}"

    turns = [("look", {"environment": "prod"})], [("deploy", PROD)]
    tools = [deploy_tool(deployments.deploy), tool("look")(look)]
    async with client_answered_by({"deploy": False}) as (ask, _):
        agent = release_agent(*turns, tools=tools)
        await run(ask, crew_of(agent))
        assert "looked at prod" in results_read_by(agent)[0]
        await anyio.to_thread.run_sync(crew_of(release_agent([("deploy", STAGE)], tools=tools)).kickoff)
    assert deployments.ran == ["stage"]


@pytest.mark.parametrize("named", ["Deploy Tool", "deploy_tool", "Deploy*", "deploy_*"])
async def test_a_tool_is_gated_by_its_exact_name_without_a_with_block(named: str) -> None:
    deployments = Deployments()

    def kickoff() -> None:
        ending = gate_tools(client, {named})
        try:
            crew_of(agent).kickoff()
        finally:
            ending.__exit__(None, None, None)

    agent = release_agent([("deploy_tool", PROD)], tools=[tool("Deploy Tool")(deployments.deploy)])
    async with client_answered_by([False]) as (ask, _):
        client = blocking(ask)
        await anyio.to_thread.run_sync(kickoff)
    assert deployments.ran == []


async def test_a_tool_that_fails_is_not_called_again_without_another_approval() -> None:
    ran: list[str] = []

    def deploy(to: str) -> str:
        """Deploy."""
        ran.append(to)
        raise RuntimeError("broken")

    agent = release_agent(tools=[deploy_tool(deploy)])
    agent.llm = TextModel(model="fake", left=[("deploy", PROD), ("deploy", STAGE)])
    async with client_answered_by([True, True]) as (ask, _):
        await run(ask, crew_of(agent))
    assert ran == ["prod", "stage"]


async def test_a_task_is_done_again_until_a_person_accepts_it() -> None:
    agent = release_agent()
    async with client_answered_by(["Shorter, please.", "Accept"]) as (ask, ada):
        result = await run(ask, crew_of(agent, human_input=True))
    fake: Any = agent.llm
    assert result.raw == "done"
    assert any("Shorter, please." in str(item["content"]) for item in fake.read)
    first, _ = ada.asked()
    assert first.request.form is not None
    assert (first.request.form.title, agent_of(first.request)) == ("go", "releaser")


class Colour(Flow[Any]):
    @starting()
    def first(self) -> str | None:
        return self.ask("Which colour?")

    @listen(first)
    @human_feedback(message="Why?")
    def second(self, colour: str) -> str:
        return f"It is {colour}."

    @listen(second)
    def third(self, result: Any) -> str:
        return f"{result.output} {result.feedback}"


@pytest.fixture
def no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the providers of the process."""
    monkeypatch.setattr(flow_config, "_hitl_provider", None)
    monkeypatch.setattr(flow_config, "_input_provider", None)


async def run_flow(ask: AsyncClient, flow: Flow[Any], **options: Any) -> Any:
    """Run a flow to its end, or to its first pause."""
    flow_config.hitl_provider = flow_config.input_provider = AskbackFeedback(blocking(ask), **options)
    return await flow.kickoff_async()


@pytest.mark.usefixtures("no_provider")
@pytest.mark.parametrize(("reply", "end"), [("publish", "published"), ("discard", "discarded")])
async def test_the_outcomes_of_a_flow_are_choices_and_need_no_model(reply: str, end: str) -> None:
    async with client_answered_by({"Publish?": reply}) as (ask, ada):
        assert await run_flow(ask, Review()) == end
    request = ada.asked_once("Publish?").request
    assert request.form is not None
    assert "Askback" in str(request.form.description)
    assert (request.thread_id, agent_of(request)) == ("t1", "Review")


@pytest.mark.usefixtures("no_provider")
async def test_a_question_that_nobody_answers_is_not_the_first_outcome() -> None:
    async with client_answered_by({"Publish?": Decline()}) as (ask, _):
        with pytest.raises(Declined):
            await run_flow(ask, Review())


@pytest.mark.usefixtures("no_provider")
async def test_a_flow_asks_in_its_own_words() -> None:
    async with client_answered_by({"Which colour?": "blue", "Why?": "It is calm."}) as (ask, _):
        assert await run_flow(ask, Colour()) == "It is blue. It is calm."


@pytest.mark.usefixtures("no_provider")
async def test_a_flow_that_was_parked_is_resumed_once_it_is_answered(tmp_path: Path) -> None:
    stored_flow_persistence = SQLiteFlowPersistence(str(tmp_path / "flows.db"))

    async def resumed() -> Any:
        flow = Review.from_pending(paused.context.flow_id, stored_flow_persistence)
        return await anyio.to_thread.run_sync(resume_flow, blocked, flow)

    async with client_answered_by({"*": LeaveOpen()}) as (ask, ada):
        blocked = blocking(ask)
        paused = await run_flow(ask, Review(persistence=stored_flow_persistence), wait=False)
        assert isinstance(paused, HumanFeedbackPending)
        assert isinstance(await resumed(), HumanFeedbackPending)
        async with AsyncClient(app=ada.app, token=await ada.app.token("responder")) as bob:
            [request] = await ask.requests.list(thread_id="t1")
            assert request.id == paused.callback_info["request_id"]
            await bob.requests.answer(request, {"answer": "publish"})
        assert await resumed() == "published"
    assert len(ada.asked()) == 1


@pytest.mark.timeout(4 * PATIENCE_S)
async def test_another_process_continues_after_kill_9_of_the_program_and_the_server(
    own_server: Server, tmp_path: Path
) -> None:
    program = "tests.adapters.crewai.program"
    process = start(program, "run", tmp_path, own_server.url)
    async with own_server.client("responder") as person:
        with anyio.fail_after(PATIENCE_S):
            [request] = await requests_asked(person, 1, tmp_path.name)
            while not (tmp_path / "parked").exists():
                await anyio.sleep(0.02)
            process.kill()
            await anyio.to_thread.run_sync(process.communicate)
            await person.requests.answer(request, {"answer": "publish"})
            own_server.kill_and_restart()
            output = await wait_for_exit(start(program, "resume", tmp_path, own_server.url))
    assert output.splitlines()[-1] == "published"
    assert (tmp_path / "ran").read_text() == "published\n"
