"""Write methods once, as `async`, for the asynchronous and the blocking client.

    class Rules(Resource):
        @method
        async def list(self) -> Page[Rule]: ...

    class BlockingRules(Blocking, Rules): ...

`rules.list()` is a coroutine where `rules` is a `Rules`, and returns the page where it is a `BlockingRules`. Type
checkers see both.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import update_wrapper, wraps
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from askback.client.link import ProcessOwner

T = TypeVar("T")


class Portal:
    """Runs coroutines in its own thread; a call blocks until its coroutine has ended."""

    def __init__(self) -> None:
        self._owner = ProcessOwner()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="askback-client", daemon=True)
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether this is the process that it runs in."""
        return self._owner.is_current

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result. An interrupt (Ctrl-C) cancels it, and waits until it has ended.

        Raises `ForkedClient` after a fork.
        """
        if not self._owner.is_current:
            work.close()
            self._owner.check()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            if not future.done():
                self._loop.call_soon_threadsafe(future.cancel)
                self._settle()
            raise

    async def await_in_portal(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result, awaited in another event loop; cancelling one cancels the other.

        Raises `ForkedClient` after a fork.
        """
        if not self._owner.is_current:
            work.close()
            self._owner.check()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def iterate(self, items: AsyncGenerator[T]) -> Iterator[T]:
        """Yield the items of an asynchronous generator, and close it at the end."""

        async def next_item() -> tuple[T] | None:
            async for item in items:
                return (item,)
            return None

        try:
            while (event := self.call(next_item())) is not None:
                yield event[0]
        finally:
            self.call(items.aclose())

    def close(self) -> None:
        """Stop the loop and its thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _settle(self) -> None:
        async def cancelled_tasks_end() -> None:
            pending = asyncio.all_tasks() - {asyncio.current_task()}
            cancelled = {task for task in pending if task.cancelling()}
            if cancelled:
                await asyncio.wait(cancelled, timeout=2)

        asyncio.run_coroutine_threadsafe(cancelled_tasks_end(), self._loop).result()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


P = ParamSpec("P")
R = TypeVar("R")


class Blocking:
    """Marks a class whose methods block: each runs that of `target`, its asynchronous twin, in the portal's thread."""

    def __init__(self, portal: Portal, target: Any) -> None:
        self._portal = portal
        self._target = target


def _twin(instance: Blocking) -> tuple[Portal, Any]:
    # Private to both: the decorators are the other half of the class.
    return instance._portal, instance._target  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def call_blocking(
    client: Blocking,
    function: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Run a coroutine function with the asynchronous twin of a blocking client, and return its result."""
    portal, target = _twin(client)
    return portal.call(function(target, *args, **kwargs))


async def call_either(
    client: object,
    function: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Await a coroutine function with a client, or with the asynchronous twin of a blocking one in its thread."""
    if not isinstance(client, Blocking):
        return await function(client, *args, **kwargs)
    portal, target = _twin(client)
    return await portal.await_in_portal(function(target, *args, **kwargs))


C = TypeVar("C")


class function(Generic[C, P, R]):  # noqa: N801 - a decorator
    """An `async` function whose first argument is a client: with a blocking one it blocks until it has ended."""

    def __init__(self, written: Callable[Concatenate[C, P], Coroutine[Any, Any, R]]) -> None:
        self._written: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]] = written
        update_wrapper(self, written)

    @overload
    def __call__(self, ask: Blocking, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, ask: C, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]: ...
    def __call__(self, ask: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Call it: a coroutine, or with a blocking client the result."""
        if isinstance(ask, Blocking):
            return call_blocking(ask, self._written, *args, **kwargs)
        return self._written(ask, *args, **kwargs)


class method(Generic[P, R]):  # noqa: N801 - a decorator
    """An `async` method: a coroutine function, or in a `Blocking` class one that blocks until it has ended."""

    def __init__(self, function: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]) -> None:
        self._function = function

    @overload
    def __get__(self, instance: Blocking, owner: type[Any]) -> Callable[P, R]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        function = self._function
        if not isinstance(instance, Blocking):
            return function if instance is None else MethodType(function, instance)
        portal, target = _twin(instance)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            work = function(target, *args, **kwargs)
            del args, kwargs  # an error shows this function's variables, and a secret may be among them
            return portal.call(work)

        return call


class iterator(Generic[P, R]):  # noqa: N801 - a decorator
    """An asynchronous generator method, in a `Blocking` class an iterator."""

    def __init__(self, function: Callable[Concatenate[Any, P], AsyncGenerator[R]]) -> None:
        self._function = function

    @overload
    def __get__(self, instance: Blocking, owner: type[Any]) -> Callable[P, Iterator[R]]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, AsyncGenerator[R]]: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        function = self._function
        if not isinstance(instance, Blocking):
            return function if instance is None else MethodType(function, instance)
        portal, target = _twin(instance)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
            return portal.iterate(function(target, *args, **kwargs))

        return call


class context(Generic[P, R]):  # noqa: N801 - a decorator
    """A method for `async with`, in a `Blocking` class for `with`; written as for `asynccontextmanager`."""

    def __init__(self, function: Callable[Concatenate[Any, P], AsyncGenerator[R]]) -> None:
        self._function = asynccontextmanager(function)

    @overload
    def __get__(self, instance: Blocking, owner: type[Any]) -> Callable[P, AbstractContextManager[R]]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, AbstractAsyncContextManager[R]]: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        function = self._function
        if not isinstance(instance, Blocking):
            return function if instance is None else MethodType(function, instance)
        portal, target = _twin(instance)

        @wraps(function)
        @contextmanager
        def block(*args: P.args, **kwargs: P.kwargs) -> Generator[R]:
            entered = function(target, *args, **kwargs)
            value = portal.call(entered.__aenter__())
            try:
                yield value
            except BaseException as error:
                portal.call(entered.__aexit__(type(error), error, error.__traceback__))
                raise
            portal.call(entered.__aexit__(None, None, None))

        return block
