"""The inbox in the terminal: what is pending, one form after the other, and whoever else answers meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from askback.cli.terminal import Terminal
from askback.cli.walk import Leave, Left, Walk
from askback.client import AsyncClient
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.errors import Conflict, Invalid
from askback.messages import negotiate, render

POLL_S = 15.0
"""How often to look for new requests although none was announced."""

REASON = {Leave.SKIP: "skipped", Leave.DISMISS: "dismissed"}


class Inbox:
    """What one person has to answer, over all threads or in one."""

    def __init__(self, client: AsyncClient, terminal: Terminal, *, thread: str | None = None) -> None:
        self.client = client
        self.terminal = terminal
        self.thread = thread
        self._later: set[str] = set()

    async def one(self, request_id: str) -> None:
        """Answer one request; say how it ended if it has."""
        request = await self.client.get(request_id)
        if request.settled:
            self.terminal.say(_ended(request), "yellow")
        else:
            await self._answer(request)

    async def pass_once(self) -> None:
        """Go through everything that is pending now."""
        if not await self._round():
            self.terminal.say("Nothing is pending.")

    async def stay(self) -> None:
        """Answer what is pending and wait for more, until the person leaves."""
        arrived = asyncio.Event()
        watching = asyncio.create_task(self._watch(arrived))
        try:
            await self.client.list(limit=1)  # once this is back, the events are subscribed to
            await self._round()
            while True:
                self.terminal.say("Nothing is pending. Waiting for a question; Ctrl-C leaves.", "dim")
                while not await self._round():
                    await _first(arrived, watching)
                    arrived.clear()
        finally:
            await _end(watching)

    async def pending(self) -> Sequence[InputRequest]:
        """Return what can be answered, oldest first, without what was put off."""
        found: list[InputRequest] = []
        cursor = None
        while True:
            page = await self.client.list(status="pending", thread_id=self.thread, limit=200, cursor=cursor)
            found += page.requests
            cursor = page.next_cursor
            if cursor is None:
                return [request for request in reversed(found) if request.id not in self._later]

    async def _round(self) -> bool:
        """Offer what is pending until nothing is left; return whether there was anything."""
        any_pending = False
        while waiting := await self.pending():
            any_pending = True
            await self._answer(await self._pick(waiting))
        return any_pending

    async def _pick(self, waiting: Sequence[InputRequest]) -> InputRequest:
        if len(waiting) == 1:
            return waiting[0]
        self.terminal.say()
        self.terminal.say(f"{len(waiting)} requests are pending", "bold")
        for n, request in enumerate(waiting, 1):
            self.terminal.say(f"  {n}  {_title(request)}  ({_asker(request)})")
        while True:
            line = (await self.terminal.line("Which one? [1] ")).strip() or "1"
            if line.isascii() and line.isdecimal() and 1 <= int(line) <= len(waiting):
                return waiting[int(line) - 1]
            self.terminal.say(f"Type a number from 1 to {len(waiting)}.", "red")

    async def _answer(self, request: InputRequest) -> None:
        """Walk through one form while watching whether somebody else settles it."""
        settled = asyncio.create_task(self.client.wait(request.id))
        walking = asyncio.create_task(self._walk(request))
        try:
            await asyncio.wait({settled, walking}, return_when=asyncio.FIRST_COMPLETED)
            if walking.done():
                walking.result()
                return
            await _end(walking)
            self.terminal.say()
            self.terminal.say(_ended(settled.result()), "yellow")
            await self.terminal.settle()
        finally:
            await _end(settled)
            await _end(walking)

    async def _walk(self, request: InputRequest) -> None:
        self._head(request)
        if request.form is None:
            self.terminal.say(f"This version cannot show a request of kind {request.kind}.", "yellow")
            self._later.add(request.id)
            return
        locale = negotiate(request.form.locale or _language())
        walk = Walk(self.terminal, request.form, locale)
        try:
            await self._send(request, walk)
        except Left as left:
            await self._leave(request, left.how)

    async def _send(self, request: InputRequest, walk: Walk) -> None:
        values = await walk.fill()
        while True:
            faults = [(fault.path, render(fault, walk.locale)) for fault in walk.check()]
            if not faults:
                try:
                    done = await self.client.answer(request.id, values, revision=request.revision)
                except Invalid as refused:
                    faults = [(str(e["path"]), str(e["message"])) for e in refused.field_errors]
                except Conflict as late:
                    self.terminal.say(_late(late), "yellow")
                    return
                else:
                    self.terminal.say(f"Sent. {_title(done)}: answered.", "green")
                    return
            values = await walk.mend(faults)

    async def _leave(self, request: InputRequest, how: Leave) -> None:
        if how is Leave.LATER:
            self._later.add(request.id)
            self.terminal.say("Left open.", "dim")
            return
        try:
            await self.client.decline(request.id, reason=REASON[how])
        except Conflict as late:
            self.terminal.say(_late(late), "yellow")
        else:
            self.terminal.say("Skipped." if how is Leave.SKIP else "Dismissed.", "green")

    def _head(self, request: InputRequest) -> None:
        self.terminal.say()
        self.terminal.say(f"── {_asker(request)}", "cyan")
        if request.form is None:
            return
        if request.form.title:
            self.terminal.say(request.form.title, "bold underline")
        if request.form.description:
            self.terminal.say(request.form.description)
        self.terminal.say("(:help lists commands; :skip, :dismiss, :later and :back leave)", "dim")

    async def _watch(self, arrived: asyncio.Event) -> None:
        async for event in self.client.events():
            if event["type"] == "request.created":
                arrived.set()


async def _first(arrived: asyncio.Event, watching: asyncio.Task[None]) -> None:
    """Return when something arrived, or after a while to look by oneself; raise what ended the watching."""
    waiting = asyncio.create_task(arrived.wait())
    try:
        await asyncio.wait({waiting, watching}, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
        if watching.done():
            watching.result()
    finally:
        waiting.cancel()


async def _end(task: asyncio.Task[Any]) -> None:
    """Cancel a task that is not needed any more and wait until it is gone."""
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


def _language() -> str:
    """Return the language of this terminal, as in `de-AT`."""
    return os.environ.get("LANG", "en").partition(".")[0].replace("_", "-")


def _title(request: InputRequest) -> str:
    form = request.form
    if form is None:
        return request.kind
    return form.title or form.all_fields[0].label


def _asker(request: InputRequest) -> str:
    """Say who asks: the name of the token, which the agent cannot choose, stands first."""
    token = request.requester.name if request.requester else "somebody"
    claimed = f", says it is {request.agent.name}" if request.agent else ""
    return f"asked by {token}{claimed}, in {request.thread_id}"


def _ended(request: InputRequest) -> str:
    by = f" by {request.settled_by.name}" if request.settled_by else ""
    why = f" ({request.reason})" if request.reason else ""
    return f"{_title(request)}: {request.status.value}{by}{why} meanwhile."


def _late(late: Conflict) -> str:
    if late.request is None:
        return late.message
    request = InputRequest.model_validate(late.request)
    return _ended(request) if request.status is not Status.PENDING else late.message
