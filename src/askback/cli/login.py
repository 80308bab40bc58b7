"""`askback login`: a new sign-in link from the server that runs on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from askback.client import AsyncClient
from askback.client.server_proof import is_running
from askback.errors import AskbackError, ConnectionLost
from askback.server import server_file
from askback.server import settings as settings_module
from askback.server.owner import OWNER, owner_id

app = typer.Typer(add_completion=False)


@app.command()
def login(
    name: Annotated[
        str | None,
        typer.Option(help="The name shown with answers. Default: --user, or the person of this machine."),
    ] = None,
    user: Annotated[str | None, typer.Option(help="Your id for the person, the same for each login.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group of the person; repeatable.")] = None,
    admin: Annotated[
        bool,
        typer.Option(
            "--admin",
            help="Sign in as an admin, who also manages tokens, people and settings, and reads the audit log.",
        ),
    ] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the running server.")] = None,
) -> None:
    """Print a sign-in link for one browser; it works once, for ten minutes."""
    role = "admin" if admin else "responder"
    print(asyncio.run(create_link(data_dir, name=name, user=user, groups=group, role=role)))


async def create_link(
    data_dir: Path | None,
    *,
    name: str | None = None,
    user: str | None = None,
    groups: Sequence[str] | None = None,
    role: Literal["responder", "admin"] = "responder",
) -> str:
    """Ask the server whose address is in the data folder; raises `AskbackError`.

    Without a name and a user, the link is for the person of this machine.
    """
    file = settings_module.load(data_dir=data_dir).server_file
    address = server_file.read(file)
    if "url" not in address or "admin_token" not in address:
        raise AskbackError(f"No server has been started with {file.parent}. Run `askback serve` first.")
    if not is_running(address):
        raise AskbackError(f"No askback server answers at {address['url']}. Run `askback serve` first.")
    if name is None and user is None:
        name, user = OWNER, owner_id(address)
    async with AsyncClient(address["url"], address["admin_token"], via="cli") as client:
        try:
            return await client.sessions.create_login_link(
                name=name or user or OWNER, user=user, groups=groups or [], role=role
            )
        except ConnectionLost:
            raise AskbackError(f"No server answers at {address['url']}. Run `askback serve` first.") from None
