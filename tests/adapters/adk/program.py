"""A program with an agent of ADK, and its session in SQLite, that is killed while it waits."""

from __future__ import annotations

import sys
from pathlib import Path

from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService

from askback import AsyncClient
from askback.adapters.adk import AskbackRunner
from tests.adapters.adk.models import GO, WHERE, releaser, runner_of, text_of
from tests.adapters.programs import Deploy, play
from tests.adapters.promises import Turn


async def runner(deploy: Deploy, *turns: Turn) -> Runner:
    sessions = SqliteSessionService(str(Path(sys.argv[2]) / "sessions.db"))
    return await runner_of(releaser(*turns, deploy=deploy), sessions)


async def parked(ask: AsyncClient, deploy: Deploy, calls: Turn) -> str:
    started = await runner(deploy, calls)
    async for _event in started.run_async(**WHERE, new_message=GO):
        pass
    await AskbackRunner(started, ask).park(**WHERE)
    return ""


async def resumed(ask: AsyncClient, deploy: Deploy, stored: str) -> str | None:
    again = AskbackRunner(await runner(deploy), ask)
    events = [each async for each in again.resume_async(**WHERE)]
    return text_of(events) if events else None


if __name__ == "__main__":
    play(parked, resumed)
