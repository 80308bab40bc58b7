"""Ask for approval of a tool call or a plan, and use the approval."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from askback.client import operations
from askback.client.channel_app import AppFailed
from askback.client.connection import Connection
from askback.client.context import Place, written
from askback.client.hooks import Hook, objection
from askback.client.link import Link
from askback.client.operations import frame, known
from askback.client.records import Execution
from askback.client.road import Road
from askback.domain.approval import PLAN_TOOL, Risk, Scope
from askback.domain.decision import Decision, decided, objected, unavailable
from askback.domain.request import InputRequest
from askback.errors import AskbackError, ConnectionLost, Denied, NotFound, Refused, Unavailable

TIMEOUT_S = 300.0
LATE_S = 1.0
"""How much later than its deadline the server may say that a request has expired."""


class Approvals(Connection):
    """The part of the client that asks for permission."""

    def __init__(
        self,
        link: Link,
        road: Road,
        *,
        retry_for: float,
        texts: Mapping[str, str],
        hooks: Sequence[Hook],
    ) -> None:
        super().__init__(link, road, retry_for=retry_for, texts=texts)
        self._hooks = tuple(hooks)

    async def approve(
        self,
        tool: str,
        input: Mapping[str, Any],  # noqa: A002 - the wire's name
        *,
        thread_id: str,
        title: str | None = None,
        reason: str | None = None,
        risk: Risk | None = None,
        scopes: Sequence[Scope] | None = None,
        project: str | None = None,
        cwd: str | None = None,
        secret_free: Sequence[str] | None = None,
        allow_edit: bool = False,
        before: str | None = None,
        quorum: int = 1,
        valid_s: float | None = None,
        timeout_s: float | None = TIMEOUT_S,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        hooks: Sequence[Hook] = (),
        **place: Unpack[Place],
    ) -> Decision:
        """Ask whether a tool may run with this input; the decision is true only when it may.

        Run `decision.input`, not what was asked: the person may have changed it (`allow_edit`). Every way to end
        without a yes is a false decision and never an exception, also when the server or its store is gone.
        What the caller did wrong raises: `Invalid`, `Forbidden`, `Unauthorized`.

        `scopes` are the choices to offer, `before` is the file as it is now, for a diff. An approval is good for
        `valid_s` seconds. `hooks`, after those of the client, may refuse the call before anybody is asked, and
        again what was approved: their no wins. `timeout_s` None waits for ever.

        `cwd` is the folder in which the call runs, if its input names none. `secret_free` are folders in which
        the caller, not the model, found no secret file: the policy may let them be searched.
        """
        asked = known(tool=tool, input=input, title=title, reason=reason, risk=risk, scopes=scopes)
        asked |= known(
            project=project,
            cwd=cwd,
            secret_free=secret_free,
            allow_edit=allow_edit,
            quorum=quorum,
            valid_s=valid_s,
        )
        asked |= {} if before is None else {"preview": {"before": before}}
        op = operations.create(
            asked, thread_id, {**written(place), "timeout_s": timeout_s}, idempotency_key, kind="approval"
        )
        hooks = (*self._hooks, *hooks)
        if (no := await objection(hooks, tool, input)) is not None:
            return objected(tool, no, self._texts)
        deciding = self._decided(op, tool, timeout_s, withdraw=cancel_on_abort)
        del input, before, asked, op  # the wait may be long, and a call may hold a file
        decision = await deciding
        if decision and (no := await objection(hooks, tool, decision.input)) is not None:
            return objected(tool, no, self._texts, request=decision.request)
        return decision

    async def approve_plan(
        self,
        plan: str,
        *,
        thread_id: str,
        title: str | None = None,
        reason: str | None = None,
        quorum: int = 1,
        timeout_s: float | None = TIMEOUT_S,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **place: Unpack[Place],
    ) -> Decision:
        """Ask whether a plan (Markdown) may be carried out; see `approve` for how it can end.

        `decision.mode` is `accept_edits` when edits need not be asked about from now on. The note of a denial
        says what to change.
        """
        asked = known(plan=plan, title=title, reason=reason, quorum=quorum)
        op = operations.create(
            asked, thread_id, {**written(place), "timeout_s": timeout_s}, idempotency_key, kind="approval"
        )
        deciding = self._decided(op, PLAN_TOOL, timeout_s, withdraw=cancel_on_abort)
        del plan, asked, op
        return await deciding

    async def consume(
        self,
        request: InputRequest | Decision | str,
        execution_id: str,
        *,
        tool: str | None = None,
        input: Mapping[str, Any] | None = None,  # noqa: A002 - the wire's name
        digest: str | None = None,
    ) -> Execution:
        """Use an approved call, once; the same `execution_id` again gets the same execution.

        With `tool` and `input`, or a `digest`, the server checks that it is the approved call. Without either, run
        what the execution says. Raises `Conflict` (`not_approved`, `digest_mismatch`, `already_consumed`,
        `denied_by_policy`) and `Gone` (`decision_expired`), and `Denied` for a decision that came without a
        request: then it must not run.
        """
        body = known(execution_id=execution_id, tool=tool, input=input, digest=digest)
        return Execution.model_validate(
            await self._call(frame("consume", request_id=_id(request), body=body))
        )

    async def report(
        self,
        request: InputRequest | Decision | str,
        execution_id: str,
        outcome: Literal["succeeded", "failed"],
        *,
        note: str | None = None,
    ) -> Execution:
        """Say how an execution went; raises `Conflict` (`already_reported`) after another outcome."""
        body = known(execution_id=execution_id, outcome=outcome, note=note)
        return Execution.model_validate(await self._call(frame("report", request_id=_id(request), body=body)))

    async def _decided(self, op: str, tool: str, timeout_s: float | None, *, withdraw: bool) -> Decision:
        """Send a `create`, wait until the request has ended, and make of every failure to ask a no."""
        patience = None if timeout_s is None else timeout_s + LATE_S + self._retry_for
        try:
            ticket = await self._link.ask(f'{op},"wait":true', withdraw=withdraw, retry_for=self._retry_for)
            del op
            async with asyncio.timeout(patience):
                settled = await self._settled(ticket)
        except TimeoutError:
            return unavailable(tool, "The server did not say in time how it ended.", self._texts)
        except AskbackError as error:
            if not _nobody_asked(error):
                raise
            return unavailable(tool, str(error), self._texts)
        return decided(InputRequest.model_validate(settled), self._texts)


def _nobody_asked(error: AskbackError) -> bool:
    """Whether the server or its store is gone or has failed, in contrast to what the caller did wrong."""
    if isinstance(error, Refused) and error.code == "internal":
        return True
    # Of a request that was just made, NotFound means that the server came back without its database.
    return isinstance(error, Unavailable | ConnectionLost | AppFailed | NotFound)


def _id(what: InputRequest | Decision | str) -> str:
    if isinstance(what, str):
        return what
    if isinstance(what, Decision):
        if what.request is None:
            raise Denied(what)
        return what.request.id
    return what.id
