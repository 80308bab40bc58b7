"""Record when tokens were last used: collected in memory, and written once a minute."""

from __future__ import annotations

import logging

import anyio

from askback.errors import Unavailable
from askback.ports.principal import Principal
from askback.ports.store import Store

EVERY_S = 60.0

_log = logging.getLogger(__name__)


class LastUse:
    """The tokens that were used since the last write, by tenant and id."""

    __slots__ = ("_used",)

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], int] = {}

    def note(self, principal: Principal, now_ms: int) -> None:
        """Note that a token is used now."""
        self._used[principal.tenant, principal.token] = now_ms

    async def write(self, store: Store) -> None:
        """Write what was noted; where that fails it is noted still."""
        used, self._used = self._used, {}
        if not used:
            return
        try:
            await store.touch_tokens(used)
        except Unavailable:
            self._used = {**used, **self._used}

    async def run(self, store: Store) -> None:
        """Write once a minute, for as long as the server lives."""
        while True:
            await anyio.sleep(EVERY_S)
            try:
                await self.write(store)
            except Exception:  # noqa: BLE001 - it must not end what runs beside it
                _log.exception("when tokens were last used could not be written")
