"""`askback thread`: list, share, archive, export and delete conversations."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

from askback.cli.agent import agent_id
from askback.cli.local import client_as, run_as
from askback.cli.options import DataDir, report_empty
from askback.cli.terminal import printable
from askback.client import AsyncClient, Page, Thread, ThreadAccess
from askback.domain.questiontext import escape_hidden
from askback.errors import NotFound

app = typer.Typer(add_completion=False, no_args_is_help=True)

ThreadId = Annotated[str, typer.Argument(help="The id of the conversation.")]


@app.callback()
def thread() -> None:
    """Archive, export or delete conversations, on the running server or, without one, in its database."""


@app.command("list")
def list_(
    search: Annotated[str | None, typer.Argument(help="Words of the title, or the whole id.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="List archived conversations.")] = False,
    agent: Annotated[str | None, typer.Option(help="Only those of this agent, by id or name.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 50,
    data_dir: DataDir = None,
) -> None:
    """List conversations, the newest first: id, open requests, last change and title."""

    async def read(client: AsyncClient) -> Page[Thread]:
        id_of_agent = None if agent is None else await agent_id(client, agent)
        return await client.threads.list(search, agent=id_of_agent, archived=archived, limit=limit)

    threads = run_as("admin", read, data_dir=data_dir)
    report_empty(threads.items, "conversations")
    for item in threads:
        updated_text = "-" if item.updated_at is None else f"{item.updated_at.astimezone():%Y-%m-%d %H:%M}"
        typer.echo(
            "\t".join(
                (printable(item.id), f"{item.pending}", updated_text, printable(item.title or ""))
            ).rstrip()
        )


@app.command()
def rename(
    thread_id: ThreadId,
    title: Annotated[str, typer.Argument(help="The new title; an empty one removes it.")],
    data_dir: DataDir = None,
) -> None:
    """Give a conversation a title."""

    async def work(client: AsyncClient) -> Thread:
        await _require_thread(client, thread_id)
        return await client.threads.update(thread_id, title=title or None)

    run_as("admin", work, data_dir=data_dir)


@app.command()
def archive(
    thread_id: ThreadId,
    undo: Annotated[bool, typer.Option("--undo", help="Unarchive the conversation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Archive a conversation: cancel its open requests and accept nothing new."""

    async def put_away() -> list[str]:
        async with client_as("admin", data_dir=data_dir) as client:
            if undo:
                await client.threads.unarchive(thread_id)
                return []
            return await client.threads.archive(thread_id)

    for request_id in asyncio.run(put_away()):
        typer.echo(f"cancelled: {request_id}")


@app.command()
def access(
    thread_id: ThreadId,
    agent: Annotated[
        list[str] | None, typer.Option(help="Add this agent, by id or name; repeatable.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Remove this agent, by id or name; repeatable.")
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Start the conversation if there is none with this id.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Show who may use a conversation, or add and remove agents. A removed agent's open requests are cancelled."""

    async def work(client: AsyncClient) -> ThreadAccess:
        if not new:
            await _require_thread(client, thread_id)
        access = await client.threads.get_access(thread_id)
        added_ids = [await agent_id(client, item) for item in agent or ()]
        removed_ids = [await agent_id(client, item) for item in remove or ()]
        if not added_ids and not removed_ids:
            return access
        agents = [
            member_id
            for member_id in dict.fromkeys([*(access.agents or ()), *added_ids])
            if member_id not in removed_ids
        ]
        return await client.threads.set_agents(thread_id, agents)

    access = run_as("admin", work, data_dir=data_dir)
    print(escape_hidden(access.model_dump_json(exclude_unset=True, indent=1)))


@app.command()
def export(thread_id: ThreadId, data_dir: DataDir = None) -> None:
    """Export a conversation to standard output as JSON. Secrets are exported by name only."""

    async def read() -> dict[str, Any]:
        async with client_as("admin", data_dir=data_dir) as client:
            return await client.threads.export(thread_id)

    print(escape_hidden(json.dumps(asyncio.run(read()), ensure_ascii=False, indent=1)))


@app.command()
def erase(
    thread_id: ThreadId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Delete a conversation from every file of the server. This cannot be undone."""
    if not yes:
        typer.confirm(f"Erase everything in {thread_id!r}?", abort=True)

    async def erase_thread() -> None:
        async with client_as("admin", data_dir=data_dir) as client:
            await client.threads.delete(thread_id)

    asyncio.run(erase_thread())


async def _require_thread(client: AsyncClient, thread_id: str) -> None:
    """Raise `NotFound` for a conversation in which nothing has happened: a typo must not start one."""
    if not (await client.threads.get(thread_id))["seq"]:
        raise NotFound(
            f"There is no conversation {printable(thread_id)}. `askback thread list` lists the conversations."
        )
