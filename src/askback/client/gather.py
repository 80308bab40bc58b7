"""Ask for several things together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


async def gather_all(questions: Iterable[Awaitable[T]]) -> Sequence[T]:
    """Await several questions together, in their order; an error of one cancels the others and is raised."""
    tasks = [asyncio.ensure_future(question) for question in questions]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
