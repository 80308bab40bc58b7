"""Check a submission before it is accepted: the agent accepts it, or asks again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

from askback.client.connection import Connection
from askback.client.link import GRACE_S
from askback.client.operations import frame, idempotency_key, known, said
from askback.client.states import states
from askback.domain.faults import join
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.errors import AskbackError, Conflict, NotFound

Judge = Callable[[InputRequest], Awaitable[InputRequest]]
"""Takes a request that is resolving, deals with what was sent, and returns the request as it is then."""


class Resolving(Connection):
    """The part of the client that looks at submissions."""

    async def accept(self, request: InputRequest | str) -> InputRequest:
        """Say that what was sent holds; raises `Conflict` when nothing is being looked at."""
        return await self._resolve("accept", request, {})

    async def reprompt(
        self,
        request: InputRequest | str,
        *,
        field_errors: Mapping[str, str] | None = None,
        error_summary: str | None = None,
        form: Form | Mapping[str, Any] | None = None,
    ) -> InputRequest:
        """Ask again, with what is wrong by field or by name, in one sentence, or with another form.

        Raises `Conflict` when nothing is being looked at, and `Invalid`.
        """
        if isinstance(request, str):
            request = InputRequest.model_validate(await self._call(frame("get", request_id=request)))
        place = "secrets" if request.kind == "secret" else "values"
        wrong = [{"path": join(place, name), "message": text} for name, text in (field_errors or {}).items()]
        body = known(field_errors=wrong or None, error_summary=error_summary)
        if form is not None:
            body["form"] = said(form) if isinstance(form, Form) else form
        return await self._resolve("reprompt", request, body)

    async def check(self, request: InputRequest | str) -> InputRequest:
        """Begin to check what was sent, or renew that; `request.check.until` says until when it is ours.

        Raises `Conflict` when nothing is there to be checked, or when it was renewed ten times.
        """
        request_id = request if isinstance(request, str) else request.id
        return InputRequest.model_validate(await self._call(frame("check", request_id=request_id, body={})))

    @asynccontextmanager
    async def _leased(self, request: InputRequest) -> AsyncGenerator[InputRequest]:
        """Hold the check of an answer for as long as the block, and no longer than the server lets us."""
        if request.check is None or request.check.state == "waiting":
            request = await self.check(request)
        renewing = asyncio.create_task(self._renew(request))
        try:
            yield request
        finally:
            renewing.cancel()
            await asyncio.wait({renewing})

    async def _renew(self, request: InputRequest) -> None:
        """Renew a check at half of its time, until the server ends that or the check has ended."""
        while (check := request.check) is not None:
            await asyncio.sleep(max(0.0, (check.until - check.since).total_seconds() / 2))
            try:
                request = await self.check(request)
            except AskbackError:
                return  # the verdict says what became of it

    async def _resolve(self, op: str, request: InputRequest | str, body: Mapping[str, Any]) -> InputRequest:
        request_id = request if isinstance(request, str) else request.id
        # The key makes a verdict that is sent again fall on no answer that came since.
        op = frame(op, request_id=request_id, key=idempotency_key(None), body=body)
        return InputRequest.model_validate(await self._call(op))

    async def _looked_at(
        self, op: str, judge: Callable[[InputRequest], Judge], *, withdraw: bool
    ) -> InputRequest:
        """Ask, look at what is sent until it holds, and return the request as it ended.

        `judge` is made from the request as it was found, which a former agent may have asked.
        """
        request = await self._made(op, withdraw=withdraw)
        try:
            look = judge(request)
            async with aclosing(states(self._link, request)) as passing:
                async for now in passing:
                    if now.status is Status.RESOLVING:
                        now = await self._unless_ended(now, look)
                    if now.settled:
                        return now
        except BaseException:
            if withdraw:
                await self._take_back(request.id)
            raise
        raise AssertionError("a request that is followed comes to an end")

    async def _unless_ended(self, request: InputRequest, look: Judge) -> InputRequest:
        """Look at one submission; when somebody ends the request meanwhile, return it as it is then."""
        try:
            async with self._leased(request) as leased:
                return await look(leased)
        except (Conflict, NotFound):
            now = InputRequest.model_validate(await self._call(frame("get", request_id=request.id)))
            if (now.status, now.revision) == (request.status, request.revision):
                raise
            return now

    async def _made(self, op: str, *, withdraw: bool) -> InputRequest:
        """Create a request; who is cancelled before it is known leaves none behind."""
        try:
            return InputRequest.model_validate(await self._call(op))
        except asyncio.CancelledError:
            if withdraw:
                self._link.background(self._unmade(op))
            raise

    async def _unmade(self, op: str) -> None:
        # The same key finds the request if it was made, or makes it now: then it can be taken back.
        try:
            made = await self._link.call(op, retry_for=GRACE_S)
        except AskbackError:
            return
        await self._link.withdraw(made["id"])
