"""Send webhook messages to this machine, which the usual client refuses."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from askback.ports.webhooks import Unreachable, WebhookResponse

ONE_CALL_EACH = httpx2.Limits(max_keepalive_connections=0)
"""The receiver closes each connection after its reply."""


class LoopbackWebhookClient:
    """Sends messages to any address, without a check."""

    def __init__(self) -> None:
        self._http: httpx2.AsyncClient | None = None

    def check_url(self, url: str) -> None:
        """Refuse nothing."""

    async def post(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes,
        answer_bytes: int = 0,  # noqa: ARG002 - its callers read no body
    ) -> WebhookResponse:
        """Post a body; raises `Unreachable`."""
        try:
            self._http = self._http or httpx2.AsyncClient(timeout=5, limits=ONE_CALL_EACH)
            return WebhookResponse(
                (await self._http.post(url, headers=dict(headers), content=body)).status_code
            )
        except httpx2.HTTPError as error:
            raise Unreachable(str(error)) from None
