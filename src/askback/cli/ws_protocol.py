"""uvicorn's WebSocket protocol, writing once for all that is sent within one turn of the loop.

A commit settles many requests at once, and one connection may wait for most of them: their
frames go out as one piece instead of one system call each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame

from askback.transports.websocket.receipts import EXTENSION


class Gathering:
    """A transport that holds what is written until the end of the turn; all else goes through."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._held: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        """Hand everything else to the transport itself."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Hold `data`; the first of a turn asks for the flush at its end."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(data)

    def close(self) -> None:
        """Write what is held, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        held, self._held = self._held, []
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))


class GatheringWebSocket(WebSocketsSansIOProtocol):
    """The protocol on such a transport, with the extension that tells what has arrived (`websocket/receipts.py`)."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, behind the gathering transport."""
        super().connection_made(cast("asyncio.Transport", Gathering(cast("asyncio.Transport", transport))))
        self._asked: dict[bytes, Callable[[], None]] = {}
        self._questions = count(1)

    async def run_asgi(self) -> None:
        """Serve, and offer the extension."""
        extensions = cast("dict[str, Any]", self.scope).setdefault("extensions", {})
        extensions[EXTENSION] = {"confirm": self.confirm}
        await super().run_asgi()

    def confirm(self, arrived: Callable[[], None]) -> None:
        """Ping: a peer reads in order, so its pong says that all before has arrived."""
        question = next(self._questions).to_bytes(8)  # twice as long as the payload of a keepalive
        with suppress(InvalidState):  # it is closing: what was sent stays in doubt
            self.conn.send_ping(question)
            self._asked[question] = arrived
            self.transport.write(b"".join(self.conn.data_to_send()))

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to one of these questions, or to a keepalive."""
        arrived = self._asked.pop(bytes(event.data), None)
        if arrived is None:
            super().handle_pong(event)
        else:
            arrived()
