"""A connection for tests of protocols and transports."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from uvicorn.server import ServerState

from askback.server.open_connections import OpenConnections


def server_state(*, limit: int = sys.maxsize) -> ServerState:
    """Return the state of a server with a limit of connections."""
    state = ServerState()
    state.connections = OpenConnections(limit=limit, on_closed=lambda: None)
    return state


class Line(asyncio.Transport):
    """A connection that records its writes, and shows whether it is read and whether it is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.paused = False
        self.closed = False
        self.ended = False

    @property
    def written(self) -> bytes:
        """All writes together."""
        return b"".join(self.writes)

    def write(self, data: Any) -> None:
        """Record a write."""
        self.writes.append(data)

    def is_closing(self) -> bool:
        """Return whether it is closed."""
        return self.closed

    def write_eof(self) -> None:
        """Write no more."""
        self.ended = True

    def close(self) -> None:
        """Close it."""
        self.closed = True

    def abort(self) -> None:
        """Close it."""
        self.closed = True

    def get_write_buffer_size(self) -> int:
        """Return 0: everything is sent."""
        return 0

    def pause_reading(self) -> None:
        """Read no more."""
        self.paused = True

    def resume_reading(self) -> None:
        """Read again."""
        self.paused = False
