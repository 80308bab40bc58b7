"""Create and answer forms, and accept a checked submission."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anyio import to_thread

from askback.domain import jsontext
from askback.domain.build_view import build_view
from askback.domain.faults import Faults, fault
from askback.domain.fields import Form
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.request import Ask
from askback.domain.shown_texts import shown_form
from askback.domain.spec import REQUESTER
from askback.domain.validation.answer import check_answer
from askback.domain.validation.ask import read_ask
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_languages
from askback.domain.validation.verdict import check_result
from askback.ports.outcome import Outcome
from askback.ports.store import Change, Claim, Principal
from askback.ports.threads import ThreadConfig
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.apply_held_outcome import apply_held_outcome
from askback.service.lifecycle.checks import default_summary, error_members, submit_for_check
from askback.service.lifecycle.idempotency import (
    idempotency_claim,
    labels_of,
    require_new,
    with_submission,
)
from askback.service.lifecycle.opening import new_record, open_request
from askback.service.lifecycle.option_sources import check_chosen
from askback.service.lifecycle.read import get_request, require_revision
from askback.service.lifecycle.settle import replayed, settle
from askback.service.lifecycle.uploads import uploads_of
from askback.service.requests.options import with_known_options
from askback.wire.bodies import AnswerBody
from askback.wire.verdicts import AcceptBody

MAX_INLINE_CHARACTERS = 10_000
"""Characters of a request whose Markdown is parsed on the event loop, which takes at most about 0.1 s."""


async def create_form(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from an `Ask`; see `create_request`, which has checked the role."""
    ask, text = read_ask(body, limits=ctx.limits)
    thread_config = await sharing.require_to_ask(ctx, principal, ask.thread_id)
    claim = idempotency_claim(principal, "create", key, text)
    try:
        return await _create(ctx, principal, ask, text, claim, thread_config)
    except Exception:
        # The request of a repeated key is returned, even if it would be refused now. The transaction of a new
        # request knows the key, so only a refusal has to look it up.
        if (earlier_change := await replayed(ctx, claim)) is None:
            raise
        return earlier_change


async def _create(
    ctx: Services, principal: Principal, ask: Ask, text: str, claim: Claim | None, thread_config: ThreadConfig
) -> Change:
    if ask.validator not in {None, REQUESTER, *ctx.validators}:
        raise Faults([fault("validator", "unknown_value.validator")])
    labels = labels_of(ask, text)
    await require_new(ctx, principal, ask.thread_id, labels)
    form = await with_known_options(ctx, ask.form)
    if form is not ask.form:
        ask = ask.model_copy(update={"form": form})
        text = ask.model_dump_json(exclude_none=True)
    if any(field.sensitive for field in ask.form.all_fields):
        await ctx.vault.active()  # raises before a person types anything that could not be sealed
    summary = default_summary(ask.form)
    errors = error_members(ask.field_errors, ask.error_summary, default=summary)
    record = new_record(
        ctx,
        principal,
        ask,
        _stored_text(text, errors=bool(errors), limited=ask.question_limit is not None),
        kind=ask.kind,
        timeout_s=ask.timeout_s,
        view=await form_view(ask.form, text),
        form=ask.form,
        labels=labels,
    )
    if errors:
        record = replace(record, state=record.state.with_members(**errors))
    change = await open_request(ctx, principal, ask, record, claim, thread_config)
    # Another server can change who may answer an escalated request, or promote a queued one.
    if change.outcome is Outcome.APPLIED and not ask.escalation and not change.record.queued_behind:
        ctx.recent.add(change.record)
    return change


def _stored_text(text: str, *, errors: bool, limited: bool) -> str:
    """Return the question for storage: without the members that only concern its creation."""
    names = ("field_errors", "error_summary") * errors + ("question_limit",) * limited
    return jsontext.without_members(text, *names) if names else text


