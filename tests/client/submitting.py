"""A person who submits the requested secrets of a thread."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio

from askback import AsyncClient, InputRequest

ASKING_EVENTS = {"request.created", "request.reprompted"}


@asynccontextmanager
async def submitting(
    person: AsyncClient, thread: str, *submissions: Mapping[str, str] | str
) -> AsyncIterator[list[InputRequest]]:
    """Answer each request for secrets of a thread, and each reprompt; yields the requests so far.

    A mapping has the values by name, a string is a reason to decline.
    """
    requests: list[InputRequest] = []

    async def run() -> None:
        left = list(submissions)
        async for event in person.events(thread, cursor=0):
            if event["type"] not in ASKING_EVENTS:
                continue
            request = InputRequest.model_validate(event["request"])
            requests.append(request)
            sent = left.pop(0)
            if isinstance(sent, str):
                await person.requests.decline(request, reason=sent)
            else:
                await person.requests.submit(request, sent)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(120):
            yield requests
        tasks.cancel_scope.cancel()


async def submit_secrets(
    agent: AsyncClient, person: AsyncClient, thread: str, values: Mapping[str, str], **how: Any
) -> InputRequest:
    """Request secrets and submit them; returns the settled request."""
    secrets = await agent.secrets.request(list(values), reason="To try it.", thread_id=thread, wait=False)
    assert secrets.request is not None
    return await person.requests.submit(secrets.request, values, **how)
