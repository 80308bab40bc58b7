"""Where the calls of one MCP client go."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from askback.client import AsyncClient

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A client with the token of the caller, the address of the pages, and the thread for calls that name none."""

    client: AsyncClient
    base_url: str
    thread_id: str
    folder: str | None = None
    """The folder that the client works in, if it is known."""

    def page(self, request_id: str) -> str:
        """Return the address of the page of a request. It opens nothing by itself: the reader has to be signed in."""
        return f"{self.base_url}/r/{request_id}"


Connect = Callable[[Context], AbstractAsyncContextManager[Place]]
"""Returns the place for one call; raises `AskbackError`."""


def session_id_of(context: Context) -> str | None:
    """Return the id of the client's session; None on stdio, and since 2026-07-28, which has no sessions."""
    headers = getattr(context.request, "headers", None)
    return None if headers is None else headers.get("mcp-session-id")
