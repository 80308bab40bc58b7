"""Bounds the number of open connections, so that descriptors remain for the store, webhooks and files.

Anybody who can reach the port can open connections. Without a bound they take every descriptor of the process, and
then neither calls nor the deadline sweep can open a file.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Callable
from typing import Any

RESERVE = 64
"""Descriptors that are kept for everything but connections."""
MIN_CONNECTIONS = 16
"""Connections that are allowed however low the limit of the process is."""
MAX_UNIDENTIFIED = 4096
"""Connections without a valid credential, of which each takes memory."""


class OpenConnections(set[Any]):
    """uvicorn's set of open connections. It closes the oldest without a valid credential when there are too many.

    Connections with a valid credential stay. If there are only those, the newest connection is closed.
    """

    def __init__(self, *, limit: int, on_closed: Callable[[], None]) -> None:
        super().__init__()
        self._limit = limit
        self._on_closed = on_closed
        self._unidentified: dict[Any, None] = {}

    def add(self, connection: Any, /) -> None:
        """Add a connection whose caller is not known yet."""
        super().add(connection)
        self._unidentified[connection] = None

    def discard(self, connection: Any, /) -> None:
        """Forget a connection that has ended, or that another protocol continues."""
        super().discard(connection)
        self._unidentified.pop(connection, None)

    def remove(self, connection: Any, /) -> None:
        """Forget a connection that has ended."""
        self.discard(connection)

    def keep(self, connection: Any, /) -> None:
        """Keep a connection that sent a valid credential, for as long as it lasts."""
        self._unidentified.pop(connection, None)

    def make_room(self) -> None:
        """Close the oldest connections without a valid credential that are too many."""
        while self._unidentified and (len(self) > self._limit or len(self._unidentified) > MAX_UNIDENTIFIED):
            oldest = next(iter(self._unidentified))
            self.discard(oldest)
            oldest.transport.abort()
            self._on_closed()


def raise_descriptor_limit() -> None:
    """Raise the soft limit of open files of this process to the hard limit, where the system allows it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # macOS reports no hard limit, and has a lower one
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def connection_limit() -> int:
    """Return how many connections may be open beside the files that are open now and the reserve."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return sys.maxsize
    lowest_free = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest_free)
    return max(MIN_CONNECTIONS, soft - lowest_free - RESERVE)
