"""Forms: an agent asks one, a person answers it, and the agent accepts what was checked."""

from __future__ import annotations

from askback.domain.bodies import AnswerBody
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.validation.answer import check_answer
from askback.domain.validation.ask import read_ask
from askback.domain.validation.structure import parse
from askback.domain.view import view
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.store import Change, Claim, Principal
from askback.service import refusals, sharing
from askback.service.admission import admit, readable
from askback.service.checks import submitted
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.opening import new_record, open_request
from askback.service.read import at_revision
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission


async def ask_form(ctx: Services, principal: Principal, body: object, *, key: str | None) -> Change:
    """Create a request from an `Ask`; see `ask.ask`, which has checked the role."""
    asked, text = read_ask(body, limits=ctx.limits)
    terms = await sharing.require_to_ask(ctx, principal, asked.thread_id)
    claimed = claim(principal, "create", key, text)
    if (before := await replayed(ctx, claimed)) is not None:
        return before
    if any(field.sensitive for field in asked.form.all_fields):
        await ctx.vault.active()  # raises where nothing could be kept, before a person has typed anything
    record = new_record(
        ctx,
        principal,
        asked,
        text,
        kind=asked.kind,
        timeout_s=asked.timeout_s,
        view=view(asked.form),
        form=asked.form,
    )
    change = await open_request(ctx, principal, asked, record, claimed, terms)
    # Another server can change who may answer an escalated request, or promote a queued one.
    if change.outcome is Outcome.APPLIED and not asked.escalation and not change.record.behind:
        ctx.newest.keep(change.record)
    return change


async def answer_form(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    claimed: Claim | None = None,
) -> Change:
    """Settle a form with an `AnswerBody`, or submit it to be checked; see `answer.answer`."""
    sent = await readable(ctx, principal, record, lambda: parse(AnswerBody, body))
    claimed = claimed or claim(principal, f"answer:{record.id}", key, sent)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before, sent.revision)
    await admit(ctx, principal, record)
    record = await at_revision(ctx, principal, record, sent.revision)
    checked = check_answer(record.spec.form, sent.values, limits=ctx.limits)
    if record.spec.facts.validator is not None:
        return await submitted(ctx, record, checked.answer, by=principal, claim=claimed)
    outcome = {"source": "responder", "answer": checked.answer}
    effects = SideEffects(lifts=lifts) if (lifts := await refusals.lifts_by_answer(ctx, record)) else NOTHING
    return await settle(ctx, record, Action.ANSWER, outcome, by=principal, claim=claimed, effects=effects)


async def accept_submission(
    ctx: Services, principal: Principal | None, record: Record, *, claim: Claim | None = None
) -> Change:
    """Take what was sent and checked as the answer."""
    state = record.state.members
    outcome = {
        "source": "responder",
        "answer": state.get("submitted"),
        "settled_by": state.get("submitted_by"),
    }
    return await settle(ctx, record, Action.ACCEPT, outcome, by=principal, claim=claim)
