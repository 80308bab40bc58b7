"""uvicorn's WebSocket protocol, writing once for all that is sent within one turn of the loop.

A commit settles many requests at once, and one connection may wait for most of them: their
frames go out as one piece instead of one system call each.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


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
    """The protocol on such a transport."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, behind the gathering transport."""
        super().connection_made(cast("asyncio.Transport", Gathering(cast("asyncio.Transport", transport))))
