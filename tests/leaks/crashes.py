"""Values in transit when the server dies, and their state afterwards."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from anyio.abc import SocketStream

from tests.journeys.people import leased_values
from tests.leaks.participants import THREAD, Participants
from tests.leaks.serving import TOKENS


@asynccontextmanager
async def submissions_in_transit(participants: Participants) -> AsyncIterator[dict[str, str]]:
    """Keep submissions in transit, some of them incomplete; yields (request id: value) of the complete ones."""
    sent_bodies: dict[str, str] = {}
    async with AsyncExitStack() as lines:
        for number in range(6):
            name = f"CRASH_{number}"
            request_id = await participants.need(name, probe=number == 5)
            is_whole = number % 2 == 1
            origin = "was sent whole" if is_whole else "was being sent"
            value = participants.value(f"{origin} when the server died, {number}")
            line = await lines.enter_async_context(await connect(participants))
            await _send(
                line, request_id, json.dumps({"revision": 1, "secrets": {name: value}}), is_whole=is_whole
            )
            if is_whole:
                sent_bodies[request_id] = value
        yield sent_bodies


async def connect(participants: Participants) -> SocketStream:
    return await anyio.connect_tcp("127.0.0.1", int(participants.serving.url.rpartition(":")[2]))


async def _send(line: SocketStream, request_id: str, body: str, *, is_whole: bool) -> None:
    """Send a submission, or all of it but the last two brackets, which is all of the value."""
    head = (
        f"POST /v1/requests/{request_id}/answer HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {TOKENS['responder']}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    await line.send((head + (body if is_whole else body[:-2])).encode())


async def check_values_in_transit(participants: Participants, sent_bodies: dict[str, str]) -> list[str]:
    """Check the values in transit: each is stored, or is sent again. Returns the leased values."""
    values = list[str]()
    for request_id, value in sent_bodies.items():
        request = await participants.ada.get(request_id)
        [name] = request["secret"]["names"]
        if request["status"] == "pending":
            assert (await participants.ada.hand_over(request_id, {name: value})).status_code == 200
            request = await participants.ada.get(request_id)
        extra = {"request_id": request_id} if request["status"] == "resolving" else {}
        values += leased_values(await participants.agent.lease(THREAD, name, **extra)).values()
    return values
