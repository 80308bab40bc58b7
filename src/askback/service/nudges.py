"""A listener that can be awaited repeatedly: the bus wakes it, and a slow poll finds lost notifications."""

from __future__ import annotations

import anyio

SAFETY_POLL_S = 10.0
"""How often the store is read again in case a nudge was lost."""


class Nudge:
    """Set by any event."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def __call__(self, _event: object) -> None:
        """Wake whoever waits."""
        self._event.set()

    async def wait(self, seconds: float = SAFETY_POLL_S) -> None:
        """Return after the next event, or after a while without one."""
        with anyio.move_on_after(seconds):
            await self._event.wait()
        self._event = anyio.Event()
