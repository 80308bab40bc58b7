"""uvicorn's HTTP protocol with limits on the size of a head and on the time that heads, bodies and idling may take.

Whoever can connect can send a head, without any credential, and httptools keeps it in memory to its end, however long
it is. A connection that sends a byte now and then would be held for ever, and with enough of them a server has no
descriptor left for anybody else.
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from askback.cli.parting import Parting

HEAD_BYTES = 64 * 1024
"""Of request line and headers together, beyond the packet that they begin in."""

HEAD_S = 10.0
BODY_S = 30.0
IDLE_S = 75.0
"""Before the first request and between two; clients keep idle connections for less, so that they close them first."""

_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 29\r\n"
    b"connection: close\r\n\r\nThe request came too slowly.\n"
)


class BoundedHttp(HttpToolsProtocol):
    """Closes a connection whose request line, headers or body do not end in time, or are too long."""

    _in_head = False
    _head_began = False
    _head = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin, on a transport that closes in any case; a WebSocket that this becomes has it as well."""
        super().connection_made(cast("asyncio.Transport", Parting(transport)))
        self._timer = self.loop.call_later(IDLE_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what belongs to a head that goes on; the packet it began in may hold a body as well."""
        self._head_began = False
        super().data_received(data)
        if not self._in_head or self._head_began:
            return
        self._head += len(data)
        if self._head > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The request line and the headers are too long.")

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._in_head = self._head_began = True
        self._head = 0
        self._start_timer(HEAD_S)

    def on_headers_complete(self) -> None:
        """Stop counting: the body has limits of its own."""
        self._in_head = False
        self._start_timer(BODY_S)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock: how long the answer takes is the server's business."""
        self._stop_timer()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Stop the clock: a WebSocket has pings."""
        self._stop_timer()
        super().handle_websocket_upgrade()

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        """Say that it took too long, unless the answer to a request before is still to come, and close."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if not cycle or cycle.response_complete or (cycle.more_body and not cycle.response_started):
            self.transport.write(_TOO_LATE)
        self.transport.close()
