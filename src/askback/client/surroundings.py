"""The place where a wrapped function asks: its client, its thread, its place in the run."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from askback.client.async_client import AsyncClient
from askback.client.operations import known
from askback.client.sync_client import Client
from askback.domain.request import Agent


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What `asking` said; None is not said."""

    client: AsyncClient | Client | None = None
    thread_id: str | None = None
    run_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent: str | Agent | None = None


_NOWHERE = Surroundings()
_here: ContextVar[Surroundings] = ContextVar("askback_surroundings", default=_NOWHERE)


def here() -> Surroundings:
    """Return what the innermost `asking` blocks said."""
    return _here.get()


@contextmanager
def asking(
    *,
    client: AsyncClient | Client | None = None,
    thread_id: str | None = None,
    run_id: str | None = None,
    message_id: str | None = None,
    tool_call_id: str | None = None,
    agent: str | Agent | None = None,
) -> Generator[None]:
    """Say where the functions ask that are called within and wrapped by `requires_approval`.

    What is not given stays as an outer block said it. Tasks that are started within, and `asyncio.to_thread`, take
    it along; a thread that is started by hand does not.
    """
    said = known(
        client=client,
        thread_id=thread_id,
        run_id=run_id,
        message_id=message_id,
        tool_call_id=tool_call_id,
        agent=agent,
    )
    token = _here.set(replace(_here.get(), **said))
    try:
        yield
    finally:
        _here.reset(token)


class Found:
    """Clients of the server that the environment names, made when they are first needed."""

    def __init__(self) -> None:
        self._by_loop: dict[asyncio.AbstractEventLoop, AsyncClient] = {}
        self._by_process: dict[int, Client] = {}
        self._lock = threading.Lock()

    def asynchronous(self) -> AsyncClient:
        """Return the one client of the running event loop; raises `NoServer`."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [other for other in self._by_loop if other.is_closed()]:
                del self._by_loop[ended]
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


FOUND = Found()
