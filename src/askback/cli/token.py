"""`askback token create`: a new token, through the running server or straight into the database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from askback import settings as settings_module
from askback.app import create_app
from askback.cli import admin
from askback.errors import AskbackError, StoreUnusable
from askback.service.access import ROLES
from askback.settings import DEFAULT_TENANT, Settings

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def token() -> None:
    """Make tokens for agents and people."""


@app.command()
def create(
    role: Annotated[str, typer.Option(help=f"One of {', '.join(ROLES)}.")],
    name: Annotated[str | None, typer.Option(help="The name shown to people; the role without it.")] = None,
    tenant: Annotated[str, typer.Option(help="Whose requests it sees.")] = DEFAULT_TENANT,
    lease_name: Annotated[
        list[str] | None, typer.Option(help="A secret that a runner may lease, with * and ?; several times.")
    ] = None,
    lease_thread: Annotated[
        list[str] | None, typer.Option(help="A thread for which a runner may lease; several times.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Your id of the person it is for, or for whom the agent works.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group they are in; several times.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the server.")] = None,
) -> None:
    """Print a new token. It is shown once; the database keeps only its digest."""
    if role not in ROLES:
        raise typer.BadParameter(f"must be one of {', '.join(ROLES)}", param_hint="--role")
    names, threads = lease_name or [], lease_thread or []
    if (role == "runner") != bool(names and threads) or (role != "runner" and (names or threads)):
        raise typer.BadParameter("a runner, and no other, takes --lease-name and --lease-thread")
    settings = settings_module.load(data_dir=data_dir)
    person = {"name": name or user or role, "user": user, "groups": group or []}
    try:
        made = anyio.run(_in_database, settings, role, tenant, names, threads, person)
    except StoreUnusable as locked:
        # A server has the file; it makes tokens in its admin's own tenant only.
        if tenant != DEFAULT_TENANT:
            raise AskbackError(f"{locked} A token for another tenant is made while no server runs.") from None
        lease = {"lease": {"names": names, "threads": threads}} if role == "runner" else {}
        made = _from_server(data_dir, {"role": role, **person, **lease}, locked=locked)
    print(made)


async def _in_database(
    settings: Settings, role: str, tenant: str, names: list[str], threads: list[str], person: dict[str, Any]
) -> str:
    application = create_app(settings)
    async with application.running():
        return await application.token(role, tenant=tenant, names=names, threads=threads, **person)


def _from_server(data_dir: Path | None, body: dict[str, object], *, locked: StoreUnusable) -> str:
    try:
        return admin.post(data_dir, "/v1/tokens", body)["token"]
    except admin.NotRunning:
        raise locked from None
