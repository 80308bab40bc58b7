"""A person who decides about the approvals in a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from askback import AsyncClient, InputRequest


@asynccontextmanager
async def deciding(
    person: AsyncClient, thread: str, *decisions: dict[str, Any] | str
) -> AsyncIterator[list[InputRequest]]:
    """Decide about each approval of a thread with the next of `decisions`; yields the requests so far.

    A dict has the arguments of `decide`; a string is a reason to decline.
    """
    requests: list[InputRequest] = []

    async def run() -> None:
        left = list(decisions)
        async for event in person.events(thread, cursor=0):
            if event["type"] != "request.created":
                continue
            request = InputRequest.model_validate(event["request"])
            requests.append(request)
            decision = left.pop(0)
            if isinstance(decision, str):
                await person.requests.decline(request, reason=decision)
            else:
                await person.requests.decide(request, **decision)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(120):
            yield requests
        tasks.cancel_scope.cancel()


async def wait_for_request(client: AsyncClient, thread: str) -> InputRequest:
    """Wait for a request in a thread, and return it."""
    with anyio.fail_after(120):
        async for event in client.events(thread, cursor=0):
            if event["type"] == "request.created":
                return InputRequest.model_validate(event["request"])
    raise AssertionError
