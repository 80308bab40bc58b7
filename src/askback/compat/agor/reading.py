"""What a page reads: the messages of widgets, and `widget:resolved` when one has ended."""

from __future__ import annotations

from collections.abc import AsyncIterator

from askback.compat.agor.resolving import find
from askback.compat.agor.widgets import read_widget
from askback.domain.faults import Faults, fault
from askback.ports.systems import Answer, Api, Call, EventStream, StreamEvent

RESOLVED = "widget:resolved"
PAGE = 200
"""The most messages of a reply: the newest ones."""


async def message(call: Call) -> Answer:
    """`GET /messages/{widget}`."""
    return Answer((await find(call)).message())


async def messages(call: Call) -> Answer:
    """`GET /messages?session_id=`: the widgets of a session, the oldest first."""
    session = call.query.get("session_id")
    if not session:
        raise Faults([fault("session_id", "missing_required")])
    page = await call.api.call("list_requests", thread_id=session, limit=PAGE)
    found = map(read_widget, reversed(page["requests"]))
    return Answer({"data": [each.message() for each in found if each.type]})


async def events(call: Call) -> EventStream:
    """`GET /sessions/{session}/events`: each widget that ends from now on, or after `last-event-id`."""
    session = call.path["session"]
    await call.api.call("get_thread", thread_id=session)  # raises before the stream begins
    last = call.header("last-event-id") or ""
    after = int(last) if last.isascii() and last.isdecimal() and len(last) < 16 else None
    return EventStream(_events(call.api, session, after))


async def _events(api: Api, session: str, after: int | None) -> AsyncIterator[StreamEvent]:
    async with api.watch(session, after=after) as changes:
        async for change in changes:
            if "request" in change:
                widget = read_widget(change["request"])
                ended = change["type"] == f"request.{widget.request.status}" and widget.request.settled
                if ended and widget.type:
                    yield StreamEvent(RESOLVED, widget.resolved(), str(change["seq"]))
