"""Comments on a request, by people for people. Agents, webhooks and events never get them (ADR 69)."""

from __future__ import annotations

import json
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.record import Record
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck
from askback.errors import Conflict, NotFound
from askback.ports.bus import PersonalChange
from askback.ports.inbox import Comment
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.wire.inbox import CommentBody


async def list_comments(ctx: Services, principal: Principal, request_id: str) -> dict[str, Any]:
    """Return the comments of a request, oldest first. Raises `NotFound`."""
    await roles.require(ctx, principal, "list_comments", request_id)
    await get_request(ctx, principal, request_id)
    comments = await ctx.store.comments(principal.tenant, request_id)
    return {"comments": [comment.wire for comment in comments]}


async def add_comment(ctx: Services, principal: Principal, request_id: str, body: object) -> dict[str, Any]:
    """Add a comment with a `CommentBody` and return it; a request that has ended can still get one.

    Raises `NotFound`, `Faults`, `Forbidden` below the level `prompt`, `RateLimited`, and `Conflict`
    (`too_many_comments`).
    """
    await roles.require(ctx, principal, "add_comment", request_id)
    record = await _require_writable(ctx, principal, request_id, "add_comment")
    payload = parse(CommentBody, body)
    report = Report()
    TextCheck(report, suspicious=True).at("text", payload.text, ctx.limits.comment, lines=True)
    report.finish()
    await ctx.rate_limiter.count_answer(principal, clock=ctx.clock, store=ctx.store)
    now = ctx.clock.now_ms()
    comment = Comment(
        ctx.ids.new("cmt", now_ms=now), record.id, json.dumps(principal.actor), payload.text, now
    )
    effects = _audited(ctx, principal, record, "comment", comment.id)
    if not await ctx.store.add_comment(record.tenant, comment, effects, limit=ctx.limits.comments):
        raise Conflict(
            f"A request has at most {ctx.limits.comments} comments. Delete one first.",
            code="too_many_comments",
        )
    _publish_change(ctx, record)
    return comment.wire


async def delete_comment(ctx: Services, principal: Principal, request_id: str, comment_id: str) -> None:
    """Delete a comment of the caller; the owner of the thread and admins may delete any. Raises `NotFound`."""
    await roles.require(ctx, principal, "delete_comment", request_id)
    record = await _require_writable(ctx, principal, request_id, "delete_comment")
    comments = await ctx.store.comments(record.tenant, record.id)
    comment = next((item for item in comments if item.id == comment_id), None)
    if comment is None:
        raise NotFound("There is no such comment.")
    author = json.loads(comment.author)
    if principal.user != author.get("user", author["id"]):
        await sharing.require(
            ctx,
            principal,
            record.access,
            AccessLevel.OWNER,
            thread_id=record.thread_id,
            operation="delete_comment",
            request_id=record.id,
        )
    effects = _audited(ctx, principal, record, "comment.deleted", comment_id)
    await ctx.store.delete_comment(record.tenant, record.id, comment_id, effects)
    _publish_change(ctx, record)


async def _require_writable(ctx: Services, principal: Principal, request_id: str, operation: str) -> Record:
    record = await get_request(ctx, principal, request_id)
    await sharing.require(
        ctx,
        principal,
        record.access,
        AccessLevel.PROMPT,
        thread_id=record.thread_id,
        operation=operation,
        request_id=record.id,
    )
    return record


def _audited(
    ctx: Services, principal: Principal, record: Record, action: str, comment_id: str
) -> SideEffects:
    """Return the audit entry of a change; it does not contain the text, because entries are never deleted."""
    now = ctx.clock.now_ms()
    entry = audit_entry(
        action, at=now, tenant=record.tenant, by=principal, about=record, comment_id=comment_id
    )
    return SideEffects(audit=(entry,))


def _publish_change(ctx: Services, record: Record) -> None:
    ctx.bus.tell_person(PersonalChange("", record.tenant, record.thread_id, record.id, "comments", ""))
