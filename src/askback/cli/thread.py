"""`askback thread`: say which agents may use a conversation, put it away, write it out, erase it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from askback.cli import rest
from askback.cli.agent import agent_id
from askback.cli.local import client_as

app = typer.Typer(add_completion=False, no_args_is_help=True)

Thread = Annotated[str, typer.Argument(help="The id of the conversation.")]
DataDir = Annotated[Path | None, typer.Option(help="Use the server, or the database, of this data folder.")]


@app.callback()
def thread() -> None:
    """Archive, export or delete conversations, on the running server or, without one, in its database."""


@app.command()
def archive(
    thread_id: Thread,
    undo: Annotated[bool, typer.Option("--undo", help="Unarchive the conversation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Archive a conversation: cancel its open requests and accept nothing new."""

    async def put_away() -> list[str]:
        async with client_as("admin", data_dir=data_dir) as client:
            if undo:
                await client.unarchive(thread_id)
                return []
            return await client.archive(thread_id)

    for request_id in asyncio.run(put_away()):
        typer.echo(f"cancelled: {request_id}")


@app.command()
def access(
    thread_id: Thread,
    agent: Annotated[
        list[str] | None, typer.Option(help="Add this agent, by id or name; repeatable.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Remove this agent, by id or name; repeatable.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Show who may use a conversation, or add and remove agents. A removed agent's open requests are cancelled."""
    path = f"/v1/threads/{quote(thread_id, safe='')}/access"

    async def work(api: rest.Api) -> dict[str, Any]:
        found = await api.call("GET", path)
        new = [await agent_id(api, each) for each in agent or ()]
        gone = [await agent_id(api, each) for each in remove or ()]
        if not new and not gone:
            return found
        held: list[str] = found.get("agents", [])
        wanted = [each for each in dict.fromkeys([*held, *new]) if each not in gone]
        return await api.call("PUT", path, {"agents": wanted})

    json.dump(rest.run("admin", work, data_dir=data_dir), sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


@app.command()
def export(thread_id: Thread, data_dir: DataDir = None) -> None:
    """Export a conversation to standard output as JSON. Secrets are exported by name only."""

    async def read() -> dict[str, Any]:
        async with client_as("admin", data_dir=data_dir) as client:
            return await client.export(thread_id)

    json.dump(asyncio.run(read()), sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


@app.command()
def erase(
    thread_id: Thread,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Delete a conversation from every file of the server. This cannot be undone."""
    if not yes:
        typer.confirm(f"Erase everything in {thread_id!r}?", abort=True)

    async def go() -> None:
        async with client_as("admin", data_dir=data_dir) as client:
            await client.erase_thread(thread_id)

    asyncio.run(go())
