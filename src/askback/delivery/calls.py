"""Call the operator's extensions: functions of this process, and addresses that get signed messages."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Generic, TypeVar, cast

from anyio import CapacityLimiter, to_thread

from askback.domain import jsontext
from askback.domain.timestamps import rfc3339
from askback.domain.webhooks import payload, sign
from askback.ports.clock import Clock
from askback.ports.webhooks import Unreachable, WebhookClient

OK = 200

SentBody = TypeVar("SentBody")
Reply = TypeVar("Reply")


class FunctionCall(Generic[SentBody, Reply]):
    """A function, plain or async; plain ones run in `threads` threads."""

    def __init__(
        self,
        function: Callable[[SentBody], Reply | Awaitable[Reply]],
        *,
        threads: CapacityLimiter | None = None,
    ) -> None:
        self._function = function
        self._threads = threads

    async def __call__(self, body: SentBody, /) -> Reply:
        """Call the function."""
        if inspect.iscoroutinefunction(self._function):
            return await self._function(body)
        call = partial(self._function, body)
        result: Any = await to_thread.run_sync(call, abandon_on_cancel=True, limiter=self._threads)
        return cast("Reply", await result if inspect.isawaitable(result) else result)


class SignedCall:
    """An address that gets posts signed like a webhook's, and replies 200 with JSON."""

    def __init__(self, url: str, *, key: bytes, client: WebhookClient, clock: Clock) -> None:
        self._url = url
        self._key = key
        self._client = client
        self._clock = clock

    async def post(self, kind: str, data: str, *, message_id: str, limit: int) -> Any:
        """Post a JSON text and return the decoded reply, of at most that many bytes.

        Raises `AddressRefused`, `Unreachable`, and `Faults` for a reply that is not JSON.
        """
        now = self._clock.now_ms()
        body = payload(kind, timestamp=rfc3339(now), data=data)
        timestamp = now // 1000
        headers = {
            "content-type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": sign(self._key, message_id=message_id, timestamp=timestamp, body=body),
        }
        reply = await self._client.post(self._url, headers=headers, body=body, answer_bytes=limit)
        if reply.status != OK:
            raise Unreachable(f"status_{reply.status}")
        return jsontext.parse(reply.body)
