"""Ask for approval of a tool call or a plan, and use the approval."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Unpack

from askback.client.frames import create_request, frame, get_request
from askback.client.gather import gather_all
from askback.client.hooks import Hook, find_refusal
from askback.client.methods import method
from askback.client.options import RequestContext, call_key, dump_options
from askback.client.resources.base import Resource
from askback.client.transport_app import AppFailed
from askback.domain.approval import PLAN_TOOL, Risk, Scope
from askback.domain.decision import Decision, hook_denial, unavailable_decision, unusable_decision
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.errors import (
    AskbackError,
    Conflict,
    ConnectionLost,
    Denied,
    NotFound,
    Refused,
    Unavailable,
)
from askback.messages.languages import LocalText
from askback.wire.replies import Execution

TIMEOUT_S = 300
CLOCK_TOLERANCE_S = 1.0
"""Seconds after its deadline within which the server reports that a request has expired."""


class ApproveOptions(RequestContext, total=False):
    """The options of `approve` that several calls can share."""

    project: str | None
    cwd: str | None
    allow_edit: bool
    quorum: int
    exclude_requester: bool
    valid_s: float | None
    timeout_s: float | None
    wait: bool
    cancel_on_abort: bool
    hooks: Sequence[Hook]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call for `approve_many`; the members mean the same as in `approve`."""

    tool: str
    input: Any
    tool_call_id: str | None = None
    title: str | None = None
    reason: str | None = None
    risk: Risk | None = None
    idempotency_key: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `approve`."""
        members = without_none(**{field.name: getattr(self, field.name) for field in fields(self)})
        return {**members, "input": self.input}


class Approvals(Resource):
    """The part of the client that asks for approval."""

    _hooks: Sequence[Hook]

    @method
    async def approve(
        self,
        tool: str,
        input: Any,  # noqa: A002 - the wire's name
        *,
        thread_id: str | None = None,
        title: LocalText | None = None,
        reason: str | None = None,
        risk: Risk | None = None,
        scopes: Sequence[Scope] | None = None,
        project: str | None = None,
        cwd: str | None = None,
        secret_free: Sequence[str] | None = None,
        allow_edit: bool = False,
        before: str | None = None,
        quorum: int = 1,
        exclude_requester: bool = False,
        valid_s: float | None = None,
        timeout_s: float | None = TIMEOUT_S,
        wait: bool = True,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        hooks: Sequence[Hook] = (),
        **context: Unpack[RequestContext],
    ) -> Decision:
        """Ask whether a tool may run with this input, any JSON value; the decision is true only when it may.

        Run `decision.input`, not the original input: the person may have edited it (`allow_edit`). Every outcome other
        than an approval is a false decision, never an exception, also when the server or its store is unavailable.
        Errors of the caller raise: `Invalid`, `Forbidden`, `Unauthorized`.

        `scopes` are the choices to offer; `before` is the current file, for a diff. An approval is valid for `valid_s`
        seconds. With `exclude_requester` the person that this agent works for cannot decide. `hooks`, after those of
        the client, may refuse the call before a person is asked, and again with the approved input; a refusal wins.
        With `timeout_s` None it waits forever.

        With `wait=False` it returns immediately. Unless a rule decides, the decision is then `pending`, and the
        outcome arrives as a resume: pass its request to `decision`. Without an `idempotency_key` a
        `tool_call_id` is one (see `call_key`), so that asking again for the same call finds the earlier
        request.

        `cwd` is the folder in which the call runs, if its input names none. `secret_free` are folders in which the
        caller, not the model, found no secret file: the policy may let them be searched.
        """
        body = {"tool": tool, "input": input}
        body |= without_none(title=title, reason=reason, risk=risk, scopes=scopes)
        body |= without_none(
            project=project,
            cwd=cwd,
            secret_free=secret_free,
            allow_edit=allow_edit,
            quorum=quorum,
            exclude_requester=exclude_requester or None,
            valid_s=valid_s,
        )
        body |= {} if before is None else {"preview": {"before": before}}
        options = {**dump_options(context), "timeout_s": timeout_s}
        options |= {} if wait else {"delivery": "resume"}
        thread_id = self._thread(thread_id)
        key = idempotency_key or call_key(thread_id, context)
        op = create_request(body, thread_id=thread_id, options=options, key=key, kind="approval")
        hooks = (*self._hooks, *hooks)
        if (no := await find_refusal(hooks, tool, input)) is not None:
            return hook_denial(tool, no, self._texts)
        deciding = self._decide(op, tool, timeout_s, wait=wait, withdraw=cancel_on_abort)
        del input, before, body, op  # the wait may be long, and a call may hold a file
        return await self._after_hooks(await deciding, hooks)

    @method
    async def approve_many(
        self,
        calls: Sequence[ToolCall],
        *,
        thread_id: str | None = None,
        **options: Unpack[ApproveOptions],
    ) -> Sequence[Decision]:
        """Ask for several calls together, and return their decisions in the same order; see `approve`.

        `options` are those of `approve`, for all calls. An error of one call cancels the requests of the others and is
        raised.
        """
        return await gather_all(
            self.approve(**call.arguments, thread_id=thread_id, **options) for call in calls
        )

    @method
    async def decision(self, request: InputRequest | str, *, hooks: Sequence[Hook] = ()) -> Decision:
        """Return the decision of a request for approval, after the client's hooks and `hooks`.

        Use it for a request that you did not wait for, such as one from a resume. It is `pending` until
        somebody decides. Raises `NotFound`, and `ValueError` for a request of another kind.
        """
        if isinstance(request, str):
            request = InputRequest.model_validate(await self._call(get_request(request)))
        return await self._after_hooks(Decision.from_request(request, self._texts), (*self._hooks, *hooks))

    @method
    async def approve_plan(
        self,
        plan: str,
        *,
        thread_id: str | None = None,
        title: LocalText | None = None,
        reason: str | None = None,
        quorum: int = 1,
        timeout_s: float | None = TIMEOUT_S,
        wait: bool = True,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **context: Unpack[RequestContext],
    ) -> Decision:
        """Ask whether a plan (Markdown) may be carried out; see `approve` for the outcomes, and for `wait=False`.

        `decision.mode` is `accept_edits` when edits need no approval from now on. The note of a denial says what to
        change.
        """
        body = without_none(plan=plan, title=title, reason=reason, quorum=quorum)
        options = {**dump_options(context), "timeout_s": timeout_s}
        options |= {} if wait else {"delivery": "resume"}
        thread_id = self._thread(thread_id)
        key = idempotency_key or call_key(thread_id, context)
        op = create_request(body, thread_id=thread_id, options=options, key=key, kind="approval")
        deciding = self._decide(op, PLAN_TOOL, timeout_s, wait=wait, withdraw=cancel_on_abort)
        del plan, body, op
        return await deciding

    @method
    async def consume(
        self,
        request: InputRequest | Decision | str,
        execution_id: str,
        *,
        tool: str | None = None,
        input: Any = None,  # noqa: A002 - the wire's name
        digest: str | None = None,
    ) -> Execution:
        """Use an approved call, once; the same `execution_id` again gets the same execution.

        With `tool` and `input`, or a `digest`, the server checks that it is the approved call. Without them, run the
        `input` of the execution. Raises `Conflict` (`not_approved`, `digest_mismatch`, `already_consumed`,
        `denied_by_policy`) and `Gone` (`decision_expired`), and `Denied` for a decision without a request: then the
        call must not run.
        """
        body = without_none(execution_id=execution_id, tool=tool, digest=digest)
        if tool is not None or input is not None:
            body["input"] = input
        return Execution.model_validate(
            await self._call(frame("consume_approval", request_id=_request_id(request), body=body))
        )

    @method
    async def report(
        self,
        request: InputRequest | Decision | str,
        execution_id: str,
        outcome: Literal["succeeded", "failed"],
        *,
        note: str | None = None,
    ) -> Execution:
        """Report the outcome of an execution; raises `Conflict` (`already_reported`) after another outcome."""
        body = without_none(execution_id=execution_id, outcome=outcome, note=note)
        return Execution.model_validate(
            await self._call(frame("report_execution", request_id=_request_id(request), body=body))
        )

    @method
    async def use(self, decision: Decision) -> Decision:
        """Use an approval once, for a call that runs now, and return the decision; it is false if the call may not run.

        Unlike `consume` it does not raise if the approval was used before (`used`), even by a process that
        died, or has expired (`expired`), if a person revoked it or a rule denies the call, or if the server
        is unavailable. A false decision is returned unchanged.
        """
        if not decision:
            return decision
        try:
            await self.consume(decision, f"exe_{secrets.token_urlsafe(16)}")
        except Conflict as exception:
            latest = await self.decision(_request_id(decision))  # false if it was revoked meanwhile
            return (
                unusable_decision(latest, exception.code, exception.message, self._texts)
                if latest
                else latest
            )
        except AskbackError as error:
            if not _is_outage(error):
                raise
            return unavailable_decision(decision.tool, str(error), self._texts)
        return decision

    async def _after_hooks(self, decision: Decision, hooks: Sequence[Hook]) -> Decision:
        """Return the decision, or the denial of a hook that refuses the approved input."""
        if decision and (no := await find_refusal(hooks, decision.tool, decision.input)) is not None:
            return hook_denial(decision.tool, no, self._texts, request=decision.request)
        return decision

    async def _decide(
        self, op: str, tool: str, timeout_s: float | None, *, withdraw: bool, wait: bool
    ) -> Decision:
        """Create an approval and, with `wait`, wait until it has ended; an unavailable server is a denial."""
        limit = None if timeout_s is None else timeout_s + CLOCK_TOLERANCE_S + self._retry_for
        try:
            if wait:
                future = await self._link.ask(
                    f'{op},"wait":true', withdraw=withdraw, retry_for=self._retry_for
                )
                del op
                async with asyncio.timeout(limit):
                    settled_request = await self._await_settled(future)
            else:
                settled_request = await self._call(op)
        except TimeoutError:
            return unavailable_decision(tool, "The server did not report the outcome in time.", self._texts)
        except AskbackError as error:
            if not _is_outage(error):
                raise
            return unavailable_decision(tool, str(error), self._texts)
        return Decision.from_request(InputRequest.model_validate(settled_request), self._texts)


def _is_outage(error: AskbackError) -> bool:
    """Return whether the server or its store is unavailable, as opposed to an error of the caller."""
    if isinstance(error, Refused) and error.code == "internal":
        return True
    # For a request that was just created, NotFound means that the server came back without its database.
    return isinstance(error, Unavailable | ConnectionLost | AppFailed | NotFound)


def _request_id(source: InputRequest | Decision | str) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, Decision):
        if source.request is None:
            raise Denied(source)
        return source.request.id
    return source.id
