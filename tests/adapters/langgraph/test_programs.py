"""Programs as LangGraph's manual has them, without an event loop and with streams."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from askback import AsyncClient, Client
from askback.adapters.langgraph import answer_interrupts, mirror, park, resume_graph, run_graph
from askback.testing import Approve, LeaveOpen, person
from tests.adapters.langgraph.models import CONFIG, GO, model, results, reviewed_agent
from tests.adapters.promises import PROD, STAGE, Deployments, client_answered_by


class Found(TypedDict):
    value: Any


def single_node_graph(node: Any) -> Any:
    def update(state: Found) -> Found:
        return {"value": node(state["value"])}

    builder = StateGraph(Found)
    builder.add_node("node", update)
    builder.add_edge(START, "node")
    return builder.compile(checkpointer=InMemorySaver())


def age(_value: Any) -> int:
    prompt = "What is your age?"
    while True:
        answer = interrupt(prompt)
        if isinstance(answer, int) and answer > 0:
            return answer
        prompt = f"'{answer}' is not a valid age. Please enter a positive number."


def review(value: str) -> str:
    return interrupt({"instruction": "Review and edit this content", "content": value})


def revise(value: str) -> str:
    return interrupt({"text_to_revise": value})


def assistance(_value: str) -> str:
    return interrupt({"query": "I need expert guidance."})["data"]


@pytest.mark.parametrize(
    ("node", "replies", "value", "shown_value"),
    [
        (age, [-3, 34], 34, ("number", None)),
        (review, ["Improved"], "Improved", ("textarea", "Draft")),
        (revise, ["Improved"], "Improved", ("textarea", "Draft")),
        (assistance, ["Use LangGraph."], "Use LangGraph.", ("text", None)),
    ],
)
def test_a_question_of_the_manual_gets_an_answer_of_its_type(
    node: Any, replies: list[Any], value: Any, shown_value: Any
) -> None:
    ada = person(replies)
    with ada, Client(app=ada.app) as ask:
        assert run_graph(ask, single_node_graph(node), {"value": "Draft"}, CONFIG) == {"value": value}
    [*_, field] = ada.requests[-1].request.form.all_fields  # type: ignore[union-attr] - it is a form
    assert (field.type, getattr(field, "default", None)) == shown_value


def test_a_synchronous_program_runs_the_approved_call_and_mirrors_it() -> None:
    deployments = Deployments()
    graph = reviewed_agent(model([("deploy", PROD), ("deploy", STAGE)]), deployments.deploy)
    ada = person(lambda request: request.approval.input == STAGE)  # type: ignore[union-attr] - it is an approval
    with ada, Client(app=ada.app) as ask:
        out = run_graph(ask, graph, GO, CONFIG, version="v2").value
        mirror(ask, out["messages"], thread_id="t1")
        assert len(ask.threads.get("t1")["messages"]) == 2
    assert deployments.ran == ["stage"]
    assert "denied" in results(out)[0]


def test_a_synchronous_program_parks_and_resumes() -> None:
    deployments = Deployments()
    graph = reviewed_agent(model([("deploy", PROD)]), deployments.deploy)
    ada = person({"deploy": True})
    with ada, Client(app=ada.app, thread_id="t1") as ask:
        [[request]] = park(ask, graph.invoke(GO, CONFIG, version="v2")).values()
        ask.wait(request)
        out = resume_graph(ask, graph, "t1", version="v2")
    assert (deployments.ran, out.interrupts) == (["prod"], ())


async def test_a_streamed_graph_continues_with_the_answers() -> None:
    deployments, chunks = Deployments(), []
    graph = reviewed_agent(
        model([("deploy", PROD), ("deploy", STAGE)]), deployments.deploy, interrupt_mode="per_call"
    )
    async with client_answered_by(lambda request: Approve(input=PROD)) as (ask, ada):
        todo: Any = GO
        while todo is not None:
            chunks += [item async for item in graph.astream(todo, CONFIG, stream_mode="updates")]
            todo = await answer_interrupts(ask, graph, CONFIG)
    assert deployments.ran == ["prod", "prod"]
    assert len(ada.asked()) == 2
    assert sum("__interrupt__" in chunk for chunk in chunks) > 0


async def test_two_calls_of_a_tool_that_asks_about_itself_are_decided_separately() -> None:
    sent: list[str] = []

    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        answer = interrupt({"action": "send_email", "to": to, "message": "Approve sending this email?"})
        if answer.get("action") == "approve":
            sent.append(answer.get("to", to))
            return "sent"
        return "cancelled"

    graph = reviewed_agent(model([("send_email", {"to": "bob"}), ("send_email", {"to": "bob"})]), send_email)
    replies = iter([Approve(input={"to": "eva"}), False])
    async with client_answered_by(lambda request: next(replies)) as (ask, _):
        out = await run_graph(ask, graph, GO, CONFIG)
    assert (sent, sorted(results(out))) == (["eva"], ["cancelled", "sent"])


async def test_a_new_input_withdraws_abandoned_questions() -> None:
    deployments = Deployments()
    graph = reviewed_agent(model([("deploy", PROD)]), deployments.deploy)
    async with client_answered_by({"deploy": LeaveOpen()}) as (ask, _):
        [[parked]] = (await park(ask, await graph.ainvoke(GO, CONFIG))).values()
        await run_graph(ask, graph, {"messages": [("user", "Never mind.")]}, CONFIG)
        assert (await ask.requests.get(parked)).reason == "superseded"
    assert deployments.ran == []


async def test_the_framework_says_that_a_thread_is_missing() -> None:
    graph = reviewed_agent(model([("deploy", PROD)]), Deployments().deploy)
    async with AsyncClient("http://127.0.0.1:9", "none") as ask:
        with pytest.raises(ValueError, match="thread_id"):
            await run_graph(ask, graph, GO)
