"""Run a function that may block in a thread that nobody has to wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(function: Callable[[], T]) -> T:
    """Call a function in a thread, and return its result.

    When it is cancelled it returns immediately, and the function ends by itself. Unlike the threads of
    `asyncio.to_thread`, one that hangs does not keep the process from ending.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # so that only the thread settles it
    context = contextvars.copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(function))
        except StopIteration as error:  # no future takes it
            future.set_exception(RuntimeError(f"The function raised {error!r}"))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            future.set_exception(error)

    threading.Thread(target=run, name="askback-call", daemon=True).start()
    return await asyncio.wrap_future(future)
