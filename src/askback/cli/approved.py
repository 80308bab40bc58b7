"""List and revoke approved calls that have not run yet: `askback inbox --approved` and `--revoke`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

from askback.cli.terminal import Terminal
from askback.client import AsyncClient
from askback.domain.request import InputRequest

PAGE = 200


async def show_approved(client: AsyncClient, terminal: Terminal, *, thread: str | None) -> None:
    """List what a person has approved and no agent has run yet, newest first."""
    none = True
    async for request in _unused(client, thread):
        none = False
        by = request.settled_by.name if request.settled_by else "somebody"
        terminal.say(f"{request.id}  {_call(request)}  approved by {by}, in {request.thread_id}")
    if none:
        terminal.say("Nothing that was approved waits to run.")


async def revoke(client: AsyncClient, terminal: Terminal, request_id: str) -> None:
    """Revoke one of them; raises `Conflict` when it has run."""
    request = await client.revoke(request_id)
    terminal.say(f"Revoked: {_call(request)}. It did not run, and cannot.")


async def _unused(client: AsyncClient, thread: str | None) -> AsyncIterator[InputRequest]:
    """Go through what was asked, as far back as an approval may still be good."""
    cursor, now = None, datetime.now(UTC)
    while True:
        page = await client.list(
            thread_id=thread, status="answered", kind="approval", limit=PAGE, cursor=cursor
        )
        for request in page.requests:
            if _can_run(request, now):
                yield request
        if (cursor := page.next_cursor) is None:
            return


def _can_run(request: InputRequest, now: datetime) -> bool:
    answer = request.answer
    if answer is None or answer.decision != "approve" or request.source != "responder":
        return False
    unused = request.used_at is None and request.revoked is None
    return unused and answer.expires_at is not None and answer.expires_at > now


def _call(request: InputRequest) -> str:
    asked = request.approval
    if asked is None or asked.preview is None:
        return request.kind
    return asked.preview.headline
