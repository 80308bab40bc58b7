"""One HTTP request of a projection, and its replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from askback.domain import jsontext
from askback.domain.secrets.secret import RawBody
from askback.ports.systems import EventStream, JsonReply, StreamEvent
from askback.service.lifecycle import undelivered
from askback.transports.compat.api import CallerApi
from askback.transports.event_stream import COMMENT, HEARTBEAT_S, stream_part, stream_start
from askback.transports.http import (
    ClientGone,
    Receive,
    Scope,
    Send,
    header,
    json_reply,
    send_end,
    while_connected,
)
from askback.transports.oauth import begin_oauth


class ApiCall:
    """`ports.systems.ApiCall`."""

    def __init__(
        self,
        api: CallerApi,
        scope: Scope,
        raw: RawBody,
        *,
        base_path: str,
        path: Mapping[str, str],
        query: Mapping[str, str],
    ) -> None:
        self.api = api
        self.path = path
        self.query = query
        self._base_path = base_path
        self._scope = scope
        self._raw = raw

    def header(self, name: str) -> str | None:
        """Return the first header of that (lower case) name."""
        return header(self._scope, name.encode())

    def json(self) -> Any:
        """Parse the body; raises `Faults`."""
        return self._raw.read(lambda text: jsontext.parse(text, limits=self.api.limits))

    def body(self) -> RawBody:
        """Return the body unread."""
        return self._raw

    async def start_oauth(self, request_id: str) -> JsonReply:
        """Begin to connect an account; see `ports.systems.ApiCall`."""
        ctx, principal = self.api.ctx, self.api.principal
        url, headers = await begin_oauth(
            ctx, self._scope, principal, request_id, {}, base_path=self._base_path
        )
        return JsonReply({"url": url}, headers=headers)


async def send_json(reply: JsonReply, api: CallerApi, send: Send) -> None:
    """Send a JSON reply; an outcome that may not have arrived is queued as a resume."""
    try:
        await json_reply(reply.body, status=reply.status, headers=reply.headers).send(send)
        api.confirm_arrival(reply.outcome_of)
    finally:
        await undelivered.requeue_unacknowledged(api.ctx, api.principal, filter(None, [reply.outcome_of]))


async def send_events(stream: EventStream, receive: Receive, send: Send, *, ended: asyncio.Event) -> None:
    """Stream events until they end or `ended` is set; raises `ClientGone` if the reader leaves."""
    await send(stream_start())
    try:
        await while_connected(receive, _send_each(stream, send), ended.wait())
    except ClientGone:
        if not ended.is_set():
            raise
    await send_end(send)


async def _send_each(stream: EventStream, send: Send) -> None:
    """Send the events, with a comment first and during pauses."""
    await send(stream_part(COMMENT))
    events = aiter(stream.events)
    next_event = asyncio.ensure_future(_next(events))
    try:
        while True:
            done, _ = await asyncio.wait({next_event}, timeout=HEARTBEAT_S)
            if not done:
                await send(stream_part(COMMENT))
                continue
            event = next_event.result()
            if event is None:
                break
            next_event = asyncio.ensure_future(_next(events))
            text = json.dumps(event.data, separators=(",", ":"), ensure_ascii=False)
            number = f"id: {event.id}\n" if event.id else ""
            await send(stream_part(f"event: {event.name}\n{number}data: {text}\n\n".encode()))
    finally:
        next_event.cancel()
        await asyncio.wait({next_event})
        if isinstance(events, AsyncGenerator):
            await events.aclose()


async def _next(events: AsyncIterator[StreamEvent]) -> StreamEvent | None:
    return await anext(events, None)
