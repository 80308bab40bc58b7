"""A thread that Ada owns and shares, and callers of every level."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import websockets

from tests.journeys.people import Person, Team, request_of

LEVELS = ("none", "view", "prompt", "all", "owner", "admin")
"""The access level of each person in the thread, the lowest first."""

SHARED = {"owner": "user-owner", "people": {f"user-{name}": name for name in ("view", "prompt", "all")}}
FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class SharedThread:
    """The thread, the people by their level in it, and two agents, each of one person."""

    team: Team
    thread: str
    people: dict[str, Person]
    owners_agent: Person
    strangers_agent: Person

    async def fresh(self, kind: str, **extra: Any) -> dict[str, Any]:
        """A new request of a kind, with new content."""
        agent, number = self.team.agent, next(_NUMBERS)
        if kind == "form":
            return request_of(await agent.ask(self.thread, {**FORM, "title": f"Nº {number}"}, **extra))
        if kind == "approval":
            return request_of(await agent.bash(self.thread, f"git push {number}", **extra))
        return request_of(await agent.need(self.thread, f"A_{number}", f"B_{number}", **extra))


async def person(
    stack: AsyncExitStack, admin: Person, url: str, *, transport: Any = None, **body: Any
) -> Person:
    """A caller with a new token; `body` has its role and its person."""
    reply = await admin.http.post("/v1/tokens", json=body)
    assert reply.status_code == 201, reply.text
    return await stack.enter_async_context(Person(url, reply.json()["token"], transport=transport))


@asynccontextmanager
async def shared(url: str, team: Team, thread: str) -> AsyncIterator[SharedThread]:
    """Let Ada's agent begin a thread on her behalf, and share it."""
    async with AsyncExitStack() as stack:
        people = {
            name: await person(stack, team.admin, url, role="responder", name=name, user=f"user-{name}")
            for name in LEVELS[:-1]
        }
        agents = [
            await person(
                stack, team.admin, url, role="requester", name=f"agent of {name}", user=f"user-{name}"
            )
            for name in ("owner", "none")
        ]
        shared_thread = SharedThread(team, thread, {**people, "admin": team.admin}, *agents)
        assert (await share(team.agent, thread)).json()["owner"] == "user-owner"
        yield shared_thread


async def share(caller: Person, thread: str, **access: Any) -> httpx2.Response:
    """Set the access to a thread."""
    return await caller.http.put(f"/v1/threads/{thread}/access", json=access or SHARED)


@asynccontextmanager
async def socket(who: Person) -> AsyncIterator[websockets.ClientConnection]:
    """A WebSocket of somebody."""
    address = str(who.http.base_url).replace("http", "ws", 1).rstrip("/") + "/v1/ws"
    headers = {"Authorization": who.http.headers["Authorization"]}
    protocols = [websockets.Subprotocol("askback.v1")]
    async with websockets.connect(address, subprotocols=protocols, additional_headers=headers) as connection:
        with anyio.fail_after(120):
            yield connection


async def frame_reply(connection: websockets.ClientConnection, **frame: Any) -> dict[str, Any]:
    """Return the server's next frame, after sending one if passed."""
    if frame:
        await connection.send(json.dumps({"id": 1, **frame}))
    return json.loads(await connection.recv())
