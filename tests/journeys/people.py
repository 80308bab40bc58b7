"""Somebody at the other end of the wire: plain HTTP, so that a journey sees what any client would see."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

import httpx2


class Person:
    """An HTTP caller with one token. Replies are returned as they are; bodies go out as they are given."""

    def __init__(self, url: str, token: str | None) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.http = httpx2.AsyncClient(base_url=url, headers=headers, timeout=30)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.aclose()

    async def ask(self, thread: str, form: Any, **more: Any) -> httpx2.Response:
        """Create a form request; `key=` sends an idempotency key."""
        headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
        body = {"kind": "form", "thread_id": thread, "form": form, **more}
        return await self.http.post("/v1/requests", json=body, headers=headers)

    async def answer(
        self, request_id: str, values: Any, *, revision: int = 1, key: str | None = None
    ) -> httpx2.Response:
        """Answer a request."""
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"revision": revision, "values": values}
        return await self.http.post(f"/v1/requests/{request_id}/answer", json=body, headers=headers)

    async def decline(self, request_id: str, reason: str, **more: Any) -> httpx2.Response:
        """Decline a request."""
        return await self.http.post(f"/v1/requests/{request_id}/decline", json={"reason": reason, **more})

    async def cancel(self, request_id: str, **body: Any) -> httpx2.Response:
        """Cancel a request."""
        return await self.http.post(f"/v1/requests/{request_id}/cancel", json=body)

    async def get(self, request_id: str) -> dict[str, Any]:
        """Read a request."""
        reply = await self.http.get(f"/v1/requests/{request_id}")
        reply.raise_for_status()
        return reply.json()

    async def pending(self, thread: str) -> list[dict[str, Any]]:
        """What is open in a thread, oldest first."""
        reply = await self.http.get("/v1/requests", params={"thread_id": thread, "status": "pending"})
        reply.raise_for_status()
        return reply.json()["requests"][::-1]

    async def events(self, thread: str, *, cursor: int = 0, until: int) -> AsyncIterator[dict[str, Any]]:
        """The events of a thread above `cursor`, up to and with `seq` `until`."""
        url, params = f"/v1/threads/{thread}/events", {"cursor": cursor}
        async with self.http.stream("GET", url, params=params) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    yield event
                    if event["seq"] >= until:
                        return


def faults(reply: httpx2.Response) -> list[tuple[str, str]]:
    """The (path, code) pairs of a 422."""
    assert reply.status_code == 422, reply.text
    return sorted((e["path"], e["code"]) for e in reply.json()["error"]["field_errors"])