async def form_view(form: Form, text: str) -> dict[str, Any]:
    """Return the `view` of a form in the request `text`; long ones are made in a thread."""
    return (
        await to_thread.run_sync(build_view, form) if len(text) > MAX_INLINE_CHARACTERS else build_view(form)
    )


async def answer_form(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    claim: Claim | None = None,
) -> Change:
    """Settle a form with an `AnswerBody`, or submit it to be checked; see `answer_request`."""
    message = {} if claim is None else {"message_id": claim.key}
    payload = await parse_for_caller(ctx, principal, record, lambda: parse(AnswerBody, body))
    body_json = payload.model_dump_json(exclude_unset=True) if key else ""
    claim = claim or idempotency_claim(principal, f"answer:{record.id}", key, body_json)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, payload.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, payload.revision)
    report = Report()
    languages = check_languages(payload.languages, report, ctx.limits)
    report.finish()
    form, skipped = record.spec.form, payload.skipped or ()
    uploads = await uploads_of(ctx, principal, record)
    try:
        cleaned_answer = check_answer(
            form, payload.values, skipped, control=payload.control, limits=ctx.limits, uploads=uploads
        )
    except Faults as error:
        ctx.recent.discard(record.id)  # another server may have changed the form
        await require_revision(ctx, principal, await get_request(ctx, principal, record.id), payload.revision)
        raise error.for_reader(languages) from None
    answer = {**cleaned_answer.answer, **message}
    sourced_labels = await check_chosen(ctx, record, cleaned_answer.values, user=principal.user)
    if shown_parts := shown_form(record.spec, cleaned_answer.values, languages, sourced_labels):
        answer["shown"] = shown_parts
    if (validator := record.spec.facts.validator) is not None:
        check_validator = None if validator == REQUESTER else validator
        change = await submit_for_check(
            ctx,
            record,
            answer,
            by=principal,
            claim=claim,
            probe=check_validator,
            probe_s=ctx.limits.validator_s,
        )
        if check_validator is not None and change.outcome is Outcome.APPLIED:
            ctx.submissions.add(change.record)
        return change
    outcome = {"source": principal.answer_source, "answer": answer}
    return await settle(ctx, record, Transition.ANSWER, outcome, by=principal, claim=claim)


async def accept_submission(
    ctx: Services,
    principal: Principal | None,
    record: Record,
    verdict: AcceptBody,
    *,
    claim: Claim | None = None,
) -> Change:
    """Settle the request with its checked submission, or with the values that the check returned."""
    state = record.state.members
    is_held = "held" in state
    if is_held and verdict.values is None:
        if verdict.result is not None or verdict.message is not None:
            raise Faults([fault("values", "missing_required")])
        return await apply_held_outcome(ctx, record, by=principal, claim=claim)
    answer = {**state.get("submitted", {})}
    if verdict.values is not None:
        uploads = await uploads_of(ctx, principal, record)
        skipped_fields = [id_ for id_ in answer.get("skipped", ()) if id_ not in verdict.values]
        control = answer.get("control")
        cleaned_answer = check_answer(
            record.spec.form,
            verdict.values,
            skipped_fields,
            control=control,
            limits=ctx.limits,
            uploads=uploads,
        )
        answer = {
            **cleaned_answer.answer,
            **{name: answer[name] for name in ("message_id",) if name in answer},
        }
        submitter = state.get("submitted_by") or {}
        if sourced_labels := await check_chosen(
            ctx, record, cleaned_answer.values, user=submitter.get("user")
        ):
            answer["shown"] = {"options": sourced_labels}
    check_result(verdict.result, verdict.message, ctx.limits)
    answer |= verdict.model_dump(include={"result", "message"}, exclude_none=True)
    outcome = (
        {"source": "hook", "answer": answer}
        if is_held
        else {"source": "responder", "answer": answer, "settled_by": state.get("submitted_by")}
    )
    return await settle(ctx, record, Transition.ACCEPT, outcome, by=principal, claim=claim)
