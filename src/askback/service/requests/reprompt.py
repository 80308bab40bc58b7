"""Ask the person again: with errors, another form, or another deadline."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from askback.domain.check import reprompts
from askback.domain.faults import Faults, fault
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.validation.ask import check_form
from askback.domain.validation.envelope import check_timeout
from askback.domain.validation.report import Report
from askback.domain.validation.text_check import TextCheck
from askback.domain.validation.verdict import check_errors
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.lifecycle.checks import (
    default_summary,
    error_members,
    new_deadline,
    reprompt_times,
)
from askback.service.lifecycle.settle import settle
from askback.service.requests.forms import form_view
from askback.service.requests.options import with_known_options
from askback.wire.verdicts import RepromptBody


async def reprompt(
    ctx: Services,
    record: Record,
    payload: RepromptBody,
    raw_form: object,
    *,
    by: Principal | None,
    claim: Claim | None = None,
    scrub: Callable[[str], str] = str,
) -> Change:
    """Send an answer back; after `limits.reprompts` times cancel the request. `raw_form` is the unparsed form.

    Raises `Faults`, and `Conflict` if another verdict came first.
    """
    spec = None if raw_form is None else await spec_with_form(ctx, record, raw_form)
    kind, spec_now = kind_of(record), spec or record.spec
    check_reprompt(ctx, payload, kind.error_paths(spec_now))
    if reprompts(record) >= ctx.limits.reprompts:
        return await settle(ctx, record, Transition.CANCEL, {"reason": "failed"}, by=by, claim=claim)
    faults = [error.model_copy(update={"message": scrub(error.message)}) for error in payload.field_errors]
    summary = None if payload.error_summary is None else scrub(payload.error_summary)
    members = error_members(
        faults, summary, default=default_summary(spec_now.form) if kind.keeps_submission else None
    )
    times = reprompt_times(ctx, record)
    if "timeout_s" in payload.model_fields_set:
        times, spec = new_deadline(ctx, record, payload.timeout_s), spec_now.with_timeout(payload.timeout_s)
    if kind.keeps_submission:
        members["submitted"] = record.state.members.get("submitted")
    return await settle(ctx, record, Transition.REPROMPT, members, by=by, spec=spec, claim=claim, times=times)


async def spec_with_form(ctx: Services, record: Record, raw: object, *, sensitive: bool = False) -> Spec:
    """Return the spec with another form. Raises `Faults`, also for any kind but a form."""
    if record.kind != "form":
        raise Faults([fault("form", "unknown_field.key")])
    form = check_form(raw, limits=ctx.limits)
    if not sensitive and any(field.sensitive for field in form.all_fields):
        raise Faults([fault("form", "validator_with_sensitive")])
    form = await with_known_options(ctx, form)
    return record.spec.with_form(form, await form_view(form, form.model_dump_json()))


def check_reprompt(ctx: Services, payload: RepromptBody, paths: AbstractSet[str]) -> None:
    """Raise `Faults` for errors that name none of `paths`, an impossible deadline, and an empty body."""
    report = Report()
    text_check = TextCheck(report, suspicious=True)
    check_errors(payload.field_errors, payload.error_summary, paths, text_check, ctx.limits)
    check_timeout(payload.timeout_s, report, ctx.limits)
    report.finish()
    if payload.field_errors or payload.error_summary is not None or payload.form is not None:
        return
    if "timeout_s" not in payload.model_fields_set:
        raise Faults([fault("error_summary", "missing_required")])
