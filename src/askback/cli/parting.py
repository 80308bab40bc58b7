"""A transport that closes, also when its peer takes nothing any more.

`close` alone sends the rest first and waits for that as long as it takes, which is for ever where the peer is there and
does not read. Its buffer and its file would be held, and nobody counts them among the connections.
"""

from __future__ import annotations

import asyncio
from typing import Any

PATIENCE_S = 10.0
"""For how long the peer may take nothing of what is left."""


class Parting:
    """A transport that is cut when its peer does not take the rest; all else goes through."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.write = transport.write

    def __getattr__(self, name: str) -> Any:
        """Hand everything else to the transport itself."""
        return getattr(self._transport, name)

    def close(self) -> None:
        """Send the rest, then close; or cut, once nothing of it is taken."""
        if not self._transport.is_closing():
            self._transport.close()
            self._look_again()

    def _look_again(self) -> None:
        if left := self._transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(PATIENCE_S, self._look, left)

    def _look(self, before: int) -> None:
        if self._transport.get_write_buffer_size() == before:
            self._transport.abort()
        else:
            self._look_again()
