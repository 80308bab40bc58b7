"""Track the submissions that this server has claimed for its probe; no other server tries them."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

import anyio

from askback.domain.record import Record


class Submissions:
    """Requests whose values wait to be tried, in the order in which they came."""

    def __init__(self) -> None:
        self._put, self._take = anyio.create_memory_object_stream[Record](math.inf)

    def add(self, record: Record) -> None:
        """Have it tried; for whoever has just taken it, and only then."""
        self._put.send_nowait(record)

    def __aiter__(self) -> AsyncIterator[Record]:
        return self._take.__aiter__()
