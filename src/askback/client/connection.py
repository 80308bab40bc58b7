"""The base of the client: calls and waits over one link, secret values over separate HTTP calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from askback.client.link import GRACE_S, Link, Ticket
from askback.client.operations import frame, idempotency_key
from askback.client.road import Road, carry
from askback.domain.request import InputRequest
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError, Invalid


class Connection:
    """A link to a server that is used as a context: calls are tried for `retry_for` seconds.

    `texts` are what a model reads about outcomes.
    """

    def __init__(self, link: Link, road: Road, *, retry_for: float, texts: Mapping[str, str]) -> None:
        self._link = link
        self._road = road
        self._retry_for = retry_for
        self._texts = texts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection; what still waits raises `ConnectionLost`."""
        await self._link.close()
        await self._road.close()

    async def _call(self, op: str) -> Any:
        return await self._link.call(op, retry_for=self._retry_for)

    async def _carry(self, path: str, body: Secret | None, *, key: str | None = None) -> Secret:
        """Post a body and return that of the reply; raises `Invalid` when there was none to be made."""
        self._link.check_process()
        if body is None:
            fault = {"path": "", "code": "not_json", "message": "Must be made of what JSON can hold."}
            raise Invalid("This cannot be sent as JSON.", field_errors=[fault])
        return await carry(self._road, path, body, retry_for=self._retry_for, key=key)

    async def _settle(
        self, op: str, request: InputRequest | str, body: Mapping[str, Any], *, key: str | None = None
    ) -> InputRequest:
        request_id = request if isinstance(request, str) else request.id
        body = {name: value for name, value in body.items() if value is not None}
        # The key makes it safe to send again when the connection broke before the answer came.
        sent = frame(op, request_id=request_id, body=body, key=idempotency_key(key))
        return InputRequest.model_validate(await self._call(sent))

    async def _settled(self, ticket: Ticket) -> Any:
        """Return the request that a ticket waits for, as it ended; take it back when nobody awaits it any more."""
        try:
            return await ticket
        except asyncio.CancelledError:
            await self._taken_back(ticket)
            raise

    async def _taken_back(self, ticket: Ticket) -> None:
        """Take back what a cancelled task asked, within a moment and without holding the task up for longer."""
        if self._link.abandon(ticket) and ticket.withdraw and ticket.request_id is not None:
            await self._take_back(ticket.request_id)

    async def _take_back(self, request_id: str) -> None:
        """Take a request back, and go on after a moment however it stands."""
        with suppress(AskbackError):
            await asyncio.wait({self._link.background(self._link.withdraw(request_id))}, timeout=GRACE_S)
