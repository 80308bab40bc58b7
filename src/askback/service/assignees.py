"""Check whether a person is an assignee of a request. Without assignees, anybody with access may answer."""

from __future__ import annotations

import logging

from askback.domain.access import GROUP
from askback.domain.kinds import kind_of
from askback.domain.record import Record
from askback.errors import Conflict, Forbidden
from askback.ports.store import Principal
from askback.service import access, sharing
from askback.service.context import Services

_log = logging.getLogger(__name__)


async def may_answer(ctx: Services, principal: Principal, record: Record) -> bool:
    """Whether the caller may answer this very request, by its thread and by whom it is for."""
    if sharing.level(principal, record.access, record.thread_id) < kind_of(record).level:
        return False
    assignees = _assignees(record)
    return not assignees or await _is_among(ctx, principal, assignees)


async def require_to_answer(ctx: Services, principal: Principal, record: Record) -> None:
    """Raise `Forbidden`, and record the attempt, unless the caller may answer or decline this very request.

    Nobody may who only reads its thread, who is not among those that it is for, or who asked it.
    """
    await sharing.require(
        ctx,
        principal,
        record.access,
        kind_of(record).level,
        thread_id=record.thread_id,
        attempted="answer",
        request_id=record.id,
    )
    if record.behind:
        raise Conflict(
            "This request waits behind another one. It can be answered once that one has ended.",
            code="queued_behind",
            request=record.as_dict(),
        )
    if principal.id == record.requester:
        await access.record_refusal(ctx, principal, "answer", record.id)
        raise Forbidden("You cannot decide about your own request.")
    assignees = _assignees(record)
    if assignees and not await _is_among(ctx, principal, assignees):
        await access.record_refusal(ctx, principal, "answer", record.id)
        raise Forbidden(f"Only {', '.join(assignees)} can answer this request.", code="not_assigned")


def _assignees(record: Record) -> list[str]:
    """Return who the request is for, with those that an escalation added; empty is everybody."""
    asked = record.spec.facts.assignees
    return [*asked, *record.state.members.get("assigned", ())] if asked else []


async def _is_among(ctx: Services, principal: Principal, assignees: list[str]) -> bool:
    people = {each for each in assignees if not each.startswith(GROUP)}
    if people & {principal.id, principal.user}:  # never the name that is shown: two people may have the same
        return True
    groups = {name.removeprefix(GROUP) for name in assignees if name.startswith(GROUP)}
    return bool(groups) and bool(groups & await groups_of(ctx, principal))


async def groups_of(ctx: Services, principal: Principal) -> frozenset[str]:
    """Return the groups that a principal is in; none, when the directory cannot tell (K5)."""
    try:
        return await ctx.directory.groups(principal)
    except Exception:  # noqa: BLE001 - whatever a host's directory raises: the door stays closed
        _log.exception("the directory could not be asked for groups; nobody is taken to be in any")
        return frozenset()
