"""The transport of every connection: it joins the writes of one turn of the event loop, and ends stalled connections.

uvicorn writes the head and the body of a response separately, and a commit may settle many requests for which one
connection waits. Each write would be one system call.
"""

from __future__ import annotations

import asyncio
from typing import Any

PATIENCE_S = 10.0
"""Seconds after which a closing connection is aborted if its peer reads nothing."""

MAX_HELD = 64 * 1024
"""Bytes above which a turn's data is written immediately; otherwise a long response would be held in memory."""


class BatchingTransport:
    """A transport with one write for each turn, whose `close` also ends if the peer has stopped reading.

    `close` alone waits until the rest is sent, forever if the peer does not read. Its buffer and descriptor would stay
    in use without being counted as a connection. Everything else goes to the original transport.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._buffer: list[bytes] = []
        self._size = 0
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        """Forward everything else to the transport."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write `data` at the end of this turn."""
        if not self._buffer:
            self._loop.call_soon(self._flush)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > MAX_HELD:
            self._flush()

    def write_eof(self) -> None:
        """Send the rest, and nothing more."""
        if not self.is_closing():
            self._flush()
            self._transport.write_eof()

    def close(self) -> None:
        """Send the rest, then close; abort if the peer reads nothing."""
        if not self.is_closing():
            self._flush()
            self._transport.close()
            self._schedule_check()

    def _flush(self) -> None:
        buffer, self._buffer, self._size = self._buffer, [], 0
        if buffer and not self.is_closing():
            self._transport.write(buffer[0] if len(buffer) == 1 else b"".join(buffer))

    def _schedule_check(self) -> None:
        if unsent_bytes := self._transport.get_write_buffer_size():
            self._loop.call_later(PATIENCE_S, self._abort_if_stalled, unsent_bytes)

    def _abort_if_stalled(self, unsent_before: int) -> None:
        if self._transport.get_write_buffer_size() == unsent_before:
            self._transport.abort()
        else:
            self._schedule_check()
