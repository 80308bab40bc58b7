"""Answer pending requests in the terminal, and wait for new ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from askback.cli.answering import answer, stop
from askback.cli.audience import Reader
from askback.cli.field_prompt import ExitWord, PromptExit
from askback.cli.terminal import EndOfInput, Terminal
from askback.cli.wording import ended_text, requester_text, title
from askback.client import AsyncClient
from askback.domain.events import (
    REQUEST_ASSIGNED,
    REQUEST_CREATED,
    REQUEST_ESCALATED,
    REQUEST_REPROMPTED,
    REQUEST_UPDATED,
)
from askback.domain.limits import DEFAULTS
from askback.domain.request import InputRequest

POLL_S = 15.0
"""Seconds between reads when no event arrives."""
_ASKING_EVENTS = frozenset(
    {REQUEST_CREATED, REQUEST_ESCALATED, REQUEST_ASSIGNED, REQUEST_REPROMPTED, REQUEST_UPDATED}
)


class PendingRequests:
    """The requests that one person may answer, in all threads or in one."""

    def __init__(
        self, client: AsyncClient, terminal: Terminal, *, reader: Reader, thread: str | None = None
    ) -> None:
        self._client = client
        self._terminal = terminal
        self._reader = reader
        self._thread = thread
        self._postponed_ids: set[str] = set()
        self._ids_of_others: set[str] = set()

    async def answer_one(self, request_id: str) -> None:
        """Answer one request; say how it ended if it has."""
        request = await self._client.requests.get(request_id)
        if request.settled:
            self._terminal.say(ended_text(request), "yellow")
            return
        if not self._is_mine(request):
            return
        try:
            await answer(self._client, self._terminal, request)
        except PromptExit:
            await self._decline([request])

    async def answer_pending(self) -> None:
        """Answer the requests that are pending now."""
        if not await self._answer_all():
            self._terminal.say("Nothing is pending.")

    async def answer_until_left(self) -> None:
        """Answer pending requests and wait for more, until the person leaves."""
        received_event = asyncio.Event()
        watch_task = asyncio.create_task(self._watch(received_event))
        try:
            await self._client.requests.list(limit=1)  # once this is back, the events are subscribed to
            await self._answer_all()
            while True:
                self._terminal.say("Nothing is pending. Waiting for a question; Ctrl-C leaves.", "dim")
                while not await self._answer_all():
                    await self._wait_for_arrival(received_event, watch_task)
                    received_event.clear()
        finally:
            await stop(watch_task)

    async def _answer_all(self) -> bool:
        """Offer pending requests until there are none; return whether there were any."""
        any_pending = False
        while waiting_requests := await self._answerable():
            any_pending = True
            try:
                request = await self._choose(waiting_requests)
                progress_text = (
                    f"{waiting_requests.index(request) + 1} of {len(waiting_requests)}, "
                    if len(waiting_requests) > 1
                    else ""
                )
                if not await answer(self._client, self._terminal, request, note=progress_text):
                    self._postponed_ids.add(request.id)
            except PromptExit:
                await self._decline(waiting_requests)
        return any_pending

    async def _decline(self, requests: Sequence[InputRequest]) -> None:
        """Decline the listed requests, not newer ones."""
        declined_count = 0
        for first in range(0, len(requests), DEFAULTS.batch):
            results = await self._client.requests.batch("decline", requests[first : first + DEFAULTS.batch])
            declined_count += sum(result.error is None for result in results)
        self._terminal.say(f"Declined {declined_count} of {len(requests)}.", "green")
        self._postponed_ids |= {request.id for request in requests}

    async def _answerable(self) -> Sequence[InputRequest]:
        """Return the requests that can be answered, oldest first, without postponed ones."""
        requests: list[InputRequest] = []
        cursor = None
        while True:
            page = await self._client.requests.list(
                status="pending", thread_id=self._thread, limit=200, cursor=cursor
            )
            requests += page.items
            cursor = page.next_cursor
            if cursor is None:
                return [
                    request
                    for request in reversed(requests)
                    if request.id not in self._postponed_ids and self._is_mine(request)
                ]

    def _is_mine(self, request: InputRequest) -> bool:
        """Return whether this person may answer, which can change; if not, print once who may."""
        problem = self._reader.why_not_allowed(request)
        if problem is None:
            self._ids_of_others.discard(request.id)
        elif request.id not in self._ids_of_others:
            self._ids_of_others.add(request.id)
            self._terminal.say(f"{title(request)} · {problem}", "dim")
        return problem is None

    async def _choose(self, requests: Sequence[InputRequest]) -> InputRequest:
        if len(requests) == 1:
            return requests[0]
        self._terminal.say()
        self._terminal.say(f"{len(requests)} requests are pending", "bold")
        for n, request in enumerate(requests, 1):
            self._terminal.say(f"  {n}  {title(request)}  ({requester_text(request)})")
        while True:
            line = (await self._terminal.line("Which one? [1] ")).strip() or "1"
            if line == ExitWord.ALL.value:
                raise PromptExit(ExitWord.ALL)
            if line.isascii() and line.isdecimal() and 1 <= int(line) <= len(requests):
                return requests[int(line) - 1]
            self._terminal.say(
                f"Type a number from 1 to {len(requests)}, or {ExitWord.ALL.value} to decline them all.",
                "red",
            )

    async def _watch(self, received_event: asyncio.Event) -> None:
        async for event in self._client.events():
            if event["type"] in _ASKING_EVENTS:
                received_event.set()

    async def _wait_for_arrival(self, received_event: asyncio.Event, watch_task: asyncio.Task[None]) -> None:
        """Return when a request arrived or it is time to read again; raises `EndOfInput`."""
        arrival = asyncio.create_task(received_event.wait())
        end_task = asyncio.create_task(self._terminal.wait_for_end())
        try:
            tasks = {arrival, end_task, watch_task}
            await asyncio.wait(tasks, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
            if watch_task.done():
                watch_task.result()
            if end_task.done():
                raise EndOfInput
        finally:
            await stop(arrival)
            await stop(end_task)
