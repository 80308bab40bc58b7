"""uvicorn's HTTP protocol with limits on the size of a head and on the time that heads, bodies and idling may take.

Any client can send a head without a credential, and httptools keeps all of it in memory. Connections that
send a byte now and then would stay open forever, and enough of them would use up the server's descriptors.
"""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from http import HTTPStatus
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from askback.server.batching_transport import BatchingTransport
from askback.server.open_connections import OpenConnections
from askback.transports.asgi_extensions import KEEP, STREAM

HEAD_BYTES = 64 * 1024
"""Maximum bytes of request line and headers, beyond the packet in which they begin."""

HEAD_S = 10.0
"""Seconds for the head of a request; for the first one, from the beginning of the connection."""
BODY_S = 30.0
IDLE_S = 75.0
"""Seconds between two requests; clients close idle connections earlier."""

_UPLOAD = re.compile(rb"/v1/(?:requests|threads)/[^/?]+/files(?:\?|$)")
UPLOAD_BYTES = 512 * 1024
"""The minimum number of bytes of an upload in each `BODY_S`; such an upload may take longer."""

LINGER_S = 5.0
"""Seconds for which the rest of a request that is too long is read and dropped, so that its sender gets the reply."""

LINGER_BYTES = 1024 * 1024
"""The maximum of those bytes."""


def _refusal(status: HTTPStatus, code: str, message: str) -> bytes:
    """Return the reply to a request that does not reach the application, with the body of every refusal."""
    body = json.dumps({"error": {"code": code, "message": message}}, separators=(",", ":"))
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n{body}"
    ).encode()


_TOO_LONG = _refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", "The request line and the headers are too long."
)
_TOO_LATE = _refusal(
    HTTPStatus.REQUEST_TIMEOUT, "too_slow", "The request came too slowly. Send it again, faster."
)
_MALFORMED = _refusal(
    HTTPStatus.BAD_REQUEST,
    "malformed_http",
    "This is not a valid HTTP request. Check the request line and the headers.",
)


class BoundedHttp(HttpToolsProtocol):
    """Closes a connection whose request line, headers or body do not end in time, or are too long."""

    _in_head = False
    _head_began = False
    _head_bytes = 0
    _is_refused = False
    _body = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wrap the transport in `BatchingTransport`, also for a WebSocket that replaces this protocol."""
        super().connection_made(cast("asyncio.Transport", BatchingTransport(transport)))
        self._timer = self.loop.call_later(HEAD_S, self.transport.close)
        cast("OpenConnections", self.connections).make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of an unfinished head, except in its first packet, which may contain a body."""
        if self._is_refused:
            self._head_bytes += len(data)
            if self._head_bytes > LINGER_BYTES:
                self.transport.close()
            return
        self._head_began = False
        super().data_received(data)
        if not self._in_head or self._head_began:
            return
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._refuse()

    def _refuse(self) -> None:
        """Send 431 and close when the sender has closed: closed earlier, the connection is reset and the reply lost."""
        self._is_refused = True
        self._stop_timer()
        if not self._answering:
            self.transport.write(_TOO_LONG)
        self.transport.write_eof()
        self._timer = self.loop.call_later(LINGER_S, self.transport.close)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's text, which names no error code
        """Send 400 for what is no HTTP, as the application refuses a request."""
        self.transport.write(_MALFORMED)
        self.transport.close()

    def on_message_begin(self) -> None:
        """Start to count the head."""
        super().on_message_begin()
        self._in_head = self._head_began = True
        self._head_bytes = 0
        self._start_timer(HEAD_S)

    def on_headers_complete(self) -> None:
        """Stop counting: the body has separate limits."""
        self._in_head = False
        self._body = 0
        self._start_timer(BODY_S)
        super().on_headers_complete()
        cast("dict[str, Any]", self.scope)["extensions"] = {
            STREAM: partial(_send_now, self.cycle),
            KEEP: partial(cast("OpenConnections", self.connections).keep, self),
        }

    def on_body(self, body: bytes) -> None:
        """Count the received bytes."""
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the clock: the response has no time limit here."""
        self._stop_timer()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Stop the clock: a WebSocket is checked by pings."""
        self._stop_timer()
        super().handle_websocket_upgrade()

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        """Send 408, unless an earlier response is still to be sent, and close."""
        if self.transport.is_closing():
            return
        if not self._in_head and self._body >= UPLOAD_BYTES and _UPLOAD.match(self.url):
            self._body = 0
            self._start_timer(BODY_S)
            return
        if not self._answering:
            self.transport.write(_TOO_LATE)
        self.transport.close()

    @property
    def _answering(self) -> bool:
        """Whether the response to an earlier request is still to be sent."""
        cycle = self.cycle
        return bool(cycle) and not cycle.response_complete and (cycle.response_started or not cycle.more_body)


def _send_now(cycle: RequestResponseCycle, body: bytes) -> bool:
    """Send a part of a response that has begun, as `http.response.body` does; False if that is not possible."""
    if cycle.disconnected or cycle.flow.write_paused or cycle.response_complete or not cycle.chunked_encoding:
        return False
    cycle.transport.write(b"%x\r\n%b\r\n" % (len(body), body))
    return True
