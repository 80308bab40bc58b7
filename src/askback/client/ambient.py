"""The ambient context of wrapped functions: the client, the thread and the run in which they ask."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from askback.client.async_client import AsyncClient
from askback.client.sync_client import Client
from askback.domain.model import without_none
from askback.domain.request import Agent


@dataclass(frozen=True, slots=True)
class AmbientContext:
    """The values of `ask_context`; None is not set."""

    client: AsyncClient | Client | None = None
    thread_id: str | None = None
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: str | Agent | None = None


_EMPTY = AmbientContext()
_current: ContextVar[AmbientContext] = ContextVar("askback_context", default=_EMPTY)


def current_context() -> AmbientContext:
    """Return the context that the enclosing `ask_context` blocks set."""
    return _current.get()


@contextmanager
def ask_context(
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | None = None,
    run_id: str | None = None,
    message_id: str | None = None,
    tool_call_id: str | None = None,
    agent: str | Agent | None = None,
) -> Generator[None]:
    """Set the context in which functions with `requires_approval` ask, until the block ends.

    Other values stay as an outer block set them. Tasks that start within, and `asyncio.to_thread`, inherit the context;
    other threads do not.
    """
    values = without_none(
        client=client,
        thread_id=thread_id,
        run_id=run_id,
        message_id=message_id,
        tool_call_id=tool_call_id,
        agent=agent,
    )
    token = _current.set(replace(_current.get(), **values))
    try:
        yield
    finally:
        _current.reset(token)


class DefaultClients:
    """Clients for the server of the environment, created on first use."""

    def __init__(self) -> None:
        self._by_loop: dict[asyncio.AbstractEventLoop, AsyncClient] = {}
        self._by_process: dict[int, Client] = {}
        self._lock = threading.Lock()

    def asynchronous(self) -> AsyncClient:
        """Return the one client of the running event loop; raises `NoServer`."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for closed_loop in [
                loop_of_client for loop_of_client in self._by_loop if loop_of_client.is_closed()
            ]:
                del self._by_loop[closed_loop]
            if loop not in self._by_loop:
                self._by_loop[loop] = AsyncClient()
            return self._by_loop[loop]

    def blocking(self) -> Client:
        """Return the one client of this process: a thread does not survive a fork. Raises `NoServer`."""
        with self._lock:
            process = os.getpid()
            if process not in self._by_process:
                self._by_process = {process: Client()}
            return self._by_process[process]


DEFAULT_CLIENTS = DefaultClients()
