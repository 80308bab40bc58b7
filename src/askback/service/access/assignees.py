"""Check whether a person may answer a request: by access, and as an assignee if it has any."""

from __future__ import annotations

import logging

from askback.domain.access import GROUP_PREFIX
from askback.domain.kinds import kind_of
from askback.domain.record import Record
from askback.errors import Conflict, Forbidden
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.context import Services

_log = logging.getLogger(__name__)


async def can_answer(ctx: Services, principal: Principal, record: Record) -> bool:
    """Return whether the caller has enough access to the thread and is an assignee, if there are any."""
    if not may_be_assigned(principal, record):
        return False
    assignees = assignees_of(record)
    return not assignees or await _is_among(ctx, principal, assignees)


def may_be_assigned(principal: Principal, record: Record) -> bool:
    """Return whether a person could answer this request as its assignee: by their level in its thread."""
    granted_level = sharing.level(principal, record.access, record.thread_id)
    return granted_level >= kind_of(record).level and not _is_excluded(principal, record)


async def require_can_answer(
    ctx: Services, principal: Principal, record: Record, *, operation: str = "answer_request"
) -> None:
    """Raise `Forbidden`, and record the attempt, unless the caller may answer or decline this request.

    Refused are readers of the thread, people who are not assignees, the requester itself, and the person it works for
    if the request says so.
    """
    await sharing.require(
        ctx,
        principal,
        record.access,
        kind_of(record).level,
        thread_id=record.thread_id,
        operation=operation,
        request_id=record.id,
    )
    if record.queued_behind:
        raise Conflict(
            "This request waits behind another one. It can be answered once that one has ended.",
            code="queued_behind",
            request=record.as_dict(),
        )
    if principal.id == record.requester:
        await roles.record_refusal(ctx, principal, operation, record.id)
        raise Forbidden("You cannot decide about your own request.")
    if _is_excluded(principal, record):
        await roles.record_refusal(ctx, principal, operation, record.id)
        raise Forbidden(
            "The agent that asked works for you, so somebody else has to decide.", code="requester_excluded"
        )
    assignees = assignees_of(record)
    if assignees and not await _is_among(ctx, principal, assignees):
        await roles.record_refusal(ctx, principal, operation, record.id)
        raise Forbidden(f"Only {', '.join(assignees)} can answer this request.", code="not_assigned")


def _is_excluded(principal: Principal, record: Record) -> bool:
    """Return whether the agent works for this person, who may then not decide."""
    return (
        kind_of(record).excludes_requester(record.spec) and principal.user == record.spec.facts.requester.user
    )


def assignees_of(record: Record) -> list[str]:
    """Return the assignees with those that an escalation added; empty means anybody."""
    members = record.state.members
    names = members.get("assignment", {}).get("assignees") or record.spec.facts.assignees
    return [*names, *members.get("assigned", ())] if names else []


async def _is_among(ctx: Services, principal: Principal, assignees: list[str]) -> bool:
    people = {assignee for assignee in assignees if not assignee.startswith(GROUP_PREFIX)}
    if people & {principal.id, principal.user}:  # never the display name, which two people can share
        return True
    groups = {name.removeprefix(GROUP_PREFIX) for name in assignees if name.startswith(GROUP_PREFIX)}
    return bool(groups) and bool(groups & await groups_of(ctx, principal))


async def groups_of(ctx: Services, principal: Principal) -> frozenset[str]:
    """Return the groups of a principal; none if the directory fails (K5)."""
    try:
        return await ctx.directory.groups(principal)
    except Exception:  # noqa: BLE001 - whatever a host's directory raises: the door stays closed
        _log.exception("the directory could not be asked for groups; nobody is taken to be in any")
        return frozenset()
