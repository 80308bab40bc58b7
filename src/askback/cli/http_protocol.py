"""uvicorn's HTTP protocol with a limit on the head of a request, and on the patience with whoever does not read.

Whoever can connect can send a head, without any credential, and httptools keeps it in memory to its
end, however long it is.
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from askback.cli.parting import Parting

HEAD_BYTES = 64 * 1024
"""Of request line and headers together, beyond the packet that they begin in."""


class BoundedHttp(HttpToolsProtocol):
    """Closes a connection whose request line and headers do not end."""

    _in_head = False
    _head_began = False
    _head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin, on a transport that closes in any case; a WebSocket that this becomes has it as well."""
        super().connection_made(cast("asyncio.Transport", Parting(transport)))

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

    def on_headers_complete(self) -> None:
        """Stop counting: the body has a limit of its own."""
        self._in_head = False
        super().on_headers_complete()
