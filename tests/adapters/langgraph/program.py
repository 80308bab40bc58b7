"""A program with a graph on SQLite: `run` waits for the person, `resume` continues what was answered meanwhile.

    python program.py (run|resume|again) FOLDER URL TOKEN

Its tool writes into `FOLDER/ran`, and with `slow` in its input does not return.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from askback import AsyncClient
from askback.adapters.langgraph import resume_graph, run_graph
from tests.adapters.langgraph.models import CONFIG, GO, model, reviewed


async def main(verb: str, folder: Path, url: str, token: str) -> None:
    def deploy(to: str) -> str:
        """Deploy."""
        with (folder / "ran").open("a") as out:
            out.write(f"{to}\n")
        while to == "slow":
            time.sleep(1)
        return f"deployed {to}"

    async with (
        AsyncSqliteSaver.from_conn_string(str(folder / "graph.db")) as saver,
        AsyncClient(url, token) as ask,
    ):
        calls = [("deploy", {"to": to}) for to in (folder / "calls").read_text().split()]
        graph = reviewed(model(calls) if verb == "run" else model(), deploy, saver=saver)
        if verb == "run":
            (folder / "parked").touch()  # the checkpoint has what `resume` needs
            out = await run_graph(ask, graph, GO, CONFIG)
        elif verb == "again":
            out = await run_graph(ask, graph, None, CONFIG)
        else:
            async for resume in ask.resumes.listen():
                out = await resume_graph(ask, graph, resume.request.thread_id)
                await ask.resumes.ack(resume)
                if not out.get("__interrupt__"):
                    break
        print(out["messages"][-1].text)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
