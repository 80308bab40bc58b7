"""Three people who answer all open requests, each with different texts, all at the same requests, at every server."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio
import httpx2

from tests.fault.agents import QUESTION_WITH_DEADLINE, WRONG
from tests.fault.ledger import Ledger, Outcome
from tests.fault.processes import RESPONDER

NAMES = ("ada", "bob", "eve")
AT_ONCE = 12
TOO_LATE = frozenset({409, 410})
HTTP_UNAVAILABLE = 503
REPEATED = 0.2
"""The share of acknowledged calls that is sent again at once."""


class People:
    """The people; `done` ends their work, and while they are `resting` nothing new is acknowledged."""

    def __init__(self, urls: Sequence[str], ledger: Ledger, seed: int) -> None:
        self.done = anyio.Event()
        self.resting = False
        self._urls = urls
        self._ledger = ledger
        self._chance = random.Random(seed)
        self._http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {RESPONDER}"}, timeout=5)

    async def work(self) -> None:
        """Answer open requests, at each server, until done."""
        async with self._http, anyio.create_task_group() as places:
            for url in self._urls:
                places.start_soon(self._work_at, url)

    async def _work_at(self, url: str) -> None:
        while not self.done.is_set():
            if self.resting:
                await anyio.sleep(0.02)
                continue
            try:
                pending = await self._open_at(url)
            except httpx2.HTTPError:
                await anyio.sleep(0.02)
                continue
            self._chance.shuffle(pending)
            own_items = [request for request in pending if _concerns(request)][:AT_ONCE]
            async with anyio.create_task_group() as hands:
                for request in own_items:
                    for name in self._chance.sample(NAMES, 2):
                        hands.start_soon(self._deal_with, request, f"{name}-{self._chance.random()}")
            await anyio.sleep(0.002 if own_items else 0.02)

    async def _open_at(self, url: str) -> list[dict[str, Any]]:
        result = await self._http.get(f"{url}/v1/requests", params={"status": "pending", "limit": 200})
        if result.status_code not in (200, HTTP_UNAVAILABLE):
            self._ledger.broken("I3", f"what is open was answered with {result.status_code}")
        return result.json().get("requests", [])

    async def _deal_with(self, request: dict[str, Any], word: str) -> None:
        kind = self._chance.random()
        if kind < 0.1:
            await self._send(
                request, "decline", {"reason": "dismissed"}, word, Outcome("declined", "dismissed")
            )
        elif request["kind"] == "approval":
            decision = "approve" if kind < 0.7 else "deny"
            body = {"revision": request["revision"], "decision": decision}
            await self._send(request, "answer", body, word, Outcome("answered", decision))
        else:
            if "validator" in request and kind < 0.4:
                word = f"{WRONG}-{word}"
            body = {"revision": request["revision"], "values": {"n": word}}
            await self._send(request, "answer", body, word, Outcome("answered", word))

    async def _send(
        self, request: dict[str, Any], do: str, body: dict[str, Any], word: str, outcome: Outcome
    ) -> None:
        """Send a call to any server, and again with the same key if its result is unknown."""
        for _ in range(3):
            url = f"{self._chance.choice(self._urls)}/v1/requests/{request['id']}/{do}"
            try:
                sent = await self._http.post(url, json=body, headers={"Idempotency-Key": word})
            except httpx2.HTTPError:
                await anyio.sleep(0.02)
                continue
            if sent.status_code == 200:
                self._acknowledged(request, do, word, outcome)
                await self._repeat(url, body, word)
            elif sent.status_code == 404:
                self._ledger.broken("I1", f"{request['id']} was listed and is gone")
            elif sent.status_code not in TOO_LATE | {HTTP_UNAVAILABLE}:
                self._ledger.broken("I3", f"{request['id']}: {sent.status_code} {sent.text[:200]}")
            return

    async def _repeat(self, url: str, body: dict[str, Any], word: str) -> None:
        """Sometimes send a call again, as if the reply had been lost."""
        if self._chance.random() > REPEATED:
            return
        with suppress(httpx2.HTTPError):
            second_reply = await self._http.post(url, json=body, headers={"Idempotency-Key": word})
            if second_reply.status_code not in (200, HTTP_UNAVAILABLE):
                self._ledger.broken("I10", f"{url} with the key {word} is now {second_reply.status_code}")

    def _acknowledged(self, request: dict[str, Any], do: str, word: str, outcome: Outcome) -> None:
        if do == "answer" and "validator" in request:
            self._ledger.submits(request["id"], request["revision"], word)
        else:
            self._ledger.settles(request["id"], outcome)


def _concerns(request: dict[str, Any]) -> bool:
    """Return whether a person answers a request: only those of agents, and half of those that expire in a second."""
    brief = (
        request.get("form", {}).get("title", "").startswith(QUESTION_WITH_DEADLINE)
        and request["id"][-1] < "g"
    )
    return request["thread_id"].startswith("kill-") and not brief
