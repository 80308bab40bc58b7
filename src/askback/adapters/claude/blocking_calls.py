"""Run a function that may block in a thread that nobody has to wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def run_in_thread(function: Callable[[], T]) -> T:
    """Call a function in a thread, and return its result.

    When it is cancelled it goes on at once, and the function ends by itself. Unlike the threads of `asyncio.to_thread`,
    one that hangs does not keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Callable[[], None]) -> None:
        if not done.done():  # it was not cancelled
            result()

    def work() -> None:
        try:
            value = context.run(function)
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            result = _raising(done, error)
        else:
            result = _returning(done, value)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=work, name="askback-step", daemon=True).start()
    return await done


def _returning(done: asyncio.Future[T], value: T) -> Callable[[], None]:
    return lambda: done.set_result(value)


def _raising(done: asyncio.Future[T], error: BaseException) -> Callable[[], None]:
    failure = RuntimeError(f"The function raised {error!r}") if isinstance(error, StopIteration) else error
    return lambda: done.set_exception(failure)
