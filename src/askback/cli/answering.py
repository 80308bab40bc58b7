"""One request answered in the terminal, while watching whether somebody else is quicker."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from askback.cli import card
from askback.cli.deciding import Deciding
from askback.cli.handing import Handing
from askback.cli.language import language
from askback.cli.prompt import Leave, Left
from askback.cli.terminal import Terminal
from askback.cli.walk import Walk
from askback.cli.wording import asker, decided, ended, handed_over, title
from askback.client import AsyncClient
from askback.domain.approval import ShownApproval
from askback.domain.fields import Form
from askback.domain.request import InputRequest
from askback.domain.secrets.asked import ShownSecret
from askback.errors import Conflict, Forbidden, Invalid
from askback.messages import negotiate, render

REASON = {Leave.SKIP: "skipped", Leave.DISMISS: "dismissed"}


async def answer(client: AsyncClient, terminal: Terminal, request: InputRequest, *, place: str = "") -> bool:
    """Let the person deal with one request; return False when it was put off.

    `place` says which of how many it is. Raises `Left` when the person wants no to all that is pending.
    """
    return await _Answering(client, terminal, request, place).run()


async def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task that is not needed any more, and wait until it is gone."""
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


class _Answering:
    """One person at one request; `sending` while the server is told, which nothing interrupts."""

    def __init__(self, client: AsyncClient, terminal: Terminal, request: InputRequest, place: str) -> None:
        self._client = client
        self._terminal = terminal
        self._request = request
        self._place = place
        self._sending = False

    async def run(self) -> bool:
        self._terminal.forget()
        settled = asyncio.create_task(self._client.wait(self._request.id))
        dealing = asyncio.create_task(self._deal())
        try:
            await asyncio.wait({settled, dealing}, return_when=asyncio.FIRST_COMPLETED)
            if dealing.done() or self._sending:
                return await dealing
            await stop(dealing)
            self._terminal.say()
            self._terminal.say(ended(settled.result()), "yellow")
            await self._terminal.settle()
            return True
        finally:
            await stop(settled)
            await stop(dealing)

    async def _deal(self) -> bool:
        self._head()
        try:
            if self._request.approval is not None:
                return await self._decide(self._request.approval)
            if self._request.secret is not None:
                return await self._hand_over(self._request.secret)
            if self._request.form is not None:
                return await self._fill(self._request.form)
        except Left as left:
            return await self._leave(left)
        except Conflict as late:
            return self._late(late)
        except Forbidden as refused:
            self._terminal.say(refused.message, "yellow")
            return False
        self._terminal.say(f"This version cannot show a request of kind {self._request.kind}.", "yellow")
        return False

    # --- a form ------------------------------------------------------------------------------

    async def _fill(self, form: Form) -> bool:
        """Send until the server agrees; it has the last word on every rule."""
        if form.title:
            self._terminal.say(form.title, "bold underline")
        if form.description:
            self._terminal.say(form.description)
        self._terminal.say("(:help lists what else can be typed; :later leaves it open)", "dim")
        walk = Walk(self._terminal, form, negotiate(form.locale or language()))
        values = await walk.fill()
        while faults := await self._refused(walk, values):
            values = await walk.mend(faults)
        self._terminal.say(f"{title(self._request)}: answered.", "green")
        return True

    async def _refused(self, walk: Walk, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Send, and return what was refused, as (path, sentence)."""
        if faults := walk.check():
            return [(fault.path, render(fault, walk.locale)) for fault in faults]
        try:
            await self._send(self._client.answer(self._request, values, revision=self._request.revision))
        except Invalid as refused:
            return _faults(refused)
        return []

    # --- secrets -----------------------------------------------------------------------------

    async def _hand_over(self, shown: ShownSecret) -> bool:
        """Send until the server agrees; a value that it refuses is typed again."""
        saved = await self._client.saved(self._request)
        shown = shown.model_copy(update={"present": saved})
        handing = Handing(self._terminal, self._request, shown)
        handed = await handing.ask()
        while True:
            try:
                now = await self._send(
                    self._client.submit(
                        self._request, handed.values, use_existing=handed.existing, scope=handed.scope
                    )
                )
            except Invalid as refused:
                handed = await handing.mend(_faults(refused))
                continue
            self._terminal.say(handed_over(now), "green")
            return True

    # --- a tool call -------------------------------------------------------------------------

    async def _decide(self, approval: ShownApproval) -> bool:
        card.show(self._terminal, approval)
        deciding = Deciding(self._terminal, approval)
        while True:
            said = await deciding.decide()
            try:
                now = await self._send(
                    self._client.decide(
                        self._request.id,
                        said.decision,
                        scope=said.scope,
                        note=said.note,
                        edited_input=said.edited_input,
                        rule=said.rule,
                        script_may_change=said.scope not in {"once", "thread"} or None,
                        mode=said.mode,
                        revision=self._request.revision,
                        digest=approval.digest or None,
                    )
                )
            except Invalid as refused:
                for fault in refused.field_errors:
                    self._terminal.say(str(fault["message"]), "red")
                continue
            self._terminal.say(decided(now), "green")
            return now.settled

    # --- both --------------------------------------------------------------------------------

    async def _send(self, call: Coroutine[Any, Any, InputRequest]) -> InputRequest:
        """Tell the server; when it refuses what was sent, the person goes on."""
        self._sending = True
        try:
            return await call
        except Invalid:
            self._sending = False
            raise

    async def _leave(self, left: Left) -> bool:
        if left.how is Leave.ALL:
            raise left
        if left.how is Leave.LATER:
            self._terminal.say("Left open.", "dim")
            return False
        reason = REASON[left.how]
        try:
            await self._send(self._client.decline(self._request.id, reason=reason))
        except Conflict as late:
            return self._late(late)
        self._terminal.say(f"{title(self._request)}: {reason}.", "green")
        return True

    def _late(self, late: Conflict) -> bool:
        """Say what came first; return whether to offer what is left of it again."""
        now = InputRequest.model_validate(late.request) if late.request else None
        self._terminal.say(ended(now) if now is not None and now.settled else late.message, "yellow")
        return late.code != "already_voted"

    def _head(self) -> None:
        self._terminal.say()
        self._terminal.say(f"── {self._place}{asker(self._request)}", "cyan")


def _faults(refused: Invalid) -> list[tuple[str, str]]:
    return [(str(fault["path"]), str(fault["message"])) for fault in refused.field_errors]
