"""Run an event loop in its own thread, for code without one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from typing import Any, TypeVar

from askback.client.ownership import Ownership

T = TypeVar("T")


class Portal:
    """Runs coroutines in its own thread; a call blocks until its coroutine has ended."""

    def __init__(self) -> None:
        self._ownership = Ownership()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="askback-client", daemon=True)
        self._thread.start()

    @property
    def here(self) -> bool:
        """Whether this is the process that it runs in."""
        return self._ownership.here

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result. An interrupt (Ctrl-C) cancels it, and waits until it has ended.

        Raises `ForkedClient` after a fork.
        """
        if not self._ownership.here:
            work.close()
            self._ownership.check()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            if not future.done():
                self._loop.call_soon_threadsafe(future.cancel)
                self._settle()
            raise

    def each(self, items: AsyncGenerator[T]) -> Iterator[T]:
        """Yield what an asynchronous generator yields, and close it at the end."""

        async def following() -> tuple[T] | None:
            async for item in items:
                return (item,)
            return None

        try:
            while (found := self.call(following())) is not None:
                yield found[0]
        finally:
            self.call(items.aclose())

    def close(self) -> None:
        """Stop the loop and its thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _settle(self) -> None:
        async def others() -> None:
            pending = asyncio.all_tasks() - {asyncio.current_task()}
            cancelled = {task for task in pending if task.cancelling()}
            if cancelled:
                await asyncio.wait(cancelled, timeout=2)

        asyncio.run_coroutine_threadsafe(others(), self._loop).result()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
