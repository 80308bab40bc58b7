"""Run a graph, and answer its interrupts, with a process that waits or without one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.pregel import Pregel
from langgraph.types import Command, Interrupt, StateSnapshot

from askback.adapters.asking import AskOptions, Place, together
from askback.adapters.langgraph.questions import (
    Outcome,
    Pause,
    Question,
    is_open,
    read_question,
    request_id_of,
)
from askback.client.async_client import AsyncClient
from askback.domain.decision import Decision

Graph = Pregel[Any, Any, Any, Any]


async def run_graph(
    ask: AsyncClient,
    graph: Graph,
    input: Any,  # noqa: A002 - LangGraph's name
    config: RunnableConfig | None = None,
    *,
    timeout_s: float | None = None,
    **invoke: Any,
) -> Any:
    """Run a graph to its end, and ask a person whenever it is interrupted; returns what `ainvoke` returns.

    All open interrupts are asked at once. With the input None it continues a graph that is
    interrupted, and leaves any other alone. `invoke` are
    options of `ainvoke`. A question that nobody answers raises `Declined`, `Cancelled` or `Expired`, and the graph
    stays interrupted; a tool call that is not approved does not.
    """
    config = config or {}
    out = await _stopped(graph, config) if input is None else await _invoke(graph, input, config, invoke)
    while pauses := await _pauses(graph, config, _interrupts(out)):
        answers = await _answers(ask, pauses, timeout_s=timeout_s)
        out = await _invoke(graph, Command(resume=answers), config, invoke)
    return out


async def park(
    ask: AsyncClient, out: Any, *, thread_id: str | None = None, timeout_s: float | None = None
) -> Mapping[str, Sequence[str]]:
    """Ask about the interrupts in the output of a graph without waiting; returns the ids of requests by interrupt.

    `thread_id` is that of the graph, by default the thread of the client. When a request has ended, its resume arrives
    at `ask.resumes`: call `resume_graph`.
    """
    places = {each.id: Place(id=f"langgraph:{each.id}", thread_id=thread_id) for each in _interrupts(out)}
    return await _park(ask, [Pause(each, places[each.id]) for each in _interrupts(out)], timeout_s=timeout_s)


async def resume_graph(
    ask: AsyncClient,
    graph: Graph,
    thread_id: str | None = None,
    *,
    config: RunnableConfig | None = None,
    timeout_s: float | None = None,
    **invoke: Any,
) -> Any:
    """Continue a graph with the answers that have arrived, and park its next interrupts; returns its output.

    It needs nothing but the thread, so any process with the same graph and checkpointer can do it. If nothing is
    answered yet, the output has the interrupts that are open. A graph that is not interrupted is left alone.
    """
    config = config or {"configurable": {"thread_id": thread_id}}
    out = await _stopped(graph, config)
    while pauses := await _pauses(graph, config, _interrupts(out)):
        answers = await _answers(ask, pauses, wait=False, timeout_s=timeout_s)
        if not answers:
            break
        out = await _invoke(graph, Command(resume=answers), config, invoke)
    return out


async def _answers(
    ask: AsyncClient, pauses: Sequence[Pause], **options: Unpack[AskOptions]
) -> Mapping[str, Any]:
    """Ask about interrupts, and return the values of those that are answered, by the id of the interrupt."""
    read = [read_question(pause) for pause in pauses]
    found = await together(_outcomes(ask, each, options) for each in read)
    answers = dict[str, Any]()
    for pause, question, outcomes in zip(pauses, read, found, strict=True):
        if not any(map(is_open, outcomes)):
            # Only now, when the graph goes on: an approval that is used before and then waits would be lost.
            used = [await ask.use(each) if isinstance(each, Decision) else each for each in outcomes]
            answers[pause.interrupt.id] = question.value(used)
    return answers


async def _outcomes(ask: AsyncClient, question: Question, options: AskOptions) -> Sequence[Outcome]:
    return await together(asking(ask, options) for asking in question.asks)


async def _park(
    ask: AsyncClient, pauses: Sequence[Pause], *, timeout_s: float | None
) -> Mapping[str, Sequence[str]]:
    options: AskOptions = {"wait": False, "timeout_s": timeout_s}
    found = await together(_outcomes(ask, read_question(each), options) for each in pauses)
    return {
        pause.interrupt.id: [id_ for each in outcomes if (id_ := request_id_of(each)) is not None]
        for pause, outcomes in zip(pauses, found, strict=True)
    }


def _interrupts(out: Any) -> Sequence[Interrupt]:
    return cast("Mapping[str, Any]", out).get("__interrupt__") or () if isinstance(out, Mapping) else ()


async def _pauses(graph: Graph, config: RunnableConfig, found: Sequence[Interrupt]) -> Sequence[Pause]:
    if not found:
        return ()
    state = await _state(graph, config)
    thread_id = str(config.get("configurable", {}).get("thread_id"))
    run_id = config.get("run_id")
    name = graph.get_name()
    place = Place(
        id="",
        thread_id=thread_id,
        run_id=None if run_id is None else str(run_id),
        agent=None if name == "LangGraph" else name,
    )
    known = dict(_located(state, place))
    return [known.get(each.id, Pause(each, replace(place, id=f"langgraph:{each.id}"))) for each in found]


def _located(state: StateSnapshot, place: Place) -> Iterator[tuple[str, Pause]]:
    """Yield each interrupt of a state with its place; the node of a subgraph is the name of its agent."""
    messages = cast("Any", state.values).get("messages", ()) if isinstance(state.values, Mapping) else ()
    said = next((each for each in reversed(messages) if isinstance(each, AIMessage)), None)
    for task in state.tasks:
        for each in task.interrupts:
            yield (
                each.id,
                Pause(each, replace(place, id=f"langgraph:{each.id}"), said.tool_calls if said else ()),
            )
        if isinstance(task.state, StateSnapshot):
            yield from _located(task.state, replace(place, agent=task.name))


async def _stopped(graph: Graph, config: RunnableConfig) -> Any:
    """Return the output of a graph that has stopped, as it was.

    One that died within a node is not started again: the node may have run a tool that a person approved once.
    """
    state = await _state(graph, config)
    if not state.interrupts:
        return state.values
    values = cast("Any", state.values)  # that of an entrypoint is no mapping
    return {**(values if isinstance(values, Mapping) else {}), "__interrupt__": list(state.interrupts)}


async def _state(graph: Graph, config: RunnableConfig) -> StateSnapshot:
    if await _is_blocking(graph, config):
        return await asyncio.to_thread(graph.get_state, config, subgraphs=True)
    return await graph.aget_state(config, subgraphs=True)


async def _invoke(graph: Graph, sent: Any, config: RunnableConfig, options: Mapping[str, Any]) -> Any:
    if await _is_blocking(graph, config):
        return await asyncio.to_thread(graph.invoke, sent, config, **options)
    return await graph.ainvoke(sent, config, **options)


async def _is_blocking(graph: Graph, config: RunnableConfig) -> bool:
    """Whether the checkpointer has no asynchronous methods, such as SqliteSaver: the graph runs in a thread then."""
    if not isinstance(graph.checkpointer, BaseCheckpointSaver):
        return False
    try:
        await graph.checkpointer.aget_tuple(config)
    except NotImplementedError:
        return True
    return False
