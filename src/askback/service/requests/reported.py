"""Accept an answer that a person gave in the agent's own client, for MCP elicitation and AG-UI.

The agent reports the answer, so the request says that the agent settled it, with the source `client`. The answer to a
form only decides what the agent reads, so an agent may always report it. An agent that could report an approval could
approve its own calls (I2), so the operator has to allow reports about approvals. An agent may always report that a
person declined: it gets nothing by it, and could cancel its request as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from askback.domain.faults import Faults, fault
from askback.domain.kinds import kind_of
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Forbidden
from askback.ports.store import Change, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import request_not_found
from askback.service.requests.answer import decline
from askback.service.requests.kinds import handlers_of
from askback.wire.bodies import ReportedAnswerBody

_PARTS = ("values", "decision", "declined")


async def report_answer(
    ctx: Services, principal: Principal, request_id: str, body: object, *, key: str | None = None
) -> Change:
    """Settle an agent's own request with a `ReportedAnswerBody`; the first answer wins.

    Raises `Faults` (the request stays open), `NotFound`, `Conflict` or `Gone`; `Conflict` (`not_reportable`) for an
    answer that certain people have to give or that has secrets, and `Forbidden` for a decision.
    """
    await roles.require(ctx, principal, "report_answer", request_id)
    record = await get_request(ctx, principal, request_id)
    if record.requester != principal.id:
        raise request_not_found()
    if kind_of(record).is_executed and not ctx.reported_approvals and not _only_declines(body):
        await roles.record_refusal(ctx, principal, "report_answer", request_id)
        raise Forbidden(
            "An agent cannot decide about its own call: a person has to, on a page. "
            "The operator can let agents report decisions with ASKBACK_REPORTED_APPROVALS=on."
        )
    payload = parse(ReportedAnswerBody, body)
    parts = [name for name in _PARTS if getattr(payload, name) is not None]
    if len(parts) != 1:
        raise Faults([fault(parts[1] if parts else "values", "one_answer")])
    reporter = replace(principal, reports=True)
    if payload.declined is not None:
        refusal = {"reason": payload.declined, "note": payload.note}
        try:
            return await decline(ctx, reporter, record, refusal, key=key)
        except Faults as error:
            raise error.with_paths([("reason", "declined")]) from None
    answer = handlers_of(record).answer
    if (
        answer is None
        or record.spec.facts.assignees
        or not kind_of(record).takes_reported_answer(record.spec)
    ):
        raise Conflict(
            "The answer to this request cannot be reported. A person has to answer it on a page.",
            code="not_reportable",
            request=record.as_dict(),
        )
    answer_json = payload.model_dump(
        include={"revision", "values", "skipped", "languages", "control", "decision", "note"},
        exclude_none=True,
    )
    return await answer(ctx, reporter, record, answer_json, key=key)


def _only_declines(body: object) -> bool:
    """Return whether a body that was not checked yet can be nothing but a decline."""
    if not isinstance(body, Mapping):
        return False
    members = cast("Mapping[str, object]", body)
    return members.get("declined") is not None and "decision" not in members
