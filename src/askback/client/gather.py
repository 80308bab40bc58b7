"""Await several things together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


async def gather_all(awaitables: Iterable[Awaitable[T]]) -> Sequence[T]:
    """Await several things together and return their results in order; an error of one cancels the others."""
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
