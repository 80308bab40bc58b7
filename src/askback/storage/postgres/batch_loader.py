"""Loads single rows by their keys in batches: loads that begin while a query runs share the next query.

A query costs both sides about as much for one row as for thirty. Without a running query a load starts immediately,
unless the last query was for several: then more are likely to be on their way, and they share one (`let_more_join`).
"""

from __future__ import annotations

import asyncio
import copy
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

Value = TypeVar("Value")
Key = tuple[str, ...]

MAX_BATCH = 500
TURNS = 12
"""About as many turns of the event loop as a call needs from its frame to its load or change."""


async def let_more_join(size: int) -> None:
    """After a batch of several, let what has already arrived reach the next one; after a single one, do nothing.

    It waits for turns of the event loop and not for a time, so a server without work does not wait.
    """
    if size > 1:
        for _ in range(TURNS):
            await asyncio.sleep(0)


class BatchLoader(Generic[Value]):
    """Loads rows by keys; `ask` takes distinct keys, and returns the rows that it found, by key.

    A look sees every commit that returned before it began: its query begins later.
    """

    def __init__(self, ask: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]]) -> None:
        self._ask = ask
        self._waiting: deque[tuple[Key, asyncio.Future[Value | None]]] = deque()
        self._asking: asyncio.Task[None] | None = None

    async def __call__(self, *key: str) -> Value | None:
        """Return the row of a key; None for a key that a text of Postgres cannot have."""
        if any("\0" in part for part in key):
            return None
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Value | None] = loop.create_future()
        self._waiting.append((key, future))
        if self._asking is None:
            self._asking = loop.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                size = min(len(self._waiting), MAX_BATCH)
                await self._answer([self._waiting.popleft() for _ in range(size)])
                await let_more_join(size)
        finally:
            self._asking = None

    async def _answer(self, batch: Sequence[tuple[Key, asyncio.Future[Value | None]]]) -> None:
        try:
            results = await self._ask(list(dict.fromkeys(key for key, _ in batch)))
        except Exception as error:  # noqa: BLE001 - each caller gets its own, whatever it is
            for _, future in batch:
                if not future.done():
                    future.set_exception(copy.copy(error))
        else:
            for key, future in batch:
                if not future.done():
                    future.set_result(results.get(key))
