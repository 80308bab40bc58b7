"""`askback session`: list and end the sessions of browsers, on the running server or in its database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from askback.cli import rest

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
User = Annotated[str | None, typer.Option(help="Only sessions of this person, by your id.")]


@app.callback()
def session() -> None:
    """List and end the sessions of browsers."""


@app.command(name="list")
def list_(user: User = None, data_dir: DataDir = None) -> None:
    """List sessions: id, person, last use, expiry, browser."""

    async def work(api: rest.Api) -> list[dict[str, Any]]:
        return (await api.call("GET", "/v1/sessions", query=_query(user)))["sessions"]

    for found in rest.run("admin", work, data_dir=data_dir):
        times = f"used {found['last_used_at'][:16]}  expires {found['expires_at'][:10]}"
        print(f"{found['id']}  {found['name']}  {times}  {found['device']}".rstrip())


@app.command()
def end(
    session_id: Annotated[
        str | None, typer.Argument(help="The id, from `askback session list`. Default: every session.")
    ] = None,
    user: User = None,
    data_dir: DataDir = None,
) -> None:
    """End one session, or all of them. Their pages close at once."""

    async def one(api: rest.Api) -> int:
        await api.call("DELETE", f"/v1/sessions/{session_id}")
        return 1

    async def all_(api: rest.Api) -> int:
        return (await api.call("DELETE", "/v1/sessions", query=_query(user)))["ended"]

    if session_id is not None and user is not None:
        raise typer.BadParameter("give a session or --user, not both", param_hint="--user")
    ended = rest.run("admin", all_ if session_id is None else one, data_dir=data_dir)
    print(f"Ended {ended} session{'' if ended == 1 else 's'}.")


def _query(user: str | None) -> dict[str, str]:
    return {} if user is None else {"user": user}
