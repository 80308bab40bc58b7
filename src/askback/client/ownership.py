"""The process that a client belongs to: neither a thread nor a connection survives `fork()`."""

from __future__ import annotations

import os

from askback.errors import ForkedClient


class Ownership:
    """Remembers the process that made it."""

    __slots__ = ("_process",)

    def __init__(self) -> None:
        self._process = os.getpid()

    @property
    def here(self) -> bool:
        """Whether this is the process that made it."""
        return os.getpid() == self._process

    def check(self) -> None:
        """Raise `ForkedClient` in any other process."""
        if not self.here:
            raise ForkedClient
