"""Ask from a shell script: print one line of JSON, exit with a status for the outcome, cancel on Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console

from askback.cli.connection import ServerConnection
from askback.cli.signals import interruptible
from askback.client import AsyncClient
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.errors import AskbackError, ConnectionLost, Invalid

EXIT = {Status.ANSWERED: 0, Status.DECLINED: 3, Status.CANCELLED: 4, Status.EXPIRED: 5}
USAGE, FAILURE_STATUS = 2, 1
LATE_S = 10.0

T = TypeVar("T")


class BadUsage(Exception):
    """The options do not form a valid request; the message says why."""


@contextmanager
def reported_errors(hints: Console) -> Generator[None]:
    """Turn errors into a sentence on standard error and an exit status."""
    try:
        yield
    except (BadUsage, Invalid) as error:
        hints.print(str(error), style="red")
        raise typer.Exit(USAGE) from None
    except (AskbackError, OSError) as exception:
        hints.print(str(exception), style="red")
        raise typer.Exit(FAILURE_STATUS) from None


def run_or_cancel(work: Coroutine[Any, Any, T]) -> T | None:
    """Run until the request has ended. None if it was interrupted or its caller has gone, which cancels it."""
    try:
        return interruptible(work, output=sys.stdout.fileno())
    except KeyboardInterrupt:
        return None


async def wait_until_settled(
    client: AsyncClient,
    request: InputRequest,
    *,
    server: ServerConnection,
    hints: Console,
    late_s: float = LATE_S,
) -> InputRequest:
    """Wait until a request has ended, and print where to answer it.

    Raises `ConnectionLost` when the server has not said how it ended `late_s` seconds after its deadline.
    """
    if request.settled:
        return request
    note = f"Waiting for an answer at {server.url}/r/{request.id} or in: askback inbox"
    hints.print(note)
    open_s = (request.expires_at - request.created_at).total_seconds() if request.expires_at else None
    try:
        return await client.wait(request, timeout=None if open_s is None else open_s + late_s)
    except TimeoutError:
        raise ConnectionLost("The server did not report the outcome in time.") from None
    except asyncio.CancelledError:
        await client.requests.cancel(request.id)
        raise


def outcome_fields(request: InputRequest | None) -> dict[str, Any]:
    """Return the JSON object to print; None for a request that was cancelled here."""
    if request is None:
        return {"status": "cancelled", "reason": "agent_aborted"}
    status_members = {
        "status": request.status.value,
        "request_id": request.id,
        "reason": request.reason,
        "note": request.note,
        "by": request.settled_by.name if request.settled_by else None,
    }
    return {name: value for name, value in status_members.items() if value is not None}


def content(file: Path) -> bytes:
    """Read the file of an option, or standard input for `-`; raises `BadUsage`."""
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise BadUsage(f"{file} cannot be read: {error.strerror}.") from None
