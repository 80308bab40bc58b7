"""What every part of the client stands on: calls and waits over one link."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from askback.client.link import GRACE_S, Link, Ticket
from askback.client.operations import frame, idempotency_key
from askback.domain.request import InputRequest
from askback.errors import AskbackError


class Connection:
    """A link to a server that is used as a context: calls are tried for `retry_for` seconds."""

    def __init__(self, link: Link, *, retry_for: float) -> None:
        self._link = link
        self._retry_for = retry_for

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection; what still waits raises `ConnectionLost`."""
        await self._link.close()

    async def _call(self, op: str) -> Any:
        return await self._link.call(op, retry_for=self._retry_for)

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
        if not self._link.abandon(ticket) or not ticket.withdraw or ticket.request_id is None:
            return
        with suppress(AskbackError):
            await asyncio.wait(
                {self._link.background(self._link.withdraw(ticket.request_id))}, timeout=GRACE_S
            )
