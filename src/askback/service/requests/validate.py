"""Check the answer of a form with a validator of this server (ADR 58).

The server that stored an answer checks it, under a lease. If it stops, another server begins again when the lease ends:
a validator reads an answer and changes nothing. After `ATTEMPTS`, or if there is no verdict, the person is asked again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio

from askback.domain.check import check_of, checking_members, probe_deadline
from askback.domain.deadlines import Schedule
from askback.domain.faults import Faults, join
from askback.domain.fields import Form
from askback.domain.lifecycle import Transition
from askback.domain.model import without_none
from askback.domain.record import Record
from askback.domain.request import InputRequest
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.verdict import UNCHANGED, Accept, AskAgain, read_verdict
from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.ports.validator import Submission, Validator
from askback.service.context import Services
from askback.service.lifecycle.checks import SERVER, reopen_unchecked_now
from askback.service.lifecycle.settle import settle
from askback.service.requests.forms import accept_submission
from askback.service.requests.reprompt import reprompt
from askback.wire.verdicts import AcceptBody, RepromptBody

_Step = Callable[[Services, Record], Awaitable[Change]]

ATTEMPTS = 3
"""How often an answer is checked when servers stop during the check."""

_log = logging.getLogger(__name__)


async def validate_submission(ctx: Services, record: Record) -> None:
    """Run the validator of a request and apply its verdict. Raises what `settle` raises."""
    validator, deadline = ctx.validators.get(record.spec.facts.validator or ""), probe_deadline(record)
    if validator is None or deadline is None or ctx.clock.now_ms() > deadline - ctx.limits.validator_s * 1000:
        return  # not enough time is left: the lease ends, and another server may have the validator
    try:
        step = await _run(ctx, validator, record)
        if step is not None:
            await step(ctx, record)
            return
    except Faults as error:
        _log.warning("a validator gave no verdict that can be used: %s", error)
    await reopen_unchecked_now(ctx, record)


async def validate_again(ctx: Services, record: Record) -> None:
    """Check an answer again whose server stopped; after `ATTEMPTS` ask the person. Raises `Conflict`."""
    old_check, now = check_of(record), ctx.clock.now_ms()
    attempts = 1 + (old_check.renewed if old_check is not None else 0)
    if attempts >= ATTEMPTS:
        await reopen_unchecked_now(ctx, record)
        return
    check_until = now + 2 * ctx.limits.validator_s * 1000
    check = checking_members(SERVER, record.spec.facts.validator or "", now, check_until, renewed=attempts)
    changes = {"check": check, "tried_until": rfc3339(check_until)}
    times = Schedule(None, check_until)
    change = await settle(
        ctx, record, Transition.NOTE, changes, by=None, match_state=True, times=times, event="request.noted"
    )
    if change.outcome is Outcome.APPLIED:
        ctx.submissions.add(change.record)


async def _run(ctx: Services, validator: Validator, record: Record) -> _Step | None:
    """Run a validator and return what its verdict does, None if it failed. Raises `Faults` for a wrong verdict."""
    try:
        with anyio.fail_after(ctx.limits.validator_s):
            verdict = await validator(Submission(InputRequest.model_validate_json(record.wire)))
        return _step(read_verdict(verdict))
    except Faults:
        raise
    except Exception as error:  # noqa: BLE001 - whatever fails has checked nothing
        # The text and the traceback of the error could contain what the person typed.
        _log.warning("a validator failed with %s", type(error).__name__)
        return None


def _step(verdict: Accept | AskAgain) -> _Step:
    """Return the step that a verdict takes; raises `Faults`."""
    if isinstance(verdict, Accept):
        members = without_none(values=verdict.values, result=verdict.result, message=verdict.message)
        accept_body = parse(AcceptBody, members)
        return lambda ctx, record: accept_submission(ctx, None, record, accept_body)
    errors = [
        {"path": join("values", id_), "message": text} for id_, text in (verdict.field_errors or {}).items()
    ]
    form = verdict.form.model_dump(exclude_none=True) if isinstance(verdict.form, Form) else verdict.form
    members = without_none(field_errors=errors or None, error_summary=verdict.error_summary, form=form)
    if verdict.timeout_s is not UNCHANGED:
        members["timeout_s"] = verdict.timeout_s
    reprompt_body = parse(RepromptBody, members)
    return lambda ctx, record: reprompt(ctx, record, reprompt_body, form, by=None)
