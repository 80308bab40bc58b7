"""Validators: a function of this process, and a webhook."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from askback.delivery.calls import FunctionCall, SignedCall
from askback.domain.faults import join
from askback.domain.validation.structure import parse
from askback.domain.verdict import UNCHANGED, Accept, AskAgain, Verdict
from askback.ports.validator import Submission
from askback.wire.verdicts import RepromptBody, VerdictBody

MAX_VERDICT_BYTES = 256 * 1024
"""The maximum size of a webhook's reply: a verdict may contain another form."""

ValidatorFunction = Callable[[Submission], Verdict | Awaitable[Verdict]]


FunctionValidator = FunctionCall[Submission, Verdict]


class WebhookValidator:
    """An address that gets each answer and replies with a `VerdictBody`."""

    def __init__(self, call: SignedCall) -> None:
        self._call = call

    async def __call__(self, submission: Submission, /) -> Verdict:
        """Post the request; raises `AddressRefused`, `Unreachable`, and `Faults` for an invalid reply."""
        data = submission.request.model_dump_json(exclude_none=True)
        reply = await self._call.post("validate", data, message_id=submission.id, limit=MAX_VERDICT_BYTES)
        return _verdict(parse(VerdictBody, reply), submission)


def _verdict(payload: VerdictBody, submission: Submission) -> Accept | AskAgain:
    if payload.accept is not None:
        return Accept(payload.accept.values, payload.accept.result, payload.accept.message)
    reprompt = payload.reprompt or RepromptBody(timeout_s=None)
    form = submission.request.form
    ids = {join("values", field.id): field.id for field in (form.all_fields if form else ())}
    return AskAgain(
        {ids.get(error.path, error.path): error.message for error in reprompt.field_errors},
        reprompt.error_summary,
        reprompt.form,
        reprompt.timeout_s if "timeout_s" in reprompt.model_fields_set else UNCHANGED,
    )
