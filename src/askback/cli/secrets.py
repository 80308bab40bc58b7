"""`askback secrets`: list, set, erase, grant, revoke and rotate the secrets of agents."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import typer

from askback.cli.agent import agent_id
from askback.cli.local import all_pages, client_as, run_as
from askback.cli.options import DataDir, report_empty
from askback.cli.output import plain_console
from askback.cli.secret_value import read_value
from askback.cli.terminal import minute, printable
from askback.client import AsyncClient, Rotation, StoredSecret
from askback.domain.questiontext import escape_hidden
from askback.errors import AskbackError
from askback.server.core_dumps import forbid_core_dumps

OPERATOR = "operator"
"""A person who can read the data folder of a server may act for all of its tenants."""

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def secrets() -> None:
    """Manage secrets, on the running server or, without one, in its database. No command prints a value."""
    forbid_core_dumps()


@app.command(name="list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print each secret as a line of JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List secrets, newest first: name, scope, when and by whom it was set, which agents may use it."""

    async def read(client: AsyncClient) -> tuple[list[StoredSecret], dict[str, str]]:
        agents = await all_pages(lambda cursor: client.agents.list(limit=200, cursor=cursor))
        return await _every_secret(client), {agent.id: agent.name for agent in agents}

    secrets, names = run_as("responder", read, data_dir=data_dir)
    report_empty(secrets, "secrets")
    if as_json:
        for secret in secrets:
            print(escape_hidden(secret.model_dump_json(exclude_none=True)))
    else:
        _show(secrets, names)


