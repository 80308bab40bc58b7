"""Store the transcript, for hosts that have none: messages, and text that is streamed into them."""

from __future__ import annotations

import json
from typing import Any, cast

from askback.domain import events
from askback.domain.access import Level
from askback.domain.bodies import AppendBody, ImageBlock, MessageBody, RequestBlock
from askback.domain.faults import Faults, fault
from askback.domain.timestamps import rfc3339
from askback.domain.validation.prose import Prose, check_line
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.ports.outcome import Outcome
from askback.ports.store import Claim, ClaimMismatch, IdTaken, MessageFull, MessageMissing, Principal
from askback.service import access, freetext, refusals, sharing
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.erased import unless_erased

IMAGES = ("https://", "data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
ROLES = {"requester": "agent", "responder": "user", "admin": "user"}


async def post(
    ctx: Services, principal: Principal, thread_id: str, body: object, *, key: str | None = None
) -> tuple[dict[str, Any], Outcome]:
    """Add a message and return `({"id"}, outcome)`, or append to one and return `({}, outcome)`.

    Beside the id stands what `freetext.py` made of it, where it was a person's while a request was open.
    """
    await access.require(ctx, principal, "message")
    check_line("thread_id", thread_id, ctx.limits.identifier)
    await sharing.require_in(ctx, principal, thread_id, Level.PROMPT, attempted="message")
    members = _members(body)
    async with unless_erased(ctx, principal, thread_id, key):
        if "append_to" in members:
            return await _append(ctx, principal, thread_id, members, key)
        return await _add(ctx, principal, thread_id, body, key)
    raise AssertionError("what is not raised is returned")


def _members(body: object) -> dict[str, object]:
    return cast("dict[str, object]", body) if isinstance(body, dict) else {}


async def _add(
    ctx: Services, principal: Principal, thread_id: str, body: object, key: str | None
) -> tuple[dict[str, Any], Outcome]:
    sent = parse(MessageBody, body)
    scope = f"message:{thread_id}"
    claimed = claim(principal, scope, key or sent.id, sent)
    if claimed is not None and (message_id := await _claimed(ctx, claimed, key)) is not None:
        told = await freetext.followed(ctx, principal, thread_id, sent, message_id)
        return {"id": message_id, **told}, Outcome.REPLAYED
    await _check(ctx, principal, sent)
    await ctx.pace.take_message(principal.tenant, thread_id, clock=ctx.clock, store=ctx.store)
    policy = await freetext.admit(ctx, principal, thread_id)
    held, now = policy == "queue", ctx.clock.now_ms()
    message: dict[str, Any] = {
        "id": sent.id or ctx.ids.new("msg", now_ms=now),
        "role": ROLES[principal.role],
        "author": principal.actor,
        "run_id": sent.run_id,
        "at": rfc3339(now),
        "held": held or None,
        "content": [block.model_dump(exclude_none=True) for block in sent.content],
    }
    text = json.dumps({k: v for k, v in message.items() if v is not None}, separators=(",", ":"))
    kind = events.MESSAGE_HELD if held else events.MESSAGE_ADDED
    event = events.Draft(
        kind, principal.tenant, thread_id, now, None, text, principal.id, sharing.agent_of(principal)
    )
    try:
        message_id, outcome = await ctx.store.add_message(message["id"], text, event, claimed, held=held)
    except IdTaken:
        raise _id_taken() from None
    if outcome is Outcome.REPLAYED:
        told = await freetext.followed(ctx, principal, thread_id, sent, message_id)
        return {"id": message_id, **told}, outcome
    if access.is_person(principal):
        await refusals.lift_by_message(ctx, principal, thread_id)
    told = await freetext.follow(ctx, principal, thread_id, sent, policy, message_id=message_id)
    return {"id": message_id, **({"held": True} if held else {}), **told}, outcome


async def _claimed(ctx: Services, claimed: Claim, key: str | None) -> str | None:
    """Return the id of the message that was posted before under this key, or under the id that stands for one."""
    try:
        return await ctx.store.claimed(claimed)
    except ClaimMismatch:
        if key is not None:
            raise
        raise _id_taken() from None


def _id_taken() -> Conflict:
    return Conflict("Another message of this thread already has this id. Use a new id.", code="id_taken")


async def _append(
    ctx: Services, principal: Principal, thread_id: str, body: dict[str, object], key: str | None
) -> tuple[dict[str, Any], Outcome]:
    sent = parse(AppendBody, body)
    check_line("append_to", sent.append_to, ctx.limits.identifier)
    report = Report()
    _check_size(ctx, report, "text", sent.text)
    report.finish()
    now = ctx.clock.now_ms()
    data = json.dumps({"id": sent.append_to, "text": sent.text}, separators=(",", ":"))
    event = events.Draft(
        events.MESSAGE_DELTA,
        principal.tenant,
        thread_id,
        now,
        None,
        data,
        principal.id,
        sharing.agent_of(principal),
    )
    claimed = claim(principal, f"append:{thread_id}:{sent.append_to}", key, sent)
    try:
        most = ctx.limits.message_bytes
        outcome = await ctx.store.append_text(sent.append_to, sent.text, event, claimed, most=most)
    except MessageMissing:
        raise NotFound("There is no such message in this thread.") from None
    except MessageFull:
        raise Faults([fault("text", "too_long.bytes", max=ctx.limits.message_bytes)]) from None
    return {}, outcome


async def _check(ctx: Services, principal: Principal, sent: MessageBody) -> None:
    report = Report()
    prose = Prose(report, suspicious=True)
    prose.line("", "id", sent.id, ctx.limits.identifier)
    prose.line("", "run_id", sent.run_id, ctx.limits.identifier)
    if not sent.content:
        report.add("content", "too_few.blocks")
    _check_size(ctx, report, "content", sent.model_dump_json())
    for i, block in enumerate(sent.content):
        if isinstance(block, ImageBlock) and not block.url.startswith(IMAGES):
            report.add(f"content[{i}].url", "invalid_url")
        if isinstance(block, RequestBlock):
            record = await ctx.store.get(principal.tenant, block.request_id)
            if record is None or not sharing.sees(
                principal, record.requester, record.access, record.thread_id
            ):
                report.add(f"content[{i}].request_id", "unknown_request")
    report.finish()


def _check_size(ctx: Services, report: Report, path: str, text: str) -> None:
    if len(text.encode()) > ctx.limits.message_bytes:
        report.add(path, "too_long.bytes", max=ctx.limits.message_bytes)
