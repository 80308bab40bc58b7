"""A program with an agent of ADK, and its session in SQLite, that is killed while it waits."""

from __future__ import annotations

import sys

from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService

from askback.adapters.adk import AskbackRunner
from tests.adapters.adk.models import GO, WHERE, release_agent, runner_of, text_of
from tests.adapters.programs import Life, program
from tests.adapters.promises import Turn


async def runner(life: Life, *turns: Turn) -> Runner:
    sessions = SqliteSessionService(str(life.folder / "sessions.db"))
    return await runner_of(release_agent(*turns, deploy=life.deploy), sessions)


async def park_program(life: Life) -> None:
    started_runner = await runner(life, life.calls)
    session = await started_runner.session_service.get_session(app_name="app", **WHERE)
    if session is None or not session.events:  # else an earlier process has died after the pause
        async for _event in started_runner.run_async(**WHERE, new_message=GO):
            pass
        await AskbackRunner(started_runner, life.ask).park(**WHERE)
    life.store("")


async def resume_program(life: Life, stored: str) -> str | None:
    started_runner = await runner(life)
    async for _event in AskbackRunner(started_runner, life.ask).resume_async(**WHERE):
        pass
    # An earlier process may have died once the agent had said its last text, so it is read from the session.
    session = await started_runner.session_service.get_session(app_name="app", **WHERE)
    assert session is not None
    return text_of(session.events[-1:]) or None


main = program(park_program, resume_program)

if __name__ == "__main__":
    main(*sys.argv[1:])
