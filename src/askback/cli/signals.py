"""On Ctrl-C or SIGTERM, cancel the running work, which can still clean up."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Run `work`; on SIGINT or SIGTERM cancel it, let it end, and raise `KeyboardInterrupt`."""
    return asyncio.run(_run_until_signal(work))


async def _run_until_signal(work: Coroutine[Any, Any, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    is_stopped = False

    def on_signal() -> None:
        nonlocal is_stopped
        is_stopped = True
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    try:
        return await task
    except asyncio.CancelledError:
        if is_stopped:
            raise KeyboardInterrupt from None
        raise
