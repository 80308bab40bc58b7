"""Use an approved call once, by one execution, and record its outcome."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from askback.domain.canonicaljson import NotCanonical
from askback.domain.faults import Faults, fault
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import call_digest
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_line
from askback.errors import Conflict, Gone, NotFound, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, SideEffects
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.approvals.evaluate import evaluate_call
from askback.service.approvals.revoke import is_revoked, mark_used
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.admission import check_note
from askback.service.lifecycle.read import get_request
from askback.wire.bodies import ConsumeBody, ReportBody


class _ApprovedCall(NamedTuple):
    """The call that may run, once."""

    tool: str
    input: Any
    digest: str
    until: datetime
    project: str | None
    is_plan: bool
    by_rule: bool
    cwd: str | None
    secret_free: tuple[str, ...]


async def consume_approval(
    ctx: Services, principal: Principal, request_id: str, body: object
) -> dict[str, Any]:
    """Use an approved call with a `ConsumeBody`; a repeated call of the same execution gets the same reply.

    Raises `Conflict` (`not_approved`, `digest_mismatch`, `already_consumed`, `revoked`, `denied_by_policy`), `Gone`
    (`decision_expired`), `Faults`, `Forbidden`, `NotFound`.
    """
    await roles.require(ctx, principal, "consume_approval", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(ConsumeBody, body)
    check_line("execution_id", payload.execution_id, ctx.limits.identifier)
    digest = _digest(payload)
    try:
        return await _use_approved(ctx, principal, record, payload.execution_id, digest)
    except Conflict as error:
        await _log_refusal(ctx, principal, record, payload.execution_id, error.code)
        raise


async def _use_approved(
    ctx: Services, principal: Principal, record: Record, execution_id: str, digest: str | None
) -> dict[str, Any]:
    approved_call = _approved_call(record)
    if digest is not None and digest != approved_call.digest:
        raise Conflict("This is not the call that was approved. Ask again.", code="digest_mismatch")
    now = ctx.clock.now_ms()
    execution = await _earlier_use(ctx, record, execution_id)
    if execution is None:
        if now >= approved_call.until.timestamp() * 1000:
            raise Gone("The approval has expired. Ask again.", code="decision_expired")
        await _check_policy(ctx, record, approved_call)
        execution = await _store_use(ctx, principal, record, approved_call, Execution(execution_id, now))
    if "used_at" not in record.state.members:
        with suppress(Unavailable):  # only for display; a repeated call does it then
            await mark_used(ctx, record, execution.consumed_at)
    return _execution_json(record, approved_call, execution)


async def _log_refusal(
    ctx: Services, principal: Principal, record: Record, execution_id: str, code: str
) -> None:
    entry = audit_entry(
        "consume",
        at=ctx.clock.now_ms(),
        tenant=record.tenant,
        by=principal,
        about=record,
        execution_id=execution_id,
        refused=code,
    )
    await ctx.store.write(SideEffects(audit=(entry,)))


async def report_execution(
    ctx: Services, principal: Principal, request_id: str, body: object
) -> dict[str, Any]:
    """Record the outcome of an execution from a `ReportBody`; repeating it changes nothing.

    Raises `Conflict` (`already_reported`), `Faults`, `Forbidden`, `NotFound` also for an unknown execution.
    """
    await roles.require(ctx, principal, "report_execution", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(ReportBody, body)
    check_line("execution_id", payload.execution_id, ctx.limits.identifier)
    check_note(ctx, payload.note)
    entry = audit_entry(
        "report",
        at=ctx.clock.now_ms(),
        tenant=record.tenant,
        by=principal,
        about=record,
        execution_id=payload.execution_id,
        outcome=payload.outcome,
    )
    execution = await ctx.store.report(
        record.tenant,
        record.id,
        payload.execution_id,
        outcome=payload.outcome,
        note=payload.note,
        effects=SideEffects(audit=(entry,)),
    )
    if execution is None:
        raise NotFound("This approval was not used by an execution with this id.")
    if execution[1] is Outcome.LOST:
        raise Conflict("Another outcome was already reported. Nothing was changed.", code="already_reported")
    return _execution_json(record, _approved_call(record), execution[0])


def _digest(payload: ConsumeBody) -> str | None:
    """Return the digest of the call that is about to run; None if the executor runs the call in the reply."""
    call = payload.tool is not None or payload.input is not None
    if call and payload.digest is not None:
        raise Faults([fault("digest", "digest_or_call")])
    if not call:
        return payload.digest
    if payload.tool is None or "input" not in payload.model_fields_set:
        raise Faults([fault("input" if payload.tool else "tool", "missing_required")])
    try:
        return call_digest(payload.tool, payload.input)
    except NotCanonical:
        raise Faults([fault("input", "not_canonical")]) from None


def _approved_call(record: Record) -> _ApprovedCall:
    state = record.state.members
    answer = state.get("answer", {})
    if answer.get("decision") != "approve":
        raise Conflict("This call was not approved. Do not run it.", code="not_approved")
    approval = record.spec.approval
    return _ApprovedCall(
        approval.tool,
        answer.get("edited_input", approval.input),
        answer["digest"],
        datetime.fromisoformat(answer["expires_at"]),
        approval.project,
        approval.plan is not None,
        state.get("source") == "policy",
        approval.cwd,
        tuple(approval.secret_free or ()),
    )


async def _earlier_use(ctx: Services, record: Record, execution_id: str) -> Execution | None:
    """Return the earlier use of this approval by the same execution; raises `Conflict` for a use by another one."""
    execution = await ctx.store.execution(record.tenant, record.id)
    if execution is None:
        return None
    if execution.id != execution_id or is_revoked(execution):
        raise _used_error(execution)
    return execution


async def _check_policy(ctx: Services, record: Record, approved_call: _ApprovedCall) -> None:
    """Raise `Conflict` if a rule now denies the call: people can create one to stop an approved call.

    A call that only a rule approved still needs a rule that allows it.
    """
    if approved_call.is_plan:
        return
    call = Call(approved_call.tool, approved_call.input, approved_call.cwd)
    ruling = await evaluate_call(
        ctx,
        record.tenant,
        call,
        agent=record.requester,
        thread_id=record.thread_id,
        project=approved_call.project,
        secret_free=approved_call.secret_free,
    )
    verdict = ruling.decision.decision
    if verdict == "deny" or (approved_call.by_rule and verdict != "allow"):
        reasons = " ".join(ruling.decision.reasons)
        raise Conflict(f"The policy no longer allows this: {reasons}", code="denied_by_policy")


async def _store_use(
    ctx: Services, principal: Principal, record: Record, approved_call: _ApprovedCall, execution: Execution
) -> Execution:
    entry = audit_entry(
        "consume",
        at=execution.consumed_at,
        tenant=record.tenant,
        by=principal,
        about=record,
        tool=approved_call.tool,
        digest=approved_call.digest,
        execution_id=execution.id,
    )
    stored_execution, outcome = await ctx.store.consume(
        record.tenant, record.id, execution, SideEffects(audit=(entry,))
    )
    if outcome is Outcome.LOST:
        raise _used_error(stored_execution)
    return stored_execution


def _used_error(execution: Execution) -> Conflict:
    if is_revoked(execution):
        return Conflict("A person revoked this approval. Do not run the call.", code="revoked")
    return Conflict(
        "This approval was already used, so the call may have run. Check that before you ask to run it again.",
        code="already_consumed",
    )


def _execution_json(record: Record, approved_call: _ApprovedCall, execution: Execution) -> dict[str, Any]:
    return {
        "request_id": record.id,
        "execution_id": execution.id,
        "tool": approved_call.tool,
        "input": approved_call.input,
        "digest": approved_call.digest,
        "consumed_at": rfc3339(execution.consumed_at),
        "outcome": execution.outcome,
    }
