"""uvicorn's WebSocket protocol, with a fast path for complete text messages, received and sent.

Received messages are read ahead up to a limit; the library would pause the socket for each of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame
from websockets.protocol import State

from askback.server.open_connections import OpenConnections
from askback.server.websocket_frames import FrameSplitter, write_text
from askback.transports.asgi_extensions import KEEP, SOCKET, Socket
from askback.transports.http import ASGIApp

MAX_READ_AHEAD = 64 * 1024
"""Bytes of messages that may wait for the app; beyond that the socket is not read."""

MESSAGE_OVERHEAD = 256
"""Bytes that each message counts beside its payload: about its overhead in memory."""


class AskbackWebSocket(WebSocketsSansIOProtocol):
    """The protocol with the extension `Socket` of `transports/asgi_extensions.py`."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start with nothing read or sent."""
        super().connection_made(transport)
        self._confirmations: dict[bytes, Callable[[], None]] = {}
        self._questions = count(1)
        self._splitter = FrameSplitter(self.config.ws_max_size)
        self._had_early_data = False
        self._waiting = 0

    async def run_asgi(self) -> None:
        """Run the app with the extension in its scope."""
        extensions = cast("dict[str, Any]", self.scope).setdefault("extensions", {})
        extensions[SOCKET] = Socket(self.confirm, self.send_texts, self.send_now)
        extensions[KEEP] = partial(cast("OpenConnections", self.connections).keep, self)
        self._served = cast("ASGIApp", self.app)
        self.app = self._serve
        await super().run_asgi()

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        await self._served(scope, receive, send)
        if self.disconnected or self.transport.is_closing():
            # Refused with a status, or closed by the client; the library would log both as errors.
            self.handshake_complete = True

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Read whole texts here; the library reads the handshake and every other frame."""
        if self.conn.state is State.CONNECTING:
            # Data before the handshake may end within a frame, which the library has to finish.
            self._had_early_data = self.handshake_initiated
        if self.conn.state is State.CONNECTING or self._had_early_data or self.conn.extensions:
            super().data_received(data)
            return
        for payload, text in self._splitter.split(data):
            if not text:
                super().data_received(payload)
            elif self.conn.state is State.OPEN:
                self.curr_msg_data_type = "text"
                self.frames = [payload]
                self.send_receive_event_to_app()

    def handle_cont(self, event: Frame) -> None:
        """Keep a part of a message; empty parts are dropped, since no limit counts them."""
        if event.data or event.fin:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Queue a message for the app, and stop reading while many are queued."""
        self._waiting += MESSAGE_OVERHEAD + sum(map(len, self.frames))
        paused, self.read_paused = self.read_paused, True  # keeps the library from pausing the socket
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.close_sent and self._waiting > MAX_READ_AHEAD:
            self.read_paused = True
            self.transport.pause_reading()

    async def receive(self) -> Any:
        """Return the next message."""
        message = await super().receive()
        if self.queue.empty():
            self._waiting = 0
        return message

    # Sending

    async def send_texts(self, texts: Sequence[str]) -> None:
        """Send whole texts at once; raises `ClientDisconnected`."""
        if not self.writable.is_set():
            await self.writable.wait()
        if self.disconnected or self.close_sent or self.conn.state is not State.OPEN:
            raise ClientDisconnected
        self.transport.write(b"".join(map(write_text, texts)))

    def send_now(self, text: str) -> bool:
        """Send a text without waiting; False if that is not possible."""
        if not self.writable.is_set() or self.disconnected or self.close_sent:
            return False
        if self.conn.state is not State.OPEN:
            return False
        self.transport.write(write_text(text))
        return True

    def confirm(self, on_arrival: Callable[[], None]) -> None:
        """Send a ping: a peer reads in order, so its pong confirms everything sent before."""
        question = next(self._questions).to_bytes(8)  # twice as long as the payload of a keepalive
        with suppress(InvalidState):  # closing: earlier messages stay unconfirmed
            self.conn.send_ping(question)
            self._confirmations[question] = on_arrival
            self.transport.write(b"".join(self.conn.data_to_send()))

    def handle_pong(self, event: Frame) -> None:
        """Handle the pong of a confirmation or of a keepalive."""
        on_arrival = self._confirmations.pop(bytes(event.data), None)
        if on_arrival is None:
            super().handle_pong(event)
        else:
            on_arrival()
