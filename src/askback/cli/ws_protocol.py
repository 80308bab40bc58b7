"""uvicorn's WebSocket protocol, with a short way for what nearly all traffic is: whole texts, in and out.

A commit settles many requests at once, and one connection may wait for most of them: what is sent within one turn of
the loop goes out as one piece instead of one system call each. What comes in is read ahead to a bound, instead of
stopping the socket for each message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame
from websockets.protocol import State

from askback.cli.ws_frames import Cutter, write_texts
from askback.transports.http import ASGIApp
from askback.transports.websocket.extension import EXTENSION, Socket

READ_AHEAD = 64 * 1024
"""Bytes of messages that may wait for the app before the socket is not read any more."""

MESSAGE = 256
"""What a message counts beside its bytes: about what it takes in memory, also when it is empty."""


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

    def write_now(self, data: bytes) -> None:
        """Write `data`, which was gathered already, behind what is held."""
        if self._held:
            self._held.append(data)
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Write what is held, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        held, self._held = self._held, []
        if held and not self._transport.is_closing():
            self._transport.write(b"".join(held))


class AskbackWebSocket(WebSocketsSansIOProtocol):
    """The protocol on such a transport, with what `transports/websocket/extension.py` asks of a server."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, behind the gathering transport."""
        self._gathering = Gathering(cast("asyncio.Transport", transport))
        super().connection_made(cast("asyncio.Transport", self._gathering))
        self._asked: dict[bytes, Callable[[], None]] = {}
        self._questions = count(1)
        self._cutter = Cutter(self.config.ws_max_size)
        self._early = False
        self._waiting = 0

    async def run_asgi(self) -> None:
        """Serve, and offer the extension."""
        extensions = cast("dict[str, Any]", self.scope).setdefault("extensions", {})
        extensions[EXTENSION] = Socket(confirm=self.confirm, send_texts=self.send_texts)
        self._served = cast("ASGIApp", self.app)
        self.app = self._serve
        await super().run_asgi()

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        await self._served(scope, receive, send)
        if self.disconnected or self.transport.is_closing():
            # It was refused with a status, or the client left first. The library knows neither and logs an error.
            self.handshake_complete = True

    # What comes in

    def data_received(self, data: bytes) -> None:
        """Read whole texts here; the library reads the handshake and every other frame."""
        if self.conn.state is State.CONNECTING:
            # Who sends before being let in may leave the library within a frame, and it has to go on.
            self._early = self.handshake_initiated
        if self.conn.state is State.CONNECTING or self._early or self.conn.extensions:
            super().data_received(data)
            return
        for payload, text in self._cutter.cut(data):
            if not text:
                super().data_received(payload)
            elif self.conn.state is State.OPEN:
                self.curr_msg_data_type = "text"
                self.frames = [payload]
                self.send_receive_event_to_app()

    def handle_cont(self, event: Frame) -> None:
        """Keep a part of a message; parts without a byte count towards no limit, and there may be any number."""
        if event.data or event.fin:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hand a message to the app, and stop reading only when much of what came waits for it."""
        self._waiting += MESSAGE + sum(map(len, self.frames))
        paused, self.read_paused = self.read_paused, True  # so that it leaves the socket alone
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and not self.close_sent and self._waiting > READ_AHEAD:
            self.read_paused = True
            self.transport.pause_reading()

    async def receive(self) -> Any:
        """Return the next message."""
        message = await super().receive()
        if self.queue.empty():
            self._waiting = 0
        return message

    # What goes out

    async def send_texts(self, texts: Sequence[str]) -> None:
        """Send whole texts at once; raises `ClientDisconnected`."""
        if not self.writable.is_set():
            await self.writable.wait()
        if self.disconnected or self.close_sent or self.conn.state is not State.OPEN:
            raise ClientDisconnected
        self._gathering.write_now(write_texts(texts))

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
