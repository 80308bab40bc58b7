"""Run a graph, and answer its interrupts, with a process that waits or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.pregel import Pregel

from askback.adapters.asking import AskOptions, PausePoint
from askback.adapters.langgraph.questions import Pause
from askback.adapters.langgraph.steps import GraphRun, interrupts_in, park_pauses, steps
from askback.client.async_client import AsyncClient
from askback.client.methods import function

Graph = Pregel[Any, Any, Any, Any]


@steps
def run_graph(
    graph: Graph,
    input: Any,  # noqa: A002 - LangGraph's name
    config: RunnableConfig | None = None,
    *,
    timeout_s: float | None = None,
    **invoke: Any,
) -> GraphRun:
    """Run a graph to its end, and ask a person whenever it is interrupted; returns what `ainvoke` returns.

        out = await run_graph(ask, graph, {"messages": [("user", "go")]}, config)

    With the blocking client it calls `invoke`, and blocks. All open interrupts are asked together. With the input None
    it continues a graph that is interrupted, and leaves any other alone. `invoke` are options of `ainvoke`. A question
    that nobody answers raises `Declined`, `Cancelled` or `Expired`, and the graph stays interrupted; a tool call that
    is not approved does not.
    """
    return GraphRun(graph, config or {}, invoke, {"timeout_s": timeout_s}).run_and_ask(input)


@steps
def answer_interrupts(graph: Graph, config: RunnableConfig, *, timeout_s: float | None = None) -> GraphRun:
    """Ask a person about the open interrupts of a graph; returns the input that continues it, None if it has none.

    It is for programs that run the graph themselves, with `stream`, `astream` or `stream_events`:

        while todo is not None:
            async for chunk in graph.astream(todo, config): ...
            todo = await answer_interrupts(ask, graph, config)
    """
    return GraphRun(graph, config, {}, {"timeout_s": timeout_s}).ask_about_pauses()


@steps
def resume_graph(
    graph: Graph,
    thread_id: str | None = None,
    *,
    config: RunnableConfig | None = None,
    timeout_s: float | None = None,
    **invoke: Any,
) -> GraphRun:
    """Continue a graph with the answers that have arrived, and park its next interrupts; returns its output.

    It needs nothing but the thread, so any process with the same graph and checkpointer can do it. If nothing is
    answered yet, the output has the interrupts that are open. A graph that is not interrupted is left alone.
    """
    config = config or {"configurable": {"thread_id": thread_id}}
    return GraphRun(graph, config, invoke, {"wait": False, "timeout_s": timeout_s}).run_and_ask(None)


@function
async def park(
    ask: AsyncClient, out: Any, *, thread_id: str | None = None, timeout_s: float | None = None
) -> Mapping[str, Sequence[str]]:
    """Ask about the interrupts in the output of a graph without waiting; returns the ids of requests by interrupt.

    `out` may also be a stream of `stream_events` that has ended. `thread_id` is that of the graph, by default the
    thread of the client. When a request has ended, its resume arrives at `ask.resumes`: call `resume_graph`.
    """
    options: AskOptions = {"wait": False, "timeout_s": timeout_s}
    pauses = [
        Pause(item, PausePoint(id=f"langgraph:{item.id}", thread_id=thread_id)) for item in interrupts_in(out)
    ]
    return await park_pauses(ask, pauses, options)
