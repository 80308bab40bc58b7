"""A webhook on this machine, and its received messages."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from tests.delivery.receiver import OK
from tests.fault.ledger import Ledger

END = b"\r\n\r\n"
EVENTS = ("created", "resolving", "reprompted", "answered", "declined", "cancelled", "expired")
EVENT_TYPES = tuple(f"request.{event}" for event in EVENTS)


class Hook:
    """The messages of a webhook: each event under one id, and each id with one body."""

    def __init__(self, ledger: Ledger) -> None:
        self.url = ""
        self._ledger = ledger
        self._events: dict[str, dict[str, Any]] = {}
        self._times: dict[str, int] = defaultdict(int)
        self._ids: dict[tuple[str, int], str] = {}

    def delivered(self, thread: str, seq: int) -> str | None:
        """The id of the message of an event, None if none has arrived."""
        return self._ids.get((thread, seq))

    def times(self, message_id: str) -> int:
        """How often a message has arrived."""
        return self._times[message_id]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one message and answer it."""
        with suppress(OSError, asyncio.IncompleteReadError):
            _, *lines = (await reader.readuntil(END)).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            self._take(
                headers["webhook-id"], _event(await reader.readexactly(int(headers["content-length"])))
            )
            writer.write(OK)
            await writer.drain()
        writer.close()

    def _take(self, message_id: str, event: dict[str, Any]) -> None:
        self._times[message_id] += 1
        location = (event["thread_id"], event["seq"])
        if self._events.setdefault(message_id, event) != event:
            self._ledger.broken("I12", f"{message_id} tells of two events")
        if self._ids.setdefault(location, message_id) != message_id:
            self._ledger.broken("I12", f"{location} came as {self._ids[location]} and as {message_id}")


def _event(body: bytes) -> dict[str, Any]:
    return json.loads(body)["data"]


@asynccontextmanager
async def listen_for_deliveries(ledger: Ledger) -> AsyncGenerator[Hook]:
    """Listen on a free port of 127.0.0.1. (A listener of anyio may not be cancelled while a connection comes in.)"""
    hook = Hook(ledger)
    server = await asyncio.start_server(hook.serve, "127.0.0.1")
    hook.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    try:
        yield hook
    finally:
        server.close()
