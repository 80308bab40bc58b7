"""Create requests without waiting for the answer, and read their outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from askback.client import operations
from askback.client.connection import Connection
from askback.client.context import Durable, written
from askback.client.operations import frame
from askback.client.results import Page
from askback.domain.approval import Approval
from askback.domain.fields import Form
from askback.domain.request import InputRequest
from askback.domain.secrets.asked import SecretAsk


class Requests(Connection):
    """The part of the client that makes, reads and takes back requests."""

    async def create(
        self,
        what: Form | Approval | SecretAsk | Mapping[str, Any],
        *,
        thread_id: str,
        idempotency_key: str | None = None,
        **context: Unpack[Durable],
    ) -> InputRequest:
        """Ask a form (a mapping is one), whether a call may run, or for secrets, without waiting.

        `timeout_s` is when it expires, from now; without it a form never does, and an approval in five minutes. With
        `delivery="resume"` what comes of it is queued: see `resumes`.
        """
        op = operations.create(what, thread_id, written(context), idempotency_key)
        return InputRequest.model_validate(await self._call(op))

    async def wait(self, request: InputRequest | str, *, timeout: float | None = None) -> InputRequest:
        """Return a request once it has ended, in whatever way; raises `TimeoutError` after `timeout` seconds.

        The request stays open then. Raises `NotFound`.
        """
        if not isinstance(request, str):
            request = request.id
        ticket = await self._link.wait(request)
        try:
            if timeout is None:
                settled = await ticket  # without a timer: a wait is only its future
            else:
                async with asyncio.timeout(timeout):
                    settled = await ticket
        finally:
            self._link.abandon(ticket)
        return InputRequest.model_validate(settled)

    async def get(self, request_id: str) -> InputRequest:
        """Read a request as it is now; raises `NotFound`."""
        return InputRequest.model_validate(await self._call(frame("get", request_id=request_id)))

    async def list(
        self,
        *,
        thread_id: str | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Read a page of requests, newest first."""
        status = status if status is None or isinstance(status, str) else ",".join(status)
        op = frame("list", thread_id=thread_id, status=status, kind=kind, limit=limit, cursor=cursor)
        found = await self._call(op)
        requests = [InputRequest.model_validate(request) for request in found["requests"]]
        return Page(requests, found["next_cursor"])

    async def cancel(
        self, request: InputRequest | str, reason: str = "agent_aborted", *, note: str | None = None
    ) -> InputRequest:
        """Take a request back; raises `Conflict` with the request when it has ended already."""
        return await self._settle("cancel", request, {"reason": reason, "note": note})
