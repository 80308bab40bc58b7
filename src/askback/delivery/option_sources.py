"""Sources of options: a function of this process, and a webhook."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import fields
from threading import BoundedSemaphore

from anyio import CapacityLimiter
from pydantic_core import to_json

from askback.delivery.calls import FunctionCall, SignedCall
from askback.domain.sources import OptionQuery, OptionReply
from askback.ports.clock import Clock, Ids

MAX_CONCURRENT = 16
"""Concurrent calls of one plain function: one that hangs must not take a thread for each typed letter."""
MAX_REPLY_BYTES = 1024 * 1024
"""The maximum size of a webhook's reply."""

SourceFunction = Callable[[OptionQuery], OptionReply | Awaitable[OptionReply]]


class SourceBusy(Exception):
    """The maximum number of calls of a plain function are still running."""


class FunctionSource:
    """A function, plain or async."""

    def __init__(self, function: SourceFunction) -> None:
        self._function = function
        self._slots = BoundedSemaphore(MAX_CONCURRENT)
        called = function if inspect.iscoroutinefunction(function) else self._in_slot
        # Separate threads, so that a hanging function does not block the rest of the server.
        self._call = FunctionCall[OptionQuery, OptionReply](called, threads=CapacityLimiter(MAX_CONCURRENT))

    async def __call__(self, query: OptionQuery, /) -> object:
        """Call the function. Raises `SourceBusy`, and the function's errors."""
        return await self._call(query)

    def _in_slot(self, query: OptionQuery) -> OptionReply | Awaitable[OptionReply]:
        # In the thread, which continues after a timeout: only its end makes room for the next call.
        if not self._slots.acquire(blocking=False):
            raise SourceBusy
        try:
            return self._function(query)
        finally:
            self._slots.release()


class WebhookSource:
    """An address that gets each query and replies with an `OptionPage`."""

    def __init__(self, call: SignedCall, *, clock: Clock, ids: Ids) -> None:
        self._call = call
        self._clock = clock
        self._ids = ids

    async def __call__(self, query: OptionQuery, /) -> object:
        """Post the query; raises `AddressRefused`, `Unreachable`, and `Faults` for a reply that is not JSON."""
        id_ = self._ids.new("qry", now_ms=self._clock.now_ms())
        members = {field.name: getattr(query, field.name) for field in fields(query)}
        request_members = {name: value for name, value in members.items() if value is not None}
        if query.request is not None:
            request_members["request"] = query.request.model_dump(mode="json", exclude_none=True)
        data = to_json(request_members).decode()
        return await self._call.post("options", data, message_id=id_, limit=MAX_REPLY_BYTES)
