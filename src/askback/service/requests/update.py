"""Change a request while it is open: its form, its errors, its deadline (ADR 58).

Each change raises the revision. An answer to an older revision is refused with the current request, and the page keeps
what the person typed. The tool, input and digest of an approval never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from askback.domain.events import REQUEST_UPDATED
from askback.domain.faults import Faults, fault
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.validation.answer import default_answer
from askback.domain.validation.structure import parse
from askback.errors import Conflict
from askback.ports.store import Change, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.checks import default_summary, error_members, new_deadline
from askback.service.lifecycle.idempotency import idempotency_claim
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import ConcurrentChange, already_settled, replayed, settle
from askback.service.requests.reprompt import check_reprompt, spec_with_form
from askback.wire.verdicts import RepromptBody

_ERROR_MEMBERS = frozenset({"field_errors", "error_summary"})


async def update_request(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Change an open request with a `RepromptBody` and return it as its next revision.

    Raises `Faults`, and `Conflict`: `resolving` while an answer is checked, `too_many_updates` after `limits.updates`.
    """
    await roles.require(ctx, principal, "update_request", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(RepromptBody, body)
    body_json = payload.model_dump_json(exclude_unset=True)
    claim = idempotency_claim(principal, f"update:{request_id}", key, body_json)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    raw = cast("Mapping[str, Any]", body).get("form")
    while True:
        _require_open(ctx, record)
        spec = None if raw is None else await _changed_form(ctx, record, raw)
        check_reprompt(ctx, payload, kind_of(record).error_paths(spec or record.spec))
        members = {**_errors(record, payload, spec), "updates": record.state.members.get("updates", 0) + 1}
        times = None
        if "timeout_s" in payload.model_fields_set:
            times = new_deadline(ctx, record, payload.timeout_s)
            spec = (spec or record.spec).with_timeout(payload.timeout_s)
        try:
            return await settle(
                ctx,
                record,
                Transition.UPDATE,
                members,
                by=principal,
                claim=claim,
                match_state=True,
                event=REQUEST_UPDATED,
                times=times,
                spec=spec,
            )
        except ConcurrentChange as error:
            record = error.record


def _require_open(ctx: Services, record: Record) -> None:
    if record.status is Status.RESOLVING:
        raise Conflict(
            "An answer is being checked. Accept it, or ask again and send the change with that.",
            code="resolving",
            request=record.as_dict(),
        )
    if record.settled:
        raise already_settled(record)
    if record.state.members.get("updates", 0) >= ctx.limits.updates:
        raise Conflict(
            f"This request was changed {ctx.limits.updates} times. Cancel it and ask again.",
            code="too_many_updates",
            request=record.as_dict(),
        )


async def _changed_form(ctx: Services, record: Record, raw: object) -> Spec:
    facts = record.spec.facts
    spec = await spec_with_form(ctx, record, raw, sensitive=facts.validator is None)
    if spec.sensitive:
        await ctx.vault.active()
    if facts.on_timeout == "default":
        try:
            default_answer(spec.form, ctx.limits)
        except Faults:
            raise Faults([fault("form", "no_default")]) from None
    return spec


def _errors(record: Record, payload: RepromptBody, spec: Spec | None) -> dict[str, Any]:
    """Return the members of the state for shown errors and an answer that was sent back before.

    New errors replace the earlier ones, and a new form removes them.
    """
    kind, spec_now, state = kind_of(record), spec or record.spec, record.state.members
    if (named := payload.model_fields_set & _ERROR_MEMBERS) and not kind.error_paths(spec_now):
        raise Faults([fault(min(named), "unknown_field.key")])
    submission = {"submitted": state.get("submitted"), "submitted_by": state.get("submitted_by")}
    if spec is None and not named:
        return {
            **submission,
            "field_errors": state.get("field_errors"),
            "error_summary": state.get("error_summary"),
        }
    default = default_summary(spec_now.form) if kind.keeps_submission else None
    return {**submission, **error_members(payload.field_errors, payload.error_summary, default=default)}
