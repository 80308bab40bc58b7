"""LangGraph: a graph with one node that interrupts, resumed with the answer. Run in its own environment.

python -m bench.peers.langgraph_engine URL     sqlite:///path or postgresql://…
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TypedDict

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.peers.transport import Show, run

CONNECTIONS = 16


class State(TypedDict):
    """The state of a thread of the graph."""

    body: Any
    values: Any


async def question(state: State) -> dict[str, Any]:
    """Ask, and continue with the answer."""
    return {"values": interrupt(state["body"])}


@asynccontextmanager
async def open_checkpointer(url: str) -> AsyncGenerator[Any]:
    """Open the checkpointer of a database, as in its manual."""
    if url.startswith("sqlite:"):
        async with AsyncSqliteSaver.from_conn_string(url.removeprefix("sqlite:///")) as sqlite_saver:
            await sqlite_saver.setup()
            yield sqlite_saver
        return
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool = AsyncConnectionPool(url, min_size=CONNECTIONS, max_size=CONNECTIONS, open=False, kwargs=settings)
    async with pool:
        sqlite_saver = AsyncPostgresSaver(pool)
        await sqlite_saver.setup()
        yield sqlite_saver


class Graph:
    """The engine. Agents wait in memory; only the checkpoints are durable."""

    def __init__(self, checkpointer: Any, show: Show) -> None:
        graph = StateGraph(State)
        graph.add_node("question", question)
        graph.add_edge(START, "question")
        graph.add_edge("question", END)
        self._graph = graph.compile(checkpointer=checkpointer)
        self._show = show
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    async def ask(self, question_id: str, thread: str, body: Any) -> Any:
        """Run the graph to its interrupt, show that, and wait."""
        state = await self._graph.ainvoke({"body": body}, _thread_config(question_id))
        waiting = self._waiting[question_id] = asyncio.get_running_loop().create_future()
        await self._show(question_id, thread, state["__interrupt__"][0].value)
        return await waiting

    async def answer(self, question_id: str, values: Any) -> None:
        """Resume the graph, and wake the waiting agent."""
        state = await self._graph.ainvoke(Command(resume=values), _thread_config(question_id))
        self._waiting.pop(question_id).set_result(state["values"])


def _thread_config(question_id: str) -> Any:
    return {"configurable": {"thread_id": question_id}}


def main() -> None:
    """Serve on the given database."""

    @asynccontextmanager
    async def engine(show: Show) -> AsyncGenerator[Graph]:
        async with open_checkpointer(sys.argv[1]) as checkpointer:
            yield Graph(checkpointer, show)

    run(engine)


if __name__ == "__main__":
    main()
