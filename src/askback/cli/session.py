"""`askback session`: list and end the sessions of browsers, on the running server or in its database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askback.cli.local import run_as
from askback.cli.options import report_empty
from askback.client import AsyncClient

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
User = Annotated[str | None, typer.Option(help="Only sessions of this person, by your id for them.")]


@app.callback()
def session() -> None:
    """List and end browser sessions."""


@app.command(name="list")
def list_(user: User = None, data_dir: DataDir = None) -> None:
    """List sessions: id, person, last use, expiry, browser."""
    sessions = run_as("admin", lambda client: client.sessions.list(user=user), data_dir=data_dir)
    report_empty(sessions, "sessions")
    for item in sessions:
        times = f"used {item.last_used_at:%Y-%m-%dT%H:%M}  expires {item.expires_at:%Y-%m-%d}"
        print(f"{item.id}  {item.name}  {times}  {item.device}".rstrip())


@app.command()
def end(
    session_id: Annotated[str | None, typer.Argument(help="The id, from `askback session list`.")] = None,
    user: User = None,
    everybody: Annotated[bool, typer.Option("--all", help="Every session of everybody.")] = False,
    data_dir: DataDir = None,
) -> None:
    """End one session, those of one person, or all. Their pages close immediately."""

    async def end_one_or_all(client: AsyncClient) -> int:
        if session_id is None:
            return await client.sessions.end_all(user=user)
        await client.sessions.end(session_id)
        return 1

    if [session_id is not None, user is not None, everybody].count(True) != 1:
        raise typer.BadParameter("give one of: the id of a session, --user, --all", param_hint="SESSION_ID")
    ended_count = run_as("admin", end_one_or_all, data_dir=data_dir)
    print(f"Ended {ended_count} session{'' if ended_count == 1 else 's'}.")
