"""Carry secret values to a server over HTTP, on any kind of connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askback.client.channel import Via, credentials, on_this_machine
from askback.client.road import Reply, quietly
from askback.domain.secrets.secret import Secret

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 30.0


class HttpRoad:
    """Posts to one server."""

    def __init__(self, url: str, token: str, *, via: Via = "api") -> None:
        self.where = url
        self._headers = {**credentials(token, via), "content-type": "application/json"}
        self._http: httpx2.AsyncClient | None = None

    async def post(self, path: str, body: Secret, *, key: str | None = None) -> Reply:
        """Post a JSON text."""
        headers = {} if key is None else {"idempotency-key": key}
        response = await quietly(self._opened().post(path, content=body.reveal().encode(), headers=headers))
        return Reply(response.status_code, response.headers.get("retry-after"), Secret(response.text))

    async def close(self) -> None:
        """Close what is open."""
        if self._http is not None:
            await self._http.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        if self._http is None:
            import httpx2  # now: most clients have nothing to carry, and it takes longer than all else to import

            self._http = httpx2.AsyncClient(
                base_url=self.where,
                headers=self._headers,
                timeout=TIMEOUT_S,
                trust_env=not on_this_machine(self.where),
            )
        return self._http
