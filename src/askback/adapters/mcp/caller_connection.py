"""The connections of MCP clients: where the calls of one client go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext

from askback.client import AsyncClient

Context = ServerRequestContext[Any, Any]


class Waits:
    """The waits for people, which end together when their server stops."""

    def __init__(self) -> None:
        self._timeouts = set[asyncio.Timeout]()
        self.is_ended = False

    @asynccontextmanager
    async def limit(self, seconds: float | None) -> AsyncGenerator[None]:
        """Raise `TimeoutError` if the block takes longer, or when all waits end; None is as long as it takes."""
        async with asyncio.timeout(0 if self.is_ended else seconds) as timeout:
            self._timeouts.add(timeout)
            try:
                yield
            finally:
                self._timeouts.discard(timeout)

    def end(self) -> None:
        """End all waits as if their time were up, and those that begin later at once."""
        self.is_ended = True
        for timeout in self._timeouts:
            if not timeout.expired():
                timeout.reschedule(0)


@dataclass(frozen=True, slots=True)
class CallerConnection:
    """A client with the token of the caller, the address of the pages, and the thread for calls that name none."""

    client: AsyncClient
    base_url: str
    thread_id: str
    folder: str | None = None
    """The folder that the client works in, if it is known."""
    waits: Waits = field(default_factory=Waits)

    def page(self, request_id: str) -> str:
        """Return the address of the page of a request. It opens nothing by itself: the reader has to be signed in."""
        return f"{self.base_url}/r/{request_id}"


Connect = Callable[[Context], AbstractAsyncContextManager[CallerConnection]]
"""Returns the connection for one call; raises `AskbackError`."""


def session_id_of(context: Context) -> str | None:
    """Return the id of the client's session; None on stdio, and since 2026-07-28, which has no sessions."""
    headers = getattr(context.request, "headers", None)
    return None if headers is None else headers.get("mcp-session-id")
