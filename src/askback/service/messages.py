"""The transcript, for hosts that keep none: messages, and text that streams into them."""

from __future__ import annotations

import json
from typing import Any, cast

from askback.domain import events
from askback.domain.bodies import AppendBody, ImageBlock, MessageBody, RequestBlock
from askback.domain.faults import Fault, Faults, fault
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.errors import NotFound
from askback.ports.store import MessageMissing, Outcome, Principal
from askback.service import access
from askback.service.claims import claim
from askback.service.context import Services

IMAGES = ("https://", "data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
ROLES = {"requester": "agent", "responder": "user", "admin": "user"}


async def post(
    ctx: Services, principal: Principal, thread_id: str, body: object, *, key: str | None = None
) -> tuple[dict[str, Any], Outcome]:
    """Add a message and return `({"id"}, outcome)`, or append to one and return `({}, APPLIED)`."""
    await access.require(ctx, principal, "message")
    if faults := text_faults("thread_id", thread_id, max_length=ctx.limits.identifier, lines=False):
        raise Faults(faults)
    if isinstance(body, dict) and "append_to" in body:
        return await _append(ctx, principal, thread_id, cast("dict[str, object]", body))
    return await _add(ctx, principal, thread_id, body, key)


async def _add(
    ctx: Services, principal: Principal, thread_id: str, body: object, key: str | None
) -> tuple[dict[str, Any], Outcome]:
    sent = parse(MessageBody, body)
    await _check(ctx, principal, sent)
    now = ctx.clock.now_ms()
    message = {
        "id": sent.id or ctx.ids.new("msg", now_ms=now),
        "role": ROLES[principal.role],
        "author": principal.name,
        "run_id": sent.run_id,
        "at": rfc3339(now),
        "content": [block.model_dump(exclude_none=True) for block in sent.content],
    }
    text = json.dumps({k: v for k, v in message.items() if v is not None}, separators=(",", ":"))
    event = events.Draft(events.MESSAGE_ADDED, principal.tenant, thread_id, now, None, text)
    scope = f"message:{thread_id}"
    message_id, outcome = await ctx.store.add_message(
        message["id"], text, event, claim(principal, scope, key or sent.id, body)
    )
    return {"id": message_id}, outcome


async def _append(
    ctx: Services, principal: Principal, thread_id: str, body: dict[str, object]
) -> tuple[dict[str, Any], Outcome]:
    sent = parse(AppendBody, body)
    if faults := _too_big(ctx, sent.text, "text"):
        raise Faults(faults)
    now = ctx.clock.now_ms()
    data = json.dumps({"id": sent.append_to, "text": sent.text}, separators=(",", ":"))
    event = events.Draft(events.MESSAGE_DELTA, principal.tenant, thread_id, now, None, data)
    try:
        await ctx.store.append_text(sent.append_to, sent.text, event)
    except MessageMissing:
        raise NotFound("There is no such message in this thread.") from None
    return {}, Outcome.APPLIED


async def _check(ctx: Services, principal: Principal, sent: MessageBody) -> None:
    limit = ctx.limits.identifier
    faults: list[Fault] = [] if sent.content else [fault("content", "too_few", min=1)]
    for name in ("id", "run_id"):
        value = getattr(sent, name)
        if value is not None:
            faults += text_faults(name, value, max_length=limit, lines=False)
    faults += _too_big(ctx, sent.model_dump_json(), "content")
    for i, block in enumerate(sent.content):
        if isinstance(block, ImageBlock) and not block.url.startswith(IMAGES):
            faults.append(fault(f"content[{i}].url", "invalid_url"))
        if isinstance(block, RequestBlock):
            record = await ctx.store.get(principal.tenant, block.request_id)
            if record is None or not access.sees(principal, record.requester):
                faults.append(fault(f"content[{i}].request_id", "unknown_request"))
    if faults:
        raise Faults(faults)


def _too_big(ctx: Services, text: str, path: str) -> list[Fault]:
    size = len(text.encode())
    return [fault(path, "too_long.bytes", max=ctx.limits.message_bytes)] if size > ctx.limits.message_bytes else []
