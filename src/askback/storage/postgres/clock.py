"""The database's clock, which is the same for every server: deadlines are decided by it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any, Protocol

from askback.errors import Unavailable
from askback.storage.rows import Row

INTERVAL_S = 5.0
_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_log = logging.getLogger(__name__)


class RowSource(Protocol):
    """A source of one row; raises `Unavailable`."""

    async def row(self, sql: str, *parameters: Any) -> Row | None:
        """Read the first row."""
        ...


class DatabaseClock:
    """The `Clock` port: the monotonic clock of this machine, set by the database's now and then, never back.

    When the database's clock is set back, the time here does not change until it catches up. `monotonic` tells
    seconds.
    """

    def __init__(
        self,
        database: RowSource,
        *,
        every_s: float = INTERVAL_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._every_s = every_s
        self._monotonic = monotonic
        self._offset_ms = time.time() * 1000 - self._local_ms()
        self._last = 0
        self._task: asyncio.Task[None] | None = None

    def now_ms(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        self._last = max(self._last, int(self._local_ms() + self._offset_ms))
        return self._last

    async def start(self) -> None:
        """Ask the database for the time, now and regularly; raises `Unavailable`."""
        await self.measure()
        self._task = asyncio.get_running_loop().create_task(self._keep())

    async def stop(self) -> None:
        """Ask no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def measure(self) -> None:
        """Ask for the time once, and correct no more than the reply proves wrong.

        Its time is that of some moment during the call. A reply that was held up for seconds says little, and to
        guess at the middle of its way would put this server ahead by as much, and deadlines with it.
        """
        asked_at_ms = self._local_ms()
        row = await self._database.row(_NOW)
        assert row is not None
        self._offset_ms = min(max(self._offset_ms, row[0] - self._local_ms()), row[0] - asked_at_ms)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.measure()
            except Unavailable:
                _log.warning("the database cannot be asked for the time; the clock continues by itself")

    def _local_ms(self) -> float:
        return self._monotonic() * 1000
