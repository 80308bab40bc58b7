"""`askback secrets`: what is kept for agents. Listed by name, set, erased, put under a new master key."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from askback.cli import rest
from askback.cli.agent import agent_id
from askback.cli.coredumps import forbid_core_dumps
from askback.cli.local import client_as
from askback.cli.secretvalue import PADDED, padded, typed_or_piped
from askback.cli.terminal import printable
from askback.client import AsyncClient, KeptSecret, Rotation
from askback.errors import AskbackError

OPERATOR = "operator"
"""Whoever can read the data folder of a server may do what concerns all of its tenants."""

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Use the server, or the database, of this data folder.")]


@app.callback()
def secrets() -> None:
    """Look after secrets: on the running server, or without one in its database. No command prints a value."""
    forbid_core_dumps()


@app.command(name="list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each secret.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List what is kept, newest first: the names, where each holds, since when and by whom."""

    async def read() -> list[KeptSecret]:
        async with client_as("responder", data_dir=data_dir) as client:
            return await _every_secret(client)

    found = asyncio.run(read())
    if as_json:
        for secret in found:
            print(secret.model_dump_json(exclude_none=True))
    else:
        _show(found)


@app.command(name="set")
def set_(
    name: Annotated[str, typer.Argument(help="The name, which is that of the variable later.")],
    thread: Annotated[str | None, typer.Option(help="It holds in this conversation only.")] = None,
    project: Annotated[str | None, typer.Option(help="It holds in this project only.")] = None,
    scope: Annotated[
        str | None,
        typer.Option(help="session (with --thread), project (with --project) or global; may be left out."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Set a secret or replace its value, everywhere unless you say where.

    The value is typed at a hidden prompt, or read from standard input to its end: never from the command line, which
    others can see. It is kept exactly as it is.
    """
    kept_in = _scope(scope, thread=thread, project=project)
    value = typed_or_piped(name)
    if padded(value):
        print(PADDED, file=sys.stderr)

    async def write() -> KeptSecret:
        async with client_as("responder", data_dir=data_dir, creates=True) as client:
            return await client.keep(name, value, scope=kept_in, thread_id=thread, project=project)

    _show([asyncio.run(write())])


@app.command()
def erase(
    which: Annotated[str, typer.Argument(help="The id (sec_…), or a name that only one secret has.")],
    data_dir: DataDir = None,
) -> None:
    """Erase a secret now: no agent can use it any more."""

    async def end() -> str:
        async with client_as("responder", data_dir=data_dir) as client:
            secret = await _the_one(client, which)
            await client.erase(secret)
            return secret.name

    print(f"{printable(asyncio.run(end()))} is erased.")


Which = Annotated[str, typer.Argument(help="The id (sec_…), or a name that only one secret has.")]
ByAgent = Annotated[str, typer.Option("--agent", help="The agent, by id or name, or `all`.")]


@app.command()
def grant(which: Which, agent: ByAgent, data_dir: DataDir = None) -> None:
    """Let an agent use a secret without asking."""
    name = _change_agents(which, agent, grants=True, data_dir=data_dir)
    print(printable(f"{_agents_in_words(agent)} may use {name} without asking."))


@app.command()
def revoke(which: Which, agent: ByAgent, data_dir: DataDir = None) -> None:
    """Make an agent ask again before it uses a secret. A program that has the value keeps it."""
    name = _change_agents(which, agent, grants=False, data_dir=data_dir)
    print(printable(f"{_agents_in_words(agent)} may no longer use {name} without asking."))


def _agents_in_words(agent: str) -> str:
    return "Every agent" if agent == "all" else agent


def _change_agents(which: str, agent: str, *, grants: bool, data_dir: Path | None) -> str:
    """Add or remove an agent, or all, and return the secret's name."""

    async def change() -> str:
        async with client_as("admin", data_dir=data_dir) as client:
            secret = await _the_one(client, which)
            if agent == "all":
                await client.set_secret_agents(secret, "all" if grants else [])
                return secret.name
            known = await client.secret_agents(secret)
            if known == "all":
                if grants:
                    return secret.name
                raise AskbackError(f"Every agent may use {secret.name}. Revoke it with --agent all first.")
            rest_of = [each for each in known if each != chosen]
            await client.set_secret_agents(secret, [*rest_of, chosen] if grants else rest_of)
            return secret.name

    async def find(api: rest.Api) -> str:
        return await agent_id(api, agent)

    chosen = "all" if agent == "all" else rest.run("admin", find, data_dir=data_dir)
    return asyncio.run(change())


@app.command()
def rotate(
    keep_old: Annotated[
        bool,
        typer.Option("--keep-old", help="Leave old keys in the key file, for old copies of the database."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Put all secrets, of all tenants, under the first master key, while the server runs or without one.

    A server with a key file gets a new key first; the old one goes when nothing is under it any more. With
    `ASKBACK_MASTER_KEYS` you put the new key first yourself. The exit status is 1 when some secrets could not be opened
    with any key: an old one is still needed.
    """

    async def wrap() -> Rotation:
        async with client_as(OPERATOR, data_dir=data_dir) as client:
            return await client.rotate_secrets(keep_old=keep_old)

    rotation = asyncio.run(wrap())
    print(f"{rotation.rewrapped} came under the first master key; {rotation.left} could not be opened.")
    if rotation.dropped:
        print("The old key is gone from the key file. Copies of the database from before still need it.")
    raise typer.Exit(1 if rotation.left else 0)


def _scope(
    given: str | None, *, thread: str | None, project: str | None
) -> Literal["session", "project", "global"]:
    """Return the scope that the options mean; raises `BadParameter` where they contradict each other."""
    if thread and project:
        raise typer.BadParameter(
            "a secret belongs to a conversation or a project, not both", param_hint="--thread"
        )
    meant = "session" if thread else "project" if project else "global"
    if given is not None and given != meant:
        needs = {"session": "--thread", "project": "--project"}.get(given)
        if given not in {"session", "project", "global"}:
            raise typer.BadParameter("must be one of session, project, global", param_hint="--scope")
        raise typer.BadParameter(
            f"{given} needs {needs}" if needs else "global goes with neither --thread nor --project",
            param_hint="--scope",
        )
    return meant


async def _every_secret(client: AsyncClient) -> list[KeptSecret]:
    found: list[KeptSecret] = []
    cursor = None
    while True:
        page = await client.kept(limit=200, cursor=cursor)
        found += page.secrets
        cursor = page.next_cursor
        if cursor is None:
            return found


async def _the_one(client: AsyncClient, which: str) -> KeptSecret:
    found = [secret for secret in await _every_secret(client) if which in {secret.id, secret.name}]
    if len(found) == 1:
        return found[0]
    if not found:
        raise AskbackError(f"There is no secret {which}. See: askback secrets list")
    ids = ", ".join(secret.id for secret in found)
    raise AskbackError(f"{len(found)} secrets are called {which}. Say which: {ids}")


def _show(secrets: list[KeptSecret]) -> None:
    """Print secrets, whole: nothing is cut, so that a line can be searched and an id copied."""
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    if not secrets:
        console.print("There are no secrets.")
    for secret in secrets:
        place = " ".join(filter(None, (secret.scope, secret.thread_id or secret.project)))
        console.print(printable(f"{secret.id}  {secret.name}  {place}"))
        by = f" by {secret.set_by.name}" if secret.set_by else ""
        console.print(printable(f"    value {secret.version}, set {_moment(secret.set_at)}{by}"), style="dim")


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
