"""Carries the messages of webhooks to this machine, where the usual courier refuses to go."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from askback.ports.webhooks import Answered, Unreached

ONE_CALL_EACH = httpx2.Limits(max_keepalive_connections=0)
"""The receiver closes each connection after its reply."""


class LoopbackCourier:
    """Carries messages to any address, without a look at it."""

    def __init__(self) -> None:
        self._http: httpx2.AsyncClient | None = None

    def vet(self, url: str) -> None:
        """Refuse nothing."""

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:
        """Post a body; raises `Unreached`."""
        try:
            self._http = self._http or httpx2.AsyncClient(timeout=5, limits=ONE_CALL_EACH)
            return Answered((await self._http.post(url, headers=dict(headers), content=body)).status_code)
        except httpx2.HTTPError as error:
            raise Unreached(str(error)) from None
