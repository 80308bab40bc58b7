"""One request answered in the terminal, while watching whether somebody else is quicker."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import Any

from askback.cli.prompt import Leave, Left
from askback.cli.terminal import Terminal
from askback.cli.walk import Walk
from askback.cli.wording import asker, ended, title
from askback.client import AsyncClient
from askback.domain.request import InputRequest
from askback.errors import Conflict, Invalid
from askback.messages import negotiate, render

REASON = {Leave.SKIP: "skipped", Leave.DISMISS: "dismissed"}


async def answer(client: AsyncClient, terminal: Terminal, request: InputRequest) -> bool:
    """Let the person deal with one request; return False when it was put off."""
    return await _Answering(client, terminal, request).run()


async def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task that is not needed any more, and wait until it is gone."""
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


class _Answering:
    """One person at one request; `sending` while the server is told, which nothing interrupts."""

    def __init__(self, client: AsyncClient, terminal: Terminal, request: InputRequest) -> None:
        self._client = client
        self._terminal = terminal
        self._request = request
        self._sending = False

    async def run(self) -> bool:
        self._terminal.forget()
        settled = asyncio.create_task(self._client.wait(self._request.id))
        walking = asyncio.create_task(self._walk())
        try:
            await asyncio.wait({settled, walking}, return_when=asyncio.FIRST_COMPLETED)
            if walking.done() or self._sending:
                return await walking
            await stop(walking)
            self._terminal.say()
            self._terminal.say(ended(settled.result()), "yellow")
            await self._terminal.settle()
            return True
        finally:
            await stop(settled)
            await stop(walking)

    async def _walk(self) -> bool:
        request = self._request
        _head(self._terminal, request)
        if request.form is None:
            self._terminal.say(f"This version cannot show a request of kind {request.kind}.", "yellow")
            return False
        walk = Walk(self._terminal, request.form, negotiate(request.form.locale or _language()))
        try:
            await self._send(walk)
        except Left as left:
            return await self._leave(left.how)
        except Conflict as late:
            self._late(late)
        return True

    async def _send(self, walk: Walk) -> None:
        """Send until the server agrees; it has the last word on every rule."""
        values = await walk.fill()
        while faults := await self._refused(walk, values):
            values = await walk.mend(faults)
        self._terminal.say(f"{title(self._request)}: answered.", "green")

    async def _refused(self, walk: Walk, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Send, and return what was refused, as (path, sentence)."""
        if faults := walk.check():
            return [(fault.path, render(fault, walk.locale)) for fault in faults]
        self._sending = True
        try:
            await self._client.answer(self._request.id, values, revision=self._request.revision)
        except Invalid as refused:
            self._sending = False
            return [(str(fault["path"]), str(fault["message"])) for fault in refused.field_errors]
        return []

    async def _leave(self, how: Leave) -> bool:
        if how is Leave.LATER:
            self._terminal.say("Left open.", "dim")
            return False
        self._sending = True
        try:
            await self._client.decline(self._request.id, reason=REASON[how])
        except Conflict as late:
            self._late(late)
        else:
            self._terminal.say(f"{title(self._request)}: {REASON[how]}.", "green")
        return True

    def _late(self, late: Conflict) -> None:
        now = InputRequest.model_validate(late.request) if late.request else None
        self._terminal.say(ended(now) if now is not None and now.settled else late.message, "yellow")


def _head(terminal: Terminal, request: InputRequest) -> None:
    terminal.say()
    terminal.say(f"── {asker(request)}", "cyan")
    if request.form is None:
        return
    if request.form.title:
        terminal.say(request.form.title, "bold underline")
    if request.form.description:
        terminal.say(request.form.description)
    terminal.say("(:help lists what else can be typed; :later leaves it open)", "dim")


def _language() -> str:
    """Return the language of this terminal, as in `de-AT`."""
    return os.environ.get("LANG", "en").partition(".")[0].replace("_", "-")