@app.command(name="set")
def set_(
    name: Annotated[str, typer.Argument(help="The name of the secret and of its environment variable.")],
    thread: Annotated[str | None, typer.Option(help="Use it in this conversation only.")] = None,
    project: Annotated[str | None, typer.Option(help="Use it in this project only.")] = None,
    scope: Annotated[
        str | None,
        typer.Option(help="session (with --thread), project (with --project) or global."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Set a secret or replace its value, for every conversation unless you name one.

    The value is typed at a hidden prompt, or read from standard input to its end: never from the command line, which
    others can see. It is stored exactly as given.
    """
    scope_members = _scope(scope, thread=thread, project=project)
    value = read_value(name)

    async def write() -> StoredSecret:
        async with client_as("responder", data_dir=data_dir, creates=True) as client:
            return await client.secrets.set(
                name, value, scope=scope_members, thread_id=thread, project=project
            )

    stored_secret = asyncio.run(write())
    for warning in stored_secret.warnings:
        print(warning.message, file=sys.stderr)
    _show([stored_secret])


SecretArgument = Annotated[str, typer.Argument(help="The id (sec_…), or a name that only one secret has.")]


@app.command()
def erase(secret: SecretArgument, data_dir: DataDir = None) -> None:
    """Erase a secret. Agents can no longer use it."""

    async def end(client: AsyncClient) -> str:
        secret_record = _find_secret(await _every_secret(client), secret)
        await client.secrets.delete(secret_record)
        return secret_record.name

    print(f"{printable(run_as('responder', end, data_dir=data_dir))} is erased.")


ByAgent = Annotated[str, typer.Option("--agent", help="The agent, by id or name, or `all`.")]


@app.command()
def grant(secret: SecretArgument, agent: ByAgent, data_dir: DataDir = None) -> None:
    """Let an agent use a secret without asking."""
    name = _change_agents(secret, agent, grants=True, data_dir=data_dir)
    print(printable(f"{_agents_in_words(agent)} may use {name} without asking."))


@app.command()
def revoke(secret: SecretArgument, agent: ByAgent, data_dir: DataDir = None) -> None:
    """Make an agent ask again before it uses a secret. A program that has the value keeps it."""
    name = _change_agents(secret, agent, grants=False, data_dir=data_dir)
    print(printable(f"{_agents_in_words(agent)} may no longer use {name} without asking."))


def _agents_in_words(agent: str) -> str:
    return "Every agent" if agent == "all" else agent


def _change_agents(id_or_name: str, agent: str, *, grants: bool, data_dir: Path | None) -> str:
    """Add or remove an agent, or all, and return the secret's name."""

    async def change(client: AsyncClient) -> str:
        secret = _find_secret(await _every_secret(client), id_or_name)
        if agent == "all":
            await client.secrets.set_agents(secret, "all" if grants else [])
        elif secret.agents == "all" and not grants:
            raise AskbackError(f"Every agent may use {secret.name}. Revoke it with --agent all first.")
        else:
            method = client.secrets.grant if grants else client.secrets.revoke
            await method(secret, agent=await agent_id(client, agent))
        return secret.name

    return run_as("admin", change, data_dir=data_dir)


@app.command()
def rotate(
    keep_old: Annotated[
        bool,
        typer.Option("--keep-old", help="Keep old keys in the key file, for old copies of the database."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Rewrap the secrets of all tenants with the first master key, with or without a running server.

    A server with a key file gets a new key first; the old key is dropped once no secret uses it. With
    `ASKBACK_MASTER_KEYS`, put the new key first yourself. Exit status 1: no key could decrypt some of the secrets,
    so an old key is still needed.
    """

    async def wrap() -> Rotation:
        async with client_as(OPERATOR, data_dir=data_dir) as client:
            return await client.secrets.rotate(keep_old=keep_old)

    rotation = asyncio.run(wrap())
    print(
        f"Re-encrypted with the first master key: {rotation.rewrapped}. Could not be decrypted: {rotation.left}."
    )
    if rotation.dropped:
        print("The old key was removed from the key file. Older copies of the database still need it.")
    raise typer.Exit(1 if rotation.left else 0)


def _scope(
    option: str | None, *, thread: str | None, project: str | None
) -> Literal["session", "project", "global"]:
    """Return the scope that the options select; raises `BadParameter` if they contradict each other."""
    if thread and project:
        raise typer.BadParameter("give either --thread or --project, not both", param_hint="--thread")
    implied_scope = "session" if thread else "project" if project else "global"
    if option is not None and option != implied_scope:
        needed_option = {"session": "--thread", "project": "--project"}.get(option)
        if option not in {"session", "project", "global"}:
            raise typer.BadParameter("must be one of session, project, global", param_hint="--scope")
        raise typer.BadParameter(
            f"{option} needs {needed_option}"
            if needed_option
            else "global cannot be combined with --thread or --project",
            param_hint="--scope",
        )
    return implied_scope


async def _every_secret(client: AsyncClient) -> list[StoredSecret]:
    return await all_pages(lambda cursor: client.secrets.list(limit=200, cursor=cursor))


def _find_secret(secrets: Sequence[StoredSecret], id_or_name: str) -> StoredSecret:
    matches = [secret for secret in secrets if id_or_name in {secret.id, secret.name}]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise AskbackError(f"There is no secret {id_or_name}. See: askback secrets list")
    ids = ", ".join(secret.id for secret in matches)
    raise AskbackError(f"{len(matches)} secrets are named {id_or_name}. Give the id of one: {ids}")


def _show(secrets: Sequence[StoredSecret], names: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print secrets without cutting lines, so that a line can be searched and an id copied.

    `names` are those of agents, by id.
    """
    console = plain_console()
    for secret in secrets:
        location = " ".join(filter(None, (secret.scope, secret.thread_id or secret.project)))
        console.print(printable(f"{secret.id}  {secret.name}  {location}"))
        setter_text = f" by {secret.set_by.name}" if secret.set_by else ""
        console.print(
            printable(f"    value {secret.version}, set {minute(secret.set_at)}{setter_text}"), style="dim"
        )
        if secret.agents is not None:
            console.print(printable(f"    used by {_agents_text(secret.agents, names)}"), style="dim")


def _agents_text(agents: Sequence[str] | Literal["all"], names: Mapping[str, str]) -> str:
    """List the agents that may use a secret; equal names are distinguished by their ids."""
    if agents == "all":
        return "every agent"
    name_counts = Counter(names.values())

    def display_name(agent: str) -> str:
        name = names.get(agent, "agent")
        return name if name_counts[name] == 1 else f"{name} ({agent})"

    return ", ".join(map(display_name, agents)) or "no agent"
