"""What a planted fault does a moment too late, after it has said that it was done."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from askback.errors import Unavailable

LATER_S = 0.2

_under_way: set[asyncio.Future[None]] = set()


def soon(call: Callable[[], Any]) -> None:
    """Call something in a moment, and forget it where it cannot be done then."""

    async def later() -> None:
        await asyncio.sleep(LATER_S)
        with contextlib.suppress(Unavailable):
            await call()

    task = asyncio.ensure_future(later())
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
