"""Accept a person's answer after the requester's check, or ask again.

Meanwhile the request is `resolving`, and the person sees that it is being checked. What was sent stands in the state,
so a requester that died and came back finds it there. A check that nobody ends is ended by the clock (`checks.py`).

A verdict that comes twice, as after a lost connection, must not fall on an answer that was sent since: with a key the
second is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, cast

from askback.domain.bodies import EmptyBody, RepromptBody
from askback.domain.faults import Faults, fault, join
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.validation.ask import check_form
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.view import view
from askback.messages import DEFAULT_LOCALE, translate
from askback.ports.store import Change, Principal
from askback.service import access
from askback.service.checks import pending_times, require_resolving
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.kinds import handlers_of
from askback.service.read import get
from askback.service.settle import replayed, settle


async def accept(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Take what was sent as the answer. Raises `Faults`, and `Conflict` when nothing is being checked."""
    record = await _found(ctx, principal, request_id)
    claimed = claim(principal, f"accept:{request_id}", key, parse(EmptyBody, body))
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    require_resolving(record)
    return await handlers_of(record).accept(ctx, principal, record, claim=claimed)


async def reprompt(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Ask the person again with a `RepromptBody`; what was sent stays to be mended.

    After `limits.reprompts` times it is taken back instead, with the reason `failed`. Raises `Faults`, and `Conflict`
    when nothing is being checked.
    """
    record = await _found(ctx, principal, request_id)
    sent = parse(RepromptBody, body)
    claimed = claim(principal, f"reprompt:{request_id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    require_resolving(record)
    spec = _new_spec(ctx, record, cast("Mapping[str, Any]", body).get("form"))
    kind, asked = kind_of(record), spec or record.spec
    _check(ctx, sent, kind.error_paths(asked))
    if record.revision > ctx.limits.reprompts:
        return await settle(ctx, record, Action.CANCEL, {"reason": "failed"}, by=principal, claim=claimed)
    said = _said(sent, await handlers_of(record).scrubber(ctx, record))
    if kind.keeps_submission:
        said["submitted"] = record.state.members.get("submitted")
        if sent.field_errors and sent.error_summary is None:
            said["error_summary"] = translate("fault.reprompted", kind.locale(asked) or DEFAULT_LOCALE)
    times = pending_times(ctx, record)
    return await settle(
        ctx, record, Action.REPROMPT, said, by=principal, spec=spec, claim=claimed, times=times
    )


async def _found(ctx: Services, principal: Principal, request_id: str) -> Record:
    await access.require(ctx, principal, "resolve", request_id)
    return await get(ctx, principal, request_id)


def _new_spec(ctx: Services, record: Record, raw: object) -> Spec | None:
    """Return the spec with the new form, or None if none was sent. Raises `Faults` for any kind but a form."""
    if raw is None:
        return None
    if record.kind != "form":
        raise Faults([fault("form", "unknown_field.key")])
    form = check_form(raw, limits=ctx.limits)
    if any(field.sensitive for field in form.all_fields):
        raise Faults([fault("form", "validator_with_sensitive")])
    return record.spec.with_form(form, view(form))


def _check(ctx: Services, sent: RepromptBody, places: AbstractSet[str]) -> None:
    report = Report()
    prose = Prose(report, suspicious=True)
    for index, each in enumerate(sent.field_errors):
        at = join("field_errors", index)
        if each.path not in places:
            report.add(join(at, "path"), "unknown_value", allowed=", ".join(sorted(places)))
        prose.line(at, "message", each.message, ctx.limits.title)
    prose.line("", "error_summary", sent.error_summary, ctx.limits.title)
    report.finish()
    if not sent.field_errors and sent.error_summary is None and sent.form is None:
        raise Faults([fault("error_summary", "missing_required")])


def _said(sent: RepromptBody, scrub: Callable[[str], str]) -> dict[str, Any]:
    again: dict[str, Any] = {
        "field_errors": [{"path": each.path, "message": scrub(each.message)} for each in sent.field_errors],
        "error_summary": None if sent.error_summary is None else scrub(sent.error_summary),
    }
    return {name: value for name, value in again.items() if value}
