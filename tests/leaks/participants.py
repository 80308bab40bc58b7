"""The participants: an agent, people, a stranger, and all their replies."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.journeys.people import Person, request_of
from tests.leaks.canary import Canary, canary
from tests.leaks.serving import Serving
from tests.leaks.witness import Notes

THREAD = "leaks"


@dataclass
class Participants:
    """One run of a server, and all its callers."""

    serving: Serving
    notes: Notes
    canaries: list[Canary]
    agent: Person
    other: Person
    ada: Person
    bob: Person
    admin: Person
    foreigner: Person
    stranger: Person
    numbers: itertools.count[int] = field(default_factory=itertools.count, init=False)

    def value(self, origin: str, **how: Any) -> str:
        """Make a value that is sent on this way, and searched for at the end."""
        made_canary = canary(origin, **how)
        self.canaries.append(made_canary)
        return made_canary.value

    async def need(self, *names: str, **extra: Any) -> str:
        """Ask for secrets, by default for one that nobody has asked for; returns the id of the request."""
        result = names or (f"KEY_{next(self.numbers)}_{self.serving.pid}",)
        return request_of(await self.agent.need(THREAD, *result, **extra))["id"]

    async def post(self, request_id: str, body: bytes, **headers: str) -> httpx2.Response:
        """Answer with a body as it is."""
        sent = {"content-type": "application/json", **headers}
        return await self.ada.http.post(f"/v1/requests/{request_id}/answer", content=body, headers=sent)


@asynccontextmanager
async def participants(serving: Serving, notes: Notes, canaries: list[Canary]) -> AsyncIterator[Participants]:
    """All callers, during this run of the server; a witness records everything."""
    roles = {
        "agent": "requester",
        "other": "requester/other",
        "ada": "responder",
        "bob": "responder/bob",
        "admin": "admin",
        "foreigner": "responder@acme",
        "stranger": None,
    }
    async with AsyncExitStack() as stack:
        people = {
            name: await stack.enter_async_context(notes.person(serving.url, role))
            for name, role in roles.items()
        }
        yield Participants(serving, notes, canaries, **people)
