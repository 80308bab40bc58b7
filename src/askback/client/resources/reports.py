"""Report outcomes from elsewhere: of an action, or of a request answered in the agent's own client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from askback.client.methods import method
from askback.client.resources.base import Resource
from askback.domain.action import ActionOutcome
from askback.domain.approval import ApprovalDecision
from askback.domain.model import without_none
from askback.domain.request import InputRequest

Reference = InputRequest | str
"""A request, or its id."""


class Reports(Resource):
    """The part of `client.requests` that reports outcomes."""

    @method
    async def report_outcome(
        self,
        request: Reference,
        outcome: ActionOutcome,
        *,
        reason: str | None = None,
        retry: bool = False,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Report how an action of this agent went. With `retry` a failure leaves it open to be tried again."""
        body = without_none(outcome=outcome, reason=reason, retry=retry or None)
        return await self._call_for_request("report_outcome", request, body, key=idempotency_key)

    @method
    async def report_answer(
        self,
        request: InputRequest,
        *,
        values: Mapping[str, Any] | None = None,
        skipped: Sequence[str] | None = None,
        languages: Sequence[str] | None = None,
        control: str | None = None,
        decision: ApprovalDecision | None = None,
        declined: Literal["skipped", "dismissed", "refused"] | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> InputRequest:
        """Report a person's answer in this agent's own client: `values`, a `decision`, or a decline.

        `control` is the field that was answered first in a form with `submit` `first` or `each`.
        Raises `Invalid`, `Conflict` and `Gone` as `answer` does, `Conflict` (`not_reportable`), and `Forbidden`
        for an approval unless the server accepts reported approvals.
        """
        body = without_none(
            revision=request.revision,
            values=values,
            skipped=skipped and list(skipped),
            languages=languages and list(languages),
            control=control,
            decision=decision,
            declined=declined,
            note=note,
        )
        return await self._call_for_request("report_answer", request, body, key=idempotency_key)
