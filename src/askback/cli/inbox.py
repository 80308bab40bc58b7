"""`askback inbox`: answer agents' requests in the terminal, as on the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from askback.cli.audience import reader
from askback.cli.card import headline
from askback.cli.connection import ServerConnection, find
from askback.cli.output import plain_console
from askback.cli.pending import PendingRequests
from askback.cli.signals import interruptible
from askback.cli.terminal import EndOfInput, Terminal
from askback.client import AsyncClient
from askback.domain.request import InputRequest
from askback.errors import AskbackError

EPILOG = """\
In a form, :help lists the commands, and :later leaves the form open. For a tool call, an empty line skips
the call, and :all no declines everything that is pending.

Example: askback inbox --once
"""


app = typer.Typer(add_completion=False)


@app.command(epilog=EPILOG)
def inbox(
    once: Annotated[bool, typer.Option("--once", help="Go through the pending requests, then exit.")] = False,
    thread: Annotated[str | None, typer.Option(help="Only requests of this conversation.")] = None,
    request: Annotated[str | None, typer.Option(help="Only this request, by its id (req_…).")] = None,
    approved: Annotated[
        bool, typer.Option("--approved", help="List approved calls that have not run yet, then exit.")
    ] = False,
    revoke: Annotated[
        str | None, typer.Option(help="Revoke this approval before its call runs, by its id (req_…).")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Use the server with this data folder.")] = None,
) -> None:
    """Answer requests in the terminal, with the same forms, tool calls and rules as on the pages.

    Lists the pending requests, oldest first, and waits for more. Ctrl-C or the end of the input exits
    without answering.
    """
    terminal = Terminal(plain_console())
    try:
        server = find("responder", data_dir=data_dir)
        if approved or revoke is not None:
            interruptible(_show_or_revoke(server, terminal, thread=thread, revoked_id=revoke))
        else:
            interruptible(_run(server, terminal, once=once, thread=thread, request=request))
    except (EndOfInput, KeyboardInterrupt):
        terminal.say("Stopped. Nothing else was answered.", "dim")
    except AskbackError as error:
        plain_console(stderr=True).print(str(error), style="red")
        raise typer.Exit(1) from None


async def _show_or_revoke(
    server: ServerConnection, terminal: Terminal, *, thread: str | None, revoked_id: str | None
) -> None:
    async with server.client() as client:
        if revoked_id is None:
            await _show_approved(client, terminal, thread=thread)
        else:
            await _revoke(client, terminal, revoked_id)


async def _run(
    server: ServerConnection, terminal: Terminal, *, once: bool, thread: str | None, request: str | None
) -> None:
    async with server.client() as client:
        box = PendingRequests(client, terminal, reader=await reader(server), thread=thread)
        if request is not None:
            await box.answer_one(request)
        elif once:
            await box.answer_pending()
        else:
            await box.answer_until_left()


PAGE = 200


async def _show_approved(client: AsyncClient, terminal: Terminal, *, thread: str | None) -> None:
    """List approved calls that have not run yet, newest first."""
    is_empty = True
    async for request in _unused_approvals(client, thread):
        is_empty = False
        settler_name = request.settled_by.name if request.settled_by else "someone"
        terminal.say(f"{request.id}  {_call(request)}  approved by {settler_name}, in {request.thread_id}")
    if is_empty:
        terminal.say("No approved calls are waiting to run.")


async def _revoke(client: AsyncClient, terminal: Terminal, request_id: str) -> None:
    """Revoke an approval; raises `Conflict` when its call has run."""
    request = await client.requests.revoke(request_id)
    terminal.say(f"Revoked: {_call(request)}. It did not run, and cannot.")


async def _unused_approvals(client: AsyncClient, thread: str | None) -> AsyncIterator[InputRequest]:
    """Yield approvals that are still valid and unused."""
    cursor, now = None, datetime.now(UTC)
    while True:
        page = await client.requests.list(
            thread_id=thread, status="answered", kind="approval", limit=PAGE, cursor=cursor
        )
        for request in page.items:
            if _is_usable(request, now):
                yield request
        if (cursor := page.next_cursor) is None:
            return


def _is_usable(request: InputRequest, current_datetime: datetime) -> bool:
    answer = request.answer
    if answer is None or answer.decision != "approve" or request.source != "responder":
        return False
    is_unused = request.used_at is None and request.revoked is None
    return is_unused and answer.expires_at is not None and answer.expires_at > current_datetime


def _call(request: InputRequest) -> str:
    return headline(request.approval) if request.approval else request.kind
