"""The base of the client and of its resources: calls and waits over one link."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from pydantic_core import from_json

from askback.client.frames import frame, idempotency_key
from askback.client.link import CallFuture, Link
from askback.client.rest import rest_call
from askback.client.secret_body import encode_body
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.domain.secrets.secret import Secret
from askback.errors import Invalid

T = TypeVar("T")


class Resource:
    """Calls over one link, which are retried for `retry_for` seconds; `texts` are the texts for models about outcomes.

    `thread_id` is the default thread of questions and messages.
    """

    def __init__(
        self, link: Link, *, retry_for: float, texts: Mapping[str, str], thread_id: str | None = None
    ) -> None:
        self._link = link
        self._retry_for = retry_for
        self._texts = texts
        self._thread_id = thread_id

    def _thread(self, thread_id: str | None) -> str:
        """Return the thread to ask in, by default that of the client; raises `Invalid` without any."""
        if (thread := thread_id or self._thread_id) is not None:
            return thread
        text = "Pass thread_id to this call, or to the client for all calls."
        fault = {"path": "thread_id", "code": "missing_required", "message": text}
        raise Invalid("There is no thread to ask in.", field_errors=[fault])

    async def _call(self, op: str) -> Any:
        return await self._link.call(op, retry_for=self._retry_for)

    async def _call_for_request(
        self, op: str, request: InputRequest | str, body: Mapping[str, Any], *, key: str | None = None
    ) -> InputRequest:
        """Run an operation of a request, with a key that makes it safe to send again."""
        request_frame = frame(op, request_id=id_of(request), body=body, key=idempotency_key(key))
        return InputRequest.model_validate(await self._call(request_frame))

    async def _post(self, path: str, body: Secret | None, *, key: str | None = None) -> Secret:
        """Post a body and return the body of the reply; raises `Invalid` for None, which marks invalid JSON."""
        if body is None:
            fault = {"path": "", "code": "not_json", "message": "Must be made of what JSON can hold."}
            raise Invalid("This cannot be sent as JSON.", field_errors=[fault])
        return await self._link.request("POST", path, body, key=key, retry_for=self._retry_for)

    async def _http(
        self, op: str, body: Mapping[str, Any] | None = None, *, retry: bool = True, **args: Any
    ) -> Any:
        """Run an operation as a single HTTP request, for those that have no frame; returns the JSON of the reply."""
        call = rest_call({"op": op, **without_none(**args)})
        path = f"{call.path}?{urlencode(call.query)}" if call.query else call.path
        body_bytes = None if body is None else encode_body(body)
        reply = await self._link.request(
            call.method, path, body_bytes, retry_for=self._retry_for if retry else 0.0
        )
        return from_json(reply.reveal() or "null")

    async def _await_settled(self, future: CallFuture) -> Any:
        """Return the settled request of a future; cancel the request when the waiting task is cancelled."""
        try:
            return await future
        except asyncio.CancelledError:
            if self._link.abandon(future) and future.withdraw and future.request_id is not None:
                await self._link.try_withdraw(future.request_id)
            raise


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items, newest first; `next_cursor` leads to older ones and is None at the end."""

    items: Sequence[T]
    next_cursor: str | None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def id_of(record: Any) -> str:
    """Return the id of a record, or the id that was passed instead."""
    return record if isinstance(record, str) else record.id
