"""DBOS: a durable workflow that receives the answer, which is sent to it durably. Run in its own environment.

    python -m bench.peers.dbos_engine URL          sqlite:///path or postgresql://…

With default settings: on SQLite it polls for messages once a second, on Postgres it is notified.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from dbos import DBOS, SetWorkflowID

from bench.peers.transport import Show, run

TOPIC = "answer"
PATIENCE_S = 3600


class Workflows:
    """The engine. A workflow is known by the id of its question."""

    def __init__(self, show: Show) -> None:
        @DBOS.step()
        async def show_question(question_id: str, thread: str, body: Any) -> None:
            await show(question_id, thread, body)

        @DBOS.workflow()
        async def conversation(question_id: str, thread: str, body: Any) -> Any:
            await show_question(question_id, thread, body)
            return await DBOS.recv_async(TOPIC, timeout_seconds=PATIENCE_S)

        self._conversation = conversation

    async def ask(self, question_id: str, thread: str, body: Any) -> Any:
        """Start a workflow, and wait for its result."""
        with SetWorkflowID(question_id):
            handle = await DBOS.start_workflow_async(self._conversation, question_id, thread, body)
        return await handle.get_result()

    async def answer(self, question_id: str, values: Any) -> None:
        """Send the answer to its workflow."""
        await DBOS.send_async(question_id, values, topic=TOPIC)


def main() -> None:
    """Serve on the given database."""

    @asynccontextmanager
    async def engine(show: Show) -> AsyncGenerator[Workflows]:
        DBOS(
            config={
                "name": "bench",
                "system_database_url": sys.argv[1],
                "run_admin_server": False,
                "log_level": "ERROR",
            }
        )
        workflows = Workflows(show)
        DBOS.launch()
        try:
            yield workflows
        finally:
            DBOS.destroy()

    run(engine)


if __name__ == "__main__":
    main()
