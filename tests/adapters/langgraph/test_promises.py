"""The promises about LangGraph and LangChain, with the real frameworks and a fake model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel, Field

from askback import AsyncClient, Declined, Form, Text
from askback.adapters import langgraph as adapter
from askback.adapters.langgraph import mirror, park, resume_graph, run_graph
from askback.testing import Approve, Decline, Deny, LeaveOpen
from tests.adapters.langgraph.models import CONFIG, GO, model, results, reviewed_agent
from tests.adapters.promises import (
    PROD,
    STAGE,
    Deployments,
    DurablePromises,
    Promises,
    RunResult,
    Turn,
    approval_of,
    client_answered_by,
)

MODES = pytest.mark.parametrize("mode", ["batched", "per_call"])


def run_result(out: Any) -> RunResult:
    return RunResult(out["messages"][-1].text, results(out), out)


class GraphPromises(Promises):
    """Those that hold in both modes of the middleware."""

    name = "langgraph"
    edits = True
    mode: Literal["batched", "per_call"]

    def agent(
        self, *turns: Turn, deploy: Any = None, tools: Sequence[str] = (), name: str = "releaser"
    ) -> Any:
        asking = [getattr(adapter, tool) for tool in tools]
        functions = [] if deploy is None else [deploy]
        return reviewed_agent(model(*turns), *functions, *asking, name=name, interrupt_mode=self.mode)

    async def run(self, ask: AsyncClient, agent: Any) -> RunResult:
        return run_result(await run_graph(ask, agent, GO, CONFIG))

    async def delegate(self, ask: AsyncClient, inner: Any) -> RunResult:
        node, inner.name, inner.checkpointer = inner.name, "inner", True
        builder = StateGraph(MessagesState)
        builder.add_node(node, inner)
        builder.add_edge(START, node)
        return await self.run(ask, builder.compile(checkpointer=InMemorySaver()))

    async def mirror(self, ask: AsyncClient, result: Any) -> None:
        await mirror(ask, result["messages"], thread_id="t1")


class TestPromises(GraphPromises, DurablePromises):
    mode = "batched"
    asks_a_turn_at_once = False

    async def park(self, ask: AsyncClient, agent: Any) -> Any:
        await park(ask, await agent.ainvoke(GO, CONFIG))
        return agent.checkpointer

    async def resume(self, ask: AsyncClient, agent: Any, parked: Any) -> RunResult | None:
        agent.checkpointer = parked
        out = await resume_graph(ask, agent, "t1")
        return None if out.get("__interrupt__") else run_result(out)

    def check_again(self, second_result: RunResult) -> None:
        assert second_result.text == "done"  # the checkpoint says that the graph has ended


class TestPromisesPerCall(GraphPromises):
    mode = "per_call"


@MODES
@pytest.mark.parametrize(("allowed", "edits"), [(["approve", "reject"], False), (["edit", "respond"], True)])
async def test_only_the_decisions_that_the_program_allows_are_offered(
    mode: Any, allowed: list[str], edits: bool
) -> None:
    deployments = Deployments()
    config = {"allowed_decisions": allowed, "description": "To all customers."}
    graph = reviewed_agent(model([("deploy", PROD)]), deployments.deploy, allowed=config, interrupt_mode=mode)
    async with client_answered_by({"deploy": True}) as (ask, ada):
        await run_graph(ask, graph, GO, CONFIG)
    assert deployments.ran == ["prod"]
    approval = approval_of(ada.asked_once("deploy").request)
    assert (approval.allow_edit, approval.reason) == (edits, "To all customers.")


@MODES
async def test_a_tool_that_only_a_person_can_answer_is_a_question(mode: Any) -> None:
    deployments = Deployments()
    graph = reviewed_agent(
        model([("deploy", {"to": "?"})]),
        deployments.deploy,
        allowed={"allowed_decisions": ["respond"]},
        interrupt_mode=mode,
    )
    async with client_answered_by({"deploy": "I did it myself."}) as (ask, _):
        out = await run_graph(ask, graph, GO, CONFIG)
    assert (deployments.ran, results(out)) == ([], ["I did it myself."])


def asking(*values: Any, **options: Any) -> Any:
    """Return a graph whose nodes interrupt at once, one with each value."""

    def node(value: Any) -> Any:
        return lambda state: {f"answer{values.index(value)}": interrupt(value, **options)}

    keys: Any = {f"answer{number}": Any for number in range(len(values))}
    builder = StateGraph(TypedDict("Keys", keys, total=False))  # type: ignore[operator] - one key for each node
    for number, value in enumerate(values):
        builder.add_node(f"node{number}", node(value))
        builder.add_edge(START, f"node{number}")
    return builder.compile(checkpointer=InMemorySaver())


async def values_of(script: Any, *values: Any, **options: Any) -> list[Any]:
    graph = asking(*values, **options)
    async with client_answered_by(script) as (ask, _):
        out = await run_graph(ask, graph, {}, CONFIG)
    return [out[f"answer{number}"] for number in range(len(values))]


async def test_simultaneous_interrupts_get_their_own_answers() -> None:
    form = Form(title="Name", fields=[Text(id="n", label="Your name")]).model_dump(exclude_none=True)
    result = await values_of({"Which?": "y", "Name": {"n": "typed"}}, "Which?", form)
    assert result == ["y", {"n": "typed"}]


@pytest.mark.parametrize(("reply", "value"), [("Yes", True), ("No", False), ("later", "later")])
async def test_a_free_question_takes_yes_no_or_free_text(reply: str, value: Any) -> None:
    question = {"question": "Do you approve?", "details": {"amount": 7}}
    assert await values_of({"Do you approve?": reply}, question) == [value]
    assert await values_of({"Do you approve?": reply}, "Do you approve?") == [value]


class Trip(BaseModel):
    city: str
    nights: int = Field(ge=1, le=30)


async def test_the_answer_to_a_schema_is_typed_and_checked_before_the_graph_gets_it() -> None:
    result = await values_of({"city": {"city": "Rome", "nights": 3}}, "Where to?", response_schema=Trip)
    assert result == [Trip(city="Rome", nights=3)]
    schema = {"type": "integer", "minimum": 0}
    assert await values_of([34], "What is your age?", response_schema=schema) == [34]
    assert await values_of([True], "Sure?", response_schema={"type": "boolean"}) == [True]
    assert await values_of([False], "Sure?", response_schema={"type": "boolean"}) == [False]


async def test_a_question_without_an_answer_raises_and_can_be_answered_later() -> None:
    graph = asking("Which?")
    async with client_answered_by({"Which?": Decline()}) as (ask, _):
        with pytest.raises(Declined):
            await run_graph(ask, graph, {}, CONFIG)
    assert (await graph.aget_state(CONFIG)).interrupts


MAIL = {"action": "send_email", "to": "bob", "subject": "Hi", "message": "Approve sending this email?"}


async def test_a_tool_that_asks_about_itself_gets_the_action_of_the_manual() -> None:
    edited_input = {"to": "eva", "subject": "Hi"}
    [found] = await values_of({"send_email": Approve(input=edited_input)}, MAIL)
    assert found == {"action": "approve", **edited_input}
    [found] = await values_of({"send_email": Deny("no")}, MAIL)
    assert found["action"] == "reject"
    assert "no" in found["message"]


INBOX = {"action_request": {"action": "mail", "args": {"to": "bob"}}, "description": "For Bob."}


@pytest.mark.parametrize(
    ("allowed", "reply", "value"),
    [
        ({"allow_accept": True, "allow_edit": True}, True, {"type": "accept", "args": None}),
        (
            {"allow_accept": True, "allow_edit": True},
            Approve(input={"to": "eva"}),
            {"type": "edit", "args": {"action": "mail", "args": {"to": "eva"}}},
        ),
        ({"allow_accept": True, "allow_ignore": True}, False, {"type": "ignore", "args": None}),
        ({"allow_respond": True}, "Hello", {"type": "response", "args": "Hello"}),
    ],
)
async def test_requests_of_agent_inbox_get_its_answers(allowed: Any, reply: Any, value: Any) -> None:
    assert await values_of({"mail": reply}, [{**INBOX, "config": allowed}]) == [[value]]


async def test_a_refusal_in_agent_inbox_is_a_response_where_it_may_be() -> None:
    config = {"allow_accept": True, "allow_respond": True, "allow_ignore": True}
    [[found]] = await values_of({"mail": Deny("no")}, [{**INBOX, "config": config}])
    assert found["type"] == "response"
    assert "no" in found["args"]


async def test_a_parked_graph_is_resumed_with_the_answer() -> None:
    deployments = Deployments()
    calls = [("deploy", PROD), ("deploy", STAGE)]
    graph = reviewed_agent(model(calls), deployments.deploy, interrupt_mode="per_call")
    async with client_answered_by({"deploy": LeaveOpen()}) as (ask, ada):
        out = await graph.ainvoke(GO, CONFIG)
        parked = await park(ask, out)
        requests = [await ask.requests.get(id_) for ids in parked.values() for id_ in ids]
        [prod] = [request for request in requests if request.approval and request.approval.input == PROD]
        [stage] = [request for request in requests if request is not prod]
        async with AsyncClient(app=ada.app, token=await ada.app.token("responder")) as bob:
            out = await resume_graph(ask, graph, "t1")
            assert len(out["__interrupt__"]) == 2
            await bob.requests.decide(prod, "approve")
            out = await resume_graph(ask, graph, "t1")
            assert (deployments.ran, len(out["__interrupt__"])) == (["prod"], 1)
            await bob.requests.decide(stage, "approve")
            [*_, resume] = await ask.resumes.pull("t1", limit=9)
            out = await resume_graph(ask, graph, resume.request.thread_id)
        second_run = await resume_graph(ask, graph, "t1")
    assert deployments.ran == ["prod", "stage"]
    assert out["messages"][-1].text == second_run["messages"][-1].text == "done"
    assert len(ada.asked()) == 2


async def test_an_entrypoint_of_the_functional_interface_is_run_and_resumed() -> None:
    @entrypoint(checkpointer=InMemorySaver())
    async def flow(amount: int) -> list[Any]:
        return [interrupt({"question": "Proceed?", "amount": amount}), interrupt("Which colour?")]

    async with client_answered_by({"Proceed?": "No", "Which colour?": "red"}) as (ask, _):
        assert await run_graph(ask, flow, 3, CONFIG) == [False, "red"]
        await park(ask, await flow.ainvoke(3, {"configurable": {"thread_id": "t2"}}), thread_id="t2")
        for _question in range(2):
            for request in await ask.requests.list(thread_id="t2"):
                await ask.wait(request)
            out = await resume_graph(ask, flow, "t2")
    assert out == [False, "red"]


async def test_an_approval_that_was_used_before_does_not_run_again() -> None:
    deployments = Deployments()
    graph = reviewed_agent(model([("deploy", PROD)]), deployments.deploy)
    async with client_answered_by({"deploy": True}) as (ask, _):
        out = await graph.ainvoke(GO, CONFIG)
        [[request]] = (await park(ask, out)).values()
        await ask.wait(request)
        await ask.consume(request, "by a process that died")
        out = await run_graph(ask, graph, None, CONFIG)
    assert deployments.ran == []
    assert "has been started before" in results(out)[0]


async def test_a_checkpointer_without_asynchronous_methods_works(tmp_path: Any) -> None:
    deployments = Deployments()
    with SqliteSaver.from_conn_string(str(tmp_path / "graph.db")) as saver:
        graph = reviewed_agent(model([("deploy", PROD)]), deployments.deploy, saver=saver)
        async with client_answered_by({"deploy": True}) as (ask, _):
            await run_graph(ask, graph, GO, CONFIG)
    assert deployments.ran == ["prod"]
