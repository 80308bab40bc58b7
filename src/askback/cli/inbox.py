"""`askback inbox`: answer in the terminal what agents ask, as on the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askback.cli.approved import revoke as revoke_approval
from askback.cli.approved import show_approved
from askback.cli.audience import reader
from askback.cli.connection import Connection, find
from askback.cli.pending import Pending
from askback.cli.signals import interruptible
from askback.cli.terminal import EndOfInput, Terminal
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
    terminal = Terminal(Console(highlight=False))
    try:
        server = find("responder", data_dir=data_dir)
        if approved or revoke is not None:
            interruptible(_look_back(server, terminal, thread=thread, revoked=revoke))
        else:
            interruptible(_run(server, terminal, once=once, thread=thread, request=request))
    except (EndOfInput, KeyboardInterrupt):
        terminal.say("Left. Nothing more was answered.", "dim")
    except AskbackError as failed:
        Console(stderr=True, highlight=False).print(str(failed), style="red", markup=False)
        raise typer.Exit(1) from None


async def _look_back(
    server: Connection, terminal: Terminal, *, thread: str | None, revoked: str | None
) -> None:
    async with server.client() as client:
        if revoked is None:
            await show_approved(client, terminal, thread=thread)
        else:
            await revoke_approval(client, terminal, revoked)


async def _run(
    server: Connection, terminal: Terminal, *, once: bool, thread: str | None, request: str | None
) -> None:
    async with server.client() as client:
        box = Pending(client, terminal, reader=await reader(server), thread=thread)
        if request is not None:
            await box.one(request)
        elif once:
            await box.once()
        else:
            await box.stay()
