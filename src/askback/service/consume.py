"""Use an approved call, once, by one execution, and record its outcome."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from askback.domain.bodies import ConsumeBody, ReportBody
from askback.domain.faults import Faults, fault
from askback.domain.policy.calls import Call
from askback.domain.policy.digest import NotCanonical, call_digest
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import check_line
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Gone, NotFound, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.policy import Execution, SideEffects
from askback.ports.store import Principal
from askback.service import access
from askback.service.context import Services
from askback.service.ledger import entry
from askback.service.notes import check_note
from askback.service.read import get
from askback.service.revoke import is_revoked, note_use
from askback.service.ruling import rule_on


class _Approved(NamedTuple):
    """The call that may run, once."""

    tool: str
    input: dict[str, Any]
    digest: str
    until: datetime
    project: str | None
    is_plan: bool
    by_rule: bool
    cwd: str | None
    secret_free: tuple[str, ...]


async def consume(ctx: Services, principal: Principal, request_id: str, body: object) -> dict[str, Any]:
    """Use an approved call with a `ConsumeBody`; the same execution may ask again and gets the same.

    Raises `Conflict` (`not_approved`, `digest_mismatch`, `already_consumed`, `revoked`, `denied_by_policy`), `Gone`
    (`decision_expired`), `Faults`, `Forbidden`, `NotFound`.
    """
    await access.require(ctx, principal, "consume", request_id)
    record = await get(ctx, principal, request_id)
    sent = parse(ConsumeBody, body)
    check_line("execution_id", sent.execution_id, ctx.limits.identifier)
    digest = _digest(sent)
    try:
        return await _consume(ctx, principal, record, sent.execution_id, digest)
    except Conflict as refused:
        await _note_refusal(ctx, principal, record, sent.execution_id, refused.code)
        raise


async def _consume(
    ctx: Services, principal: Principal, record: Record, execution_id: str, digest: str | None
) -> dict[str, Any]:
    approved = _approved(record)
    if digest is not None and digest != approved.digest:
        raise Conflict("This is not the call that was approved. Ask again.", code="digest_mismatch")
    now = ctx.clock.now_ms()
    used = await _used_before(ctx, record, execution_id)
    if used is None:
        if now >= approved.until.timestamp() * 1000:
            raise Gone("The approval has expired. Ask again.", code="decision_expired")
        await _check_policy(ctx, record, approved)
        used = await _use(ctx, principal, record, approved, Execution(execution_id, now))
        with suppress(Unavailable):  # it is for those who read; the use itself is stored
            await note_use(ctx, record, used.consumed_at)
    return _shown(record, approved, used)


async def _note_refusal(
    ctx: Services, principal: Principal, record: Record, execution_id: str, code: str
) -> None:
    told = entry(
        "consume",
        at=ctx.clock.now_ms(),
        tenant=record.tenant,
        by=principal,
        about=record,
        execution_id=execution_id,
        refused=code,
    )
    await ctx.store.write(SideEffects(audit=(told,)))


async def report(ctx: Services, principal: Principal, request_id: str, body: object) -> dict[str, Any]:
    """Note with a `ReportBody` how the execution went; the same again changes nothing.

    Raises `Conflict` (`already_reported`), `Faults`, `Forbidden`, `NotFound` also for an unknown execution.
    """
    await access.require(ctx, principal, "consume", request_id)
    record = await get(ctx, principal, request_id)
    sent = parse(ReportBody, body)
    check_line("execution_id", sent.execution_id, ctx.limits.identifier)
    check_note(ctx, sent.note)
    told = entry(
        "report",
        at=ctx.clock.now_ms(),
        tenant=record.tenant,
        by=principal,
        about=record,
        execution_id=sent.execution_id,
        outcome=sent.outcome,
    )
    found = await ctx.store.report(
        record.tenant,
        record.id,
        sent.execution_id,
        outcome=sent.outcome,
        note=sent.note,
        effects=SideEffects(audit=(told,)),
    )
    if found is None:
        raise NotFound("This approval was not used by an execution with this id.")
    if found[1] is Outcome.LOST:
        raise Conflict("Another outcome was already reported. Nothing was changed.", code="already_reported")
    return _shown(record, _approved(record), found[0])


def _digest(sent: ConsumeBody) -> str | None:
    """Return the digest of what is about to run; None when the executor runs what it is given back."""
    call = sent.tool is not None or sent.input is not None
    if call and sent.digest is not None:
        raise Faults([fault("digest", "digest_or_call")])
    if not call:
        return sent.digest
    missing = [name for name in ("tool", "input") if getattr(sent, name) is None]
    if missing or sent.tool is None or sent.input is None:
        raise Faults([fault(name, "missing_required") for name in missing])
    try:
        return call_digest(sent.tool, sent.input)
    except NotCanonical:
        raise Faults([fault("input", "not_canonical")]) from None


def _approved(record: Record) -> _Approved:
    state = record.state.members
    answer = state.get("answer", {})
    if answer.get("decision") != "approve":
        raise Conflict("This call was not approved. Do not run it.", code="not_approved")
    asked = record.spec.approval
    return _Approved(
        asked.tool,
        answer.get("edited_input", asked.input),
        answer["digest"],
        datetime.fromisoformat(answer["expires_at"]),
        asked.project,
        asked.plan is not None,
        state.get("source") == "policy",
        asked.cwd,
        tuple(asked.secret_free or ()),
    )


async def _used_before(ctx: Services, record: Record, execution_id: str) -> Execution | None:
    """Return the use of this call by this very execution: it may learn of it again, also when it is late."""
    execution = await ctx.store.execution(record.tenant, record.id)
    if execution is None:
        return None
    if execution.id != execution_id or is_revoked(execution):
        raise _used(execution)
    return execution


async def _check_policy(ctx: Services, record: Record, approved: _Approved) -> None:
    """Stop a call that a rule refuses by now: to make one is how people call back what they have approved.

    What only a rule approved needs one that still does; nobody has looked at it.
    """
    if approved.is_plan:
        return
    call = Call(approved.tool, approved.input, approved.cwd)
    ruling = await rule_on(
        ctx,
        record.tenant,
        call,
        agent=record.requester,
        thread_id=record.thread_id,
        project=approved.project,
        secret_free=approved.secret_free,
    )
    verdict = ruling.decision.decision
    if verdict == "deny" or (approved.by_rule and verdict != "allow"):
        reasons = " ".join(ruling.decision.reasons)
        raise Conflict(f"The policy no longer allows this: {reasons}", code="denied_by_policy")


async def _use(
    ctx: Services, principal: Principal, record: Record, approved: _Approved, execution: Execution
) -> Execution:
    told = entry(
        "consume",
        at=execution.consumed_at,
        tenant=record.tenant,
        by=principal,
        about=record,
        tool=approved.tool,
        digest=approved.digest,
        execution_id=execution.id,
    )
    used, outcome = await ctx.store.consume(record.tenant, record.id, execution, SideEffects(audit=(told,)))
    if outcome is Outcome.LOST:
        raise _used(used)
    return used


def _used(by: Execution) -> Conflict:
    if is_revoked(by):
        return Conflict("A person revoked this approval. Do not run the call.", code="revoked")
    return Conflict(
        "This approval was already used. Ask again to run the call again.", code="already_consumed"
    )


def _shown(record: Record, approved: _Approved, execution: Execution) -> dict[str, Any]:
    return {
        "request_id": record.id,
        "execution_id": execution.id,
        "tool": approved.tool,
        "input": approved.input,
        "digest": approved.digest,
        "consumed_at": rfc3339(execution.consumed_at),
        "outcome": execution.outcome,
    }
