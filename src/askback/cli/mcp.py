"""`askback mcp`: the tools for one MCP client, on standard input and output."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated, Literal

import typer

from askback import logs
from askback.adapters.mcp.limits import Limits
from askback.cli.background import own_server
from askback.errors import AskbackError, missing_extra
from askback.server import settings as settings_module

app = typer.Typer(add_completion=False)

Protocol = Literal["2025-11-25"]


@app.command()
def mcp(
    thread: Annotated[
        str | None,
        typer.Option(
            envvar="ASKBACK_THREAD", help="The conversation to ask in. Default: one for each start."
        ),
    ] = None,
    protocol: Annotated[
        Protocol | None,
        typer.Option(
            help="Latest protocol version to negotiate. In 2025-11-25, an answer from elsewhere closes "
            "the client's dialog."
        ),
    ] = None,
) -> None:
    """Serve MCP to one client, which starts this command, on standard input and output.

    The server is that of `ASKBACK_URL` with `ASKBACK_TOKEN`, or the one that runs on this machine. It need not run yet:
    a client that `askback install` has connected starts it in the background, and again if it is killed during a call.
    """
    try:
        from askback.adapters.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        raise AskbackError(missing_extra("MCP", "mcp")) from error
    settings = settings_module.load()
    logs.set_up(settings.log_level, settings.log_form)
    limits = Limits(wait_s=settings.mcp_wait_s, progress_s=settings.mcp_progress_s)
    limits = limits.within(os.environ)
    asyncio.run(
        serve_stdio(thread_id=thread, limits=limits, server=own_server, closes_dialogs=protocol is not None)
    )
