"""Cancel the running work on Ctrl-C, or when the terminal or the caller is gone; the work can still clean up."""

from __future__ import annotations

import asyncio
import select
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LOOK_S = 1.0
"""How often to look whether the output is still read."""


def interruptible(work: Coroutine[Any, Any, T], *, output: int | None = None) -> T:
    """Run `work`. If it has to stop, cancel it, wait until it has ended, and raise `KeyboardInterrupt`.

    It has to stop on SIGINT, SIGTERM and SIGHUP, and when nobody reads `output`, a file descriptor: a killed
    program sends no signal to the programs that it started.
    """
    return asyncio.run(_run_until_stopped(work, output))


async def _run_until_stopped(work: Coroutine[Any, Any, T], output: int | None) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    is_stopped = False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True
        task.cancel()

    def look(output: int) -> None:
        if _is_unread(output):
            stop()
        else:
            loop.call_later(LOOK_S, look, output)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under `nohup`
            loop.add_signal_handler(number, stop)
    if output is not None:
        look(output)
    try:
        return await task
    except asyncio.CancelledError:
        if is_stopped:
            raise KeyboardInterrupt from None
        raise


def _is_unread(output: int) -> bool:
    """Return whether the other end of a pipe, a socket or a terminal is closed; never so for a file."""
    poll = select.poll()
    poll.register(output, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
