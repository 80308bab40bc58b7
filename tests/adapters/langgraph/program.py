"""A program with a graph on SQLite that is killed.

    python program.py (run|again|resume|live) FOLDER URL TOKEN

`run` waits for the person, `again` continues that in another process.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from askback import AsyncClient
from askback.adapters.langgraph import park, resume_graph, run_graph
from tests.adapters.langgraph.models import GO, model, reviewed_agent
from tests.adapters.programs import Life, program
from tests.adapters.promises import Turn


@asynccontextmanager
async def graph_of(life: Life, *turns: Turn) -> AsyncIterator[tuple[Any, RunnableConfig]]:
    async with AsyncSqliteSaver.from_conn_string(str(life.folder / "graph.db")) as saver:
        yield (
            reviewed_agent(model(*turns), life.deploy, saver=saver),
            {"configurable": {"thread_id": life.thread}},
        )


async def park_program(life: Life) -> None:
    async with graph_of(life, life.calls) as (graph, config):
        if not (
            await graph.aget_state(config)
        ).interrupts:  # else an earlier process has died after the pause
            await park(life.ask, await graph.ainvoke(GO, config))
    life.store("")


async def resume_program(life: Life, stored: str) -> str | None:
    async with graph_of(life) as (graph, _):
        out = await resume_graph(life.ask, graph, life.thread)
    return None if out.get("__interrupt__") else out["messages"][-1].text


async def wait_for_person(verb: str, folder: str, url: str, token: str) -> None:
    async with AsyncClient(url, token) as ask:
        life = Life(ask, Path(folder))
        turns = [life.calls] if verb == "run" else []
        async with graph_of(life, *turns) as (graph, config):
            life.store("")  # the checkpoint has what `resume` needs
            out = await run_graph(ask, graph, GO if verb == "run" else None, config)
    print(out["messages"][-1].text)


parks = program(park_program, resume_program)


def main(verb: str, *words: str) -> None:
    if verb in {"run", "again"}:
        asyncio.run(wait_for_person(verb, *words))
    else:
        parks(verb, *words)


if __name__ == "__main__":
    main(*sys.argv[1:])
