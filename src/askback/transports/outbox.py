"""The send buffer of one connection: one buffer, one task that empties it, one limit.

What is put is written immediately if the connection accepts it without waiting. Otherwise the task writes it, together
with everything put meanwhile. The limit applies only while the peer does not read: a burst is not slowness, a blocked
write is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T", str, bytes)

MAX_ITEMS = 256
MAX_SIZE = 1024 * 1024


class Outbox(Generic[T]):
    """A buffer of frames (`str`) or of bytes, written in batches by `write`.

    `write_now` writes an item without waiting, or returns False and has written nothing.
    """

    __slots__ = (
        "_drained",
        "_items",
        "_sending",
        "_size",
        "_wake_future",
        "_write",
        "_write_now",
        "batches",
        "closed",
    )

    def __init__(
        self,
        write: Callable[[list[T]], Awaitable[None]],
        *,
        write_now: Callable[[T], bool] | None = None,
    ) -> None:
        self._write = write
        self._write_now = write_now
        self._items: list[T] = []
        self._size = 0
        self._sending = False
        self._wake_future: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self.batches = 0
        self.closed = False

    @property
    def sending(self) -> bool:
        """Whether a write is in progress."""
        return self._sending

    @property
    def full(self) -> bool:
        """Whether the peer is so far behind that nothing more may be added."""
        return self._sending and (len(self._items) >= MAX_ITEMS or self._size >= MAX_SIZE)

    def put(self, item: T) -> None:
        """Write an item now, or add it to the next batch; does nothing once closed."""
        if self.closed:
            return
        wake = None if self._wake_future is None or self._wake_future.done() else self._wake_future
        if wake and self._write_now and self._write_now(item):
            self.batches += 1
            return
        self._items.append(item)
        self._size += len(item)
        if wake:
            wake.set_result(None)

    async def drain(self) -> None:
        """Return once everything put so far has been written, or the connection is closed."""
        while (self._items or self._sending) and not self.closed:
            if self._drained is None:
                self._drained = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._drained)

    async def run(self) -> None:
        """Write the buffer, until cancelled or a write fails."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                while self._items:
                    await self._write_batch()
                self._release()
                self._wake_future = loop.create_future()
                await self._wake_future
        finally:
            self.closed = True
            self._items.clear()
            self._release()

    async def _write_batch(self) -> None:
        batch, self._items, self._size = self._items, [], 0
        self.batches += 1
        self._sending = True
        await self._write(batch)
        self._sending = False

    def _release(self) -> None:
        if self._drained is not None:
            self._drained.set_result(None)
            self._drained = None
