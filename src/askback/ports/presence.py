"""Presence: whether anybody has a page open who would see a request.

It is about people who watch: a thread, or all of them (an inbox). A page that is open but that nobody looks at counts
as well: this says who could see, not who does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Presence(Protocol):
    """Who watches what, over all the servers that share a store."""

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count somebody who watches a thread, or everything (None), until the returned function is called."""
        ...

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody would see a request in this thread now."""
        ...
