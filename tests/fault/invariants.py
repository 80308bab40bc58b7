"""Check all promises from outside: after each restart the new ones, at the end all."""

from __future__ import annotations

import contextlib
import itertools
import json
import time
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Any

import anyio
import httpx2

from tests.fault.agents import THREADS
from tests.fault.ledger import Ledger, Outcome
from tests.fault.processes import RESPONDER

END_EVENTS = {"request.answered", "request.declined", "request.cancelled", "request.expired"}
AFTER_THE_END = {"request.used", "request.revoked"}
ANSWERS_WITHIN_S = 120
LATE_S = 20.0


class Inspector:
    """Reads at each server in turn, and remembers everything read."""

    def __init__(self, urls: Sequence[str], ledger: Ledger) -> None:
        self._http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {RESPONDER}"}, timeout=10)
        self._urls = itertools.cycle(urls)
        self._ledger = ledger
        self._logs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """By thread the type and the request of each event, in their order."""
        self._ended: dict[str, dict[str, Any]] = {}
        """How requests ended, by their events."""
        self._deadlines: dict[str, str] = {}
        """As they were when the requests began."""
        self._checked = 0

    async def look(self) -> None:
        """Read new events in every thread, and check the promises since the last look."""
        for number in range(THREADS):
            await self._read(f"kill-{number}")
        promises = list(self._ledger.settled.items())[self._checked :]
        self._checked += len(promises)
        for request_id, promise in promises:
            await self._check_promise(request_id, promise)

    async def conclude(self) -> None:
        """Check everything, once all agents have finished."""
        await self.look()
        for number in range(THREADS):
            await self._check_log(f"kill-{number}")
        stored = await self._check_requests()
        self._check_agents(stored)
        self._check_resumes(stored)
        await self._check_deadlines()
        await self._http.aclose()

    # --- events ------------------------------------------------------------------------------

    async def _read(self, thread_id: str) -> None:
        log = self._logs[thread_id]
        for event in await self._events(thread_id, after=len(log)):
            if event["seq"] != len(log) + 1:
                self._ledger.broken("I4", f"{thread_id}: {event['seq']} comes after {len(log)}")
                return
            request = event["request"]
            log.append((event["type"], request["id"]))
            if request["id"] in self._ended and event["type"] not in AFTER_THE_END:
                self._ledger.broken("I5", f"{request['id']}: {event['type']} after its end")
            if event["type"] in END_EVENTS:
                self._ended[request["id"]] = request
            deadline = self._deadlines.setdefault(request["id"], request.get("expires_at", ""))
            if event["type"] == "request.expired" and event["at"] < deadline:
                self._ledger.broken("I6", f"{request['id']} expired at {event['at']}, not at {deadline}")

    async def _events(self, thread_id: str, *, after: int) -> list[dict[str, Any]]:
        """Read a stream up to the last event; if it ends before, read it again at the next server."""
        last_seq = (await self._get(f"/v1/threads/{thread_id}"))["seq"]
        findings: list[dict[str, Any]] = []
        with anyio.fail_after(ANSWERS_WITHIN_S):
            while last_seq > (findings[-1]["seq"] if findings else after):
                with contextlib.suppress(httpx2.HTTPError):
                    findings = [event async for event in self._stream(thread_id, after=after, last=last_seq)]
        return findings

    async def _stream(self, thread_id: str, *, after: int, last: int) -> AsyncGenerator[dict[str, Any]]:
        url = f"{next(self._urls)}/v1/threads/{thread_id}/events"
        async with self._http.stream("GET", url, params={"cursor": after}) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    yield event
                    if event["seq"] >= last:
                        return

    async def _check_log(self, thread_id: str) -> None:
        """Events read before must be unchanged, and every request must begin once."""
        log = self._logs[thread_id]
        events = [(event["type"], event["request"]["id"]) for event in await self._events(thread_id, after=0)]
        if events[: len(log)] != log:
            self._ledger.broken("I4", f"{thread_id}: events are not what they were")
        started_counter = Counter(request_id for kind, request_id in log if kind == "request.created")
        for request_id in {request_id for _, request_id in log}:
            if started_counter[request_id] != 1:
                self._ledger.broken("I4", f"{request_id} begins {started_counter[request_id]} times")

    # --- requests ----------------------------------------------------------------------------

    async def _check_promise(self, request_id: str, outcome: Outcome) -> None:
        stored_outcome = outcome_of(await self._get(f"/v1/requests/{request_id}"))
        if stored_outcome != outcome:
            self._ledger.broken("I2", f"{request_id}: {outcome} was acknowledged, {stored_outcome} is stored")

    async def _check_requests(self) -> dict[str, dict[str, Any]]:
        """Every request that an agent knows must exist, and agree with its events and its people."""
        requests_by_id = {request["id"]: request async for request in self._all_requests()}
        stored = {
            note["request"]: requests_by_id.get(note["request"], {}) for note in self._ledger.notes("created")
        }
        for request_id, request in stored.items():
            if not request:
                self._ledger.broken("I1", f"{request_id} was acknowledged and is gone")
            elif (last := self._ended.get(request_id)) is None or outcome_of(last) != outcome_of(request):
                self._ledger.broken(
                    "I4", f"{request_id} is {outcome_of(request)}, by its events {last and outcome_of(last)}"
                )
            elif request["status"] == "answered":
                sent = self._ledger.submitted.get((request_id, request["revision"]))
                if sent not in (None, outcome_of(request).value):
                    self._ledger.broken(
                        "I2", f"{request_id}: {sent} was acknowledged, not {outcome_of(request)}"
                    )
        return stored

    def _check_agents(self, stored: dict[str, dict[str, Any]]) -> None:
        by_key: dict[str, str] = {}
        for note in self._ledger.notes("created"):
            if by_key.setdefault(note["key"], note["request"]) != note["request"]:
                self._ledger.broken(
                    "I8", f"{note['key']} is both {by_key[note['key']]} and {note['request']}"
                )
        for note in itertools.chain(self._ledger.notes("ended"), self._ledger.notes("leased")):
            request_id = note["request"]
            if Outcome(note["status"], note["value"]) != outcome_of(stored.get(request_id, {})):
                self._ledger.broken("I5", f"an agent was told that {request_id} is {note['status']}")
        used: dict[str, str] = {}
        for note in self._ledger.notes("ran"):
            if used.setdefault(note["request"], note["by"]) != note["by"]:
                self._ledger.broken(
                    "I15", f"{note['request']} ran for {used[note['request']]} and {note['by']}"
                )
            if outcome_of(stored[note["request"]]) != Outcome("answered", "approve"):
                self._ledger.broken("I2", f"{note['request']} ran and was not approved")
        for note in self._ledger.notes("fault"):
            self._ledger.broken("I5", f"{note['key']} ended in {note['error']}")

    def _check_resumes(self, stored: dict[str, dict[str, Any]]) -> None:
        """A request has one resume; an attempt belongs to one worker, and begins after the previous one has ended."""
        for request_id in stored.keys() - self._ledger.effects():
            self._ledger.broken("I9", f"nobody went on with {request_id}")
        resume_request_ids: dict[str, str] = {}
        leases: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for note in self._ledger.notes("leased"):
            if resume_request_ids.setdefault(note["request"], note["resume"]) != note["resume"]:
                self._ledger.broken("I9", f"{note['request']} has two resumes")
            leases[note["resume"]].append(note)
        for resume_id, level in leases.items():
            level.sort(key=lambda note: (note["attempt"], note["since"]))
            for one, other in itertools.pairwise(level):
                if other["attempt"] == one["attempt"] or other["since"] < one["until"]:
                    self._ledger.broken("I9", f"{resume_id} was held by two at once: {one}, {other}")
        for note in self._ledger.notes("acked"):
            later = (lease for lease in leases[note["resume"]] if lease["attempt"] > note["attempt"])
            if any(lease["since"] > note["at"] for lease in later):
                self._ledger.broken("I9", f"{note['resume']} came again after it was acknowledged")

    async def _check_deadlines(self) -> None:
        result = await self._get("/v1/requests", status="pending,resolving", limit=200)
        now = time.time()
        for request in result["requests"]:
            deadline = request.get("expires_at")
            if deadline is not None and datetime.fromisoformat(deadline).timestamp() < now - LATE_S:
                self._ledger.broken("I6", f"{request['id']} is open, and was to expire at {deadline}")

    # --- reading -----------------------------------------------------------------------------

    async def _get(self, path: str, **params: Any) -> dict[str, Any]:
        """Read, again if the server's database is just starting."""
        with anyio.fail_after(ANSWERS_WITHIN_S):
            while True:
                try:
                    reply = await self._http.get(f"{next(self._urls)}{path}", params=params)
                except httpx2.HTTPError:
                    await anyio.sleep(0.05)
                    continue
                if reply.status_code in (200, 404):
                    return reply.json()
                await anyio.sleep(0.05)

    async def _all_requests(self) -> AsyncGenerator[dict[str, Any]]:
        cursor: dict[str, str] = {}
        while True:
            page = await self._get("/v1/requests", limit=200, **cursor)
            for request in page["requests"]:
                yield request
            if page["next_cursor"] is None:
                return
            cursor = {"cursor": page["next_cursor"]}


def outcome_of(request: dict[str, Any]) -> Outcome:
    answer = request.get("answer")
    if answer is None:
        return Outcome(request.get("status", "gone"), request.get("reason"))
    return Outcome(request["status"], answer.get("decision") or answer.get("values", {}).get("n"))
