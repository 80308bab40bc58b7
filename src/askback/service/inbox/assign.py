"""Assign an open request to other people, who replace its assignees (ADR 69).

An assignment gives nobody access: an assignee still needs the level for the request in its thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.domain.events import REQUEST_ASSIGNED
from askback.domain.faults import Faults, fault, join
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.domain.validation.envelope import check_people
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.access.assignees import may_be_assigned, require_can_answer
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.inbox.people import names_of, unknown_assignees
from askback.service.lifecycle.read import get_request
from askback.service.lifecycle.settle import ConcurrentChange, already_settled, settle
from askback.wire.inbox import AssignBody


async def assign_request(ctx: Services, principal: Principal, request_id: str, body: object) -> Record:
    """Assign a request with an `AssignBody` and return it; the same assignment again changes nothing.

    Anybody who may answer the request can assign it, and undo their own assignment while it is the last. Raises
    `NotFound`, `Faults` for assignees who could not answer, `Forbidden`, and `Conflict` or `Gone` for a
    request that has ended.
    """
    await roles.require(ctx, principal, "assign_request", request_id)
    record = await get_request(ctx, principal, request_id)
    payload = parse(AssignBody, body)
    while True:
        if not _has_assigned(principal, record):
            await require_can_answer(ctx, principal, record, operation="assign_request")
        if record.settled:
            raise already_settled(record)
        await _check(ctx, record, payload.assignees)
        old_assignment = record.state.members.get("assignment", {})
        if old_assignment.get("assignees") == payload.assignees:
            return record
        try:
            return await _assign(ctx, principal, record, payload.assignees, old_assignment)
        except ConcurrentChange as error:
            record = error.record


async def _assign(
    ctx: Services,
    principal: Principal,
    record: Record,
    assignees: list[str] | None,
    old_assignment: Mapping[str, Any],
) -> Record:
    now = ctx.clock.now_ms()
    assignment = {
        "assignees": assignees,
        "names": assignees and await names_of(ctx, record.tenant, assignees),
        "by": principal.settler,
        "at": rfc3339(now),
        "number": old_assignment.get("number", 0) + 1,
    }
    entry = audit_entry(
        "assign",
        at=now,
        tenant=record.tenant,
        by=principal,
        about=record,
        assignees=assignees or record.spec.facts.assignees or "all",
    )
    change = await settle(
        ctx,
        record,
        Transition.NOTE,
        {"assignment": assignment, "assigned": None},
        by=principal,
        effects=SideEffects(audit=(entry,)),
        match_state=True,
        event=REQUEST_ASSIGNED,
    )
    return change.record


def _has_assigned(principal: Principal, record: Record) -> bool:
    """Return whether the caller made the current assignment, and could answer the request without it."""
    assigner = record.state.members.get("assignment", {}).get("by")
    if assigner is None or principal.user not in (assigner["id"], assigner.get("user")):
        return False
    return may_be_assigned(principal, record)


async def _check(ctx: Services, record: Record, assignees: list[str] | None) -> None:
    if assignees is None:
        return
    report = Report()
    needed_role = kind_of(record).deciders(record.spec)
    if len(assignees) < needed_role:
        report.add("assignees", "too_few", min=needed_role)
    check_people("assignees", assignees, TextCheck(report, suspicious=True), ctx.limits)
    report.finish()
    unknown_people = await unknown_assignees(ctx, record, assignees)
    if unknown_people:
        raise Faults([fault(join("assignees", index), "cannot_answer") for index in unknown_people])
