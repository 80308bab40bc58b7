"""Store messages, the text that is streamed into them and the progress of their tool calls."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, cast

from askback.domain import events
from askback.domain.access import AccessLevel
from askback.domain.faults import Faults, fault
from askback.domain.files import UploadedFile, Uploads
from askback.domain.limits import SAFE_INTEGER
from askback.domain.timestamps import rfc3339
from askback.domain.transcript import UnknownToolCall, append_parts, update_tool_call
from askback.domain.validation.envelope import check_metadata
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck, check_identifier, check_line
from askback.errors import Conflict, NotFound
from askback.ports.files import FileRefused
from askback.ports.outcome import Outcome
from askback.ports.store import Claim, ClaimMismatch, IdTaken, MessageFull, MessageMissing, Principal
from askback.ports.threads import ThreadArchived
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.idempotency import idempotency_claim, require_not_erased
from askback.service.threads import free_text, message_files
from askback.wire.thread_bodies import (
    AppendBody,
    Block,
    FileBlock,
    ImageBlock,
    MessageBody,
    RequestBlock,
    ToolBlock,
    ToolCallBody,
)

IMAGES = ("https://", "data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
_NO_DATA: Mapping[str, Any] = MappingProxyType({})
ROLES = {"requester": "agent", "responder": "user", "admin": "user"}


async def post_message(
    ctx: Services, principal: Principal, thread_id: str, body: object, *, key: str | None = None
) -> tuple[dict[str, Any], Outcome]:
    """Add a message and return `({"id"}, outcome)`, or append to one and return `({}, outcome)`.

    If a person writes while a request is open, the reply also has the result of `free_text.py`.
    """
    await roles.require(ctx, principal, "post_message")
    check_identifier("thread_id", thread_id, ctx.limits)
    await sharing.require_in(ctx, principal, thread_id, AccessLevel.PROMPT, operation="post_message")
    members = _members(body)
    try:
        if "append_to" in members:
            return await _append(ctx, principal, thread_id, members, key)
        return await _add(ctx, principal, thread_id, body, key)
    except ThreadArchived:
        await require_not_erased(ctx, principal, thread_id, key)
        raise


def _members(body: object) -> dict[str, object]:
    return cast("dict[str, object]", body) if isinstance(body, dict) else {}


async def _add(
    ctx: Services, principal: Principal, thread_id: str, body: object, key: str | None
) -> tuple[dict[str, Any], Outcome]:
    payload = parse(MessageBody, body)
    _check_envelope(ctx, payload)
    scope, path = f"message:{thread_id}", "Idempotency-Key" if key else "id"
    claim = idempotency_claim(principal, scope, key or payload.id, payload, path=path)
    if claim is not None and (message_id := await _earlier_message_id(ctx, claim, key)) is not None:
        policy_result = await free_text.replayed_result(ctx, principal, thread_id, payload, message_id)
        return {"id": message_id, **policy_result}, Outcome.REPLAYED
    files = await _check_content(ctx, principal, thread_id, payload.content)
    await ctx.rate_limiter.count_message(principal.tenant, thread_id, clock=ctx.clock, store=ctx.store)
    policy = await free_text.policy_for_message(ctx, principal, thread_id)
    is_held, now = policy == "queue", ctx.clock.now_ms()
    message: dict[str, Any] = {
        "id": payload.id or ctx.ids.new("msg", now_ms=now),
        "role": ROLES[principal.role],
        "author": principal.actor,
        "agent": None if payload.agent is None else payload.agent.model_dump(exclude_none=True),
        "run_id": payload.run_id,
        "at": rfc3339(now),
        "held": is_held or None,
        "metadata": payload.metadata,
        "content": _parts(payload.content, files),
    }
    text = json.dumps({k: v for k, v in message.items() if v is not None}, separators=(",", ":"))
    kind = events.MESSAGE_HELD if is_held else events.MESSAGE_ADDED
    event = events.EventDraft(
        kind, principal.tenant, thread_id, now, None, text, principal.id, sharing.agent_of(principal)
    )
    try:
        message_id, outcome = await ctx.store.add_message(
            message["id"], text, event, claim, message_files.share(principal, thread_id, files), held=is_held
        )
    except IdTaken:
        raise _id_taken() from None
    except FileRefused:
        raise _file_gone() from None
    if outcome is Outcome.REPLAYED:
        policy_result = await free_text.replayed_result(ctx, principal, thread_id, payload, message_id)
        return {"id": message_id, **policy_result}, outcome
    if roles.is_person(principal):
        await refusals.lift_by_message(ctx, principal, thread_id)
    policy_result = await free_text.apply_policy(
        ctx, principal, thread_id, payload, policy, message_id=message_id
    )
    return {"id": message_id, **({"held": True} if is_held else {}), **policy_result}, outcome


async def _earlier_message_id(ctx: Services, claim: Claim, key: str | None) -> str | None:
    """Return the id of the message that was posted before with this key or id."""
    try:
        return await ctx.store.find_claim(claim)
    except ClaimMismatch:
        if key is not None:
            raise
        raise _id_taken() from None


def _file_gone() -> Faults:
    return Faults([fault("content", "unknown_file.message")])


def _id_taken() -> Conflict:
    return Conflict("Another message of this thread already has this id. Use a new id.", code="id_taken")


async def _append(
    ctx: Services, principal: Principal, thread_id: str, body: dict[str, object], key: str | None
) -> tuple[dict[str, Any], Outcome]:
    payload = parse(AppendBody, body)
    check_line("append_to", payload.append_to, ctx.limits.identifier)
    report = Report()
    if (payload.text is None) == (payload.content is None):
        report.add("text", "missing_required" if payload.text is None else "contradiction.content")
    report.finish()
    if payload.content is not None:
        return {}, await _append_parts(ctx, principal, thread_id, payload.append_to, payload.content)
    text = payload.text or ""
    _check_size(ctx, report, "text", text)
    report.finish()
    event = _event(ctx, principal, thread_id, events.MESSAGE_DELTA, {"id": payload.append_to, "text": text})
    claim = idempotency_claim(principal, f"append:{thread_id}:{payload.append_to}", key, payload)
    with _refusals(ctx, "text"):
        limit = ctx.limits.message_bytes
        return {}, await ctx.store.append_text(payload.append_to, text, event, claim, limit=limit)
    raise AssertionError("unreachable: the context manager suppresses no exception")


async def _append_parts(
    ctx: Services, principal: Principal, thread_id: str, message_id: str, content: Sequence[Block]
) -> Outcome:
    files = await _check_content(ctx, principal, thread_id, content)
    effects = message_files.share(principal, thread_id, files)
    event = _event(ctx, principal, thread_id, events.MESSAGE_UPDATED)
    with _refusals(ctx, "content"):
        return await ctx.store.change_message(
            message_id,
            append_parts(_parts(content, files)),
            event,
            effects,
            limit=ctx.limits.message_bytes,
        )
    raise AssertionError("unreachable: the context manager suppresses no exception")


def _parts(content: Sequence[Block], files: Uploads) -> list[dict[str, Any]]:
    return [
        block.model_dump(exclude_none=True)
        | ({"file": files[block.file].value} if isinstance(block, FileBlock) else {})
        for block in content
    ]


async def update_message(
    ctx: Services, principal: Principal, thread_id: str, message_id: str, body: object
) -> None:
    """Update a tool call in a message of the caller, with a `ToolCallBody`.

    Raises `Faults`, and `NotFound` for a message that the caller has not written or that has no such tool call.
    """
    await roles.require(ctx, principal, "update_message")
    check_identifier("thread_id", thread_id, ctx.limits)
    check_identifier("message_id", message_id, ctx.limits)
    await sharing.require_in(ctx, principal, thread_id, AccessLevel.PROMPT, operation="update_message")
    payload = parse(ToolCallBody, body)
    report = Report()
    TextCheck(report, suspicious=True).line("", "tool_call_id", payload.tool_call_id, ctx.limits.identifier)
    _check_duration(report, "duration_ms", payload.duration_ms)
    _check_size(ctx, report, "result", payload.model_dump_json())
    members = payload.model_dump(exclude={"tool_call_id"}, exclude_none=True)
    if not members:
        report.add("status", "missing_required")
    report.finish()
    event = _event(ctx, principal, thread_id, events.MESSAGE_UPDATED)
    change = update_tool_call(payload.tool_call_id, members)
    with _refusals(ctx, "result"):
        await ctx.store.change_message(message_id, change, event, limit=ctx.limits.message_bytes)


def _event(
    ctx: Services, principal: Principal, thread_id: str, kind: str, data: Mapping[str, Any] = _NO_DATA
) -> events.EventDraft:
    text = json.dumps(dict(data), separators=(",", ":"))
    agent = sharing.agent_of(principal)
    return events.EventDraft(
        kind, principal.tenant, thread_id, ctx.clock.now_ms(), None, text, principal.id, agent
    )


@contextmanager
def _refusals(ctx: Services, path: str) -> Generator[None]:
    """Turn the store's refusal of a message into an error of the caller."""
    try:
        yield
    except MessageMissing:
        raise NotFound("There is no such message in this thread.") from None
    except UnknownToolCall:
        raise NotFound("There is no such tool call in this message.") from None
    except FileRefused:
        raise _file_gone() from None
    except MessageFull:
        raise Faults([fault(path, "too_long.bytes", max=ctx.limits.message_bytes)]) from None


def _check_envelope(ctx: Services, payload: MessageBody) -> None:
    report = Report()
    text_check = TextCheck(report, suspicious=True, limits=ctx.limits)
    text_check.identifier("id", payload.id)
    text_check.identifier("run_id", payload.run_id)
    if payload.agent is not None:
        text_check.line("agent", "name", payload.agent.name, ctx.limits.identifier)
        text_check.line("agent", "tool", payload.agent.tool, ctx.limits.identifier)
    if payload.metadata is not None:
        check_metadata(payload.metadata, report, ctx.limits)
    report.finish()


async def _check_content(
    ctx: Services, principal: Principal, thread_id: str, content: Sequence[Block]
) -> Uploads:
    """Check parts of a message and return the files that they name."""
    report, files = Report(), dict[str, UploadedFile]()
    if not content:
        report.add("content", "too_few.blocks")
    _check_size(ctx, report, "content", "".join(block.model_dump_json() for block in content))
    for i, block in enumerate(content):
        if isinstance(block, ToolBlock):
            _check_duration(report, f"content[{i}].duration_ms", block.duration_ms)
        if isinstance(block, ImageBlock) and not block.url.startswith(IMAGES):
            report.add(f"content[{i}].url", "invalid_url")
        if isinstance(block, RequestBlock):
            record = await ctx.store.get(principal.tenant, block.request_id)
            if record is None or not sharing.can_see(
                principal, record.requester, record.access, record.thread_id
            ):
                report.add(f"content[{i}].request_id", "unknown_request")
        if isinstance(block, FileBlock):
            file = await message_files.find(ctx, principal, thread_id, block.file)
            if file is None:
                report.add(f"content[{i}].file", "unknown_file.message")
            else:
                files[file.id] = file.upload
    report.finish()
    _check_size(ctx, report, "content", json.dumps(_parts(content, files), separators=(",", ":")))
    report.finish()
    return files


def _check_duration(report: Report, path: str, duration_ms: int | None) -> None:
    if duration_ms is not None and not 0 <= duration_ms <= SAFE_INTEGER:
        report.add(path, "out_of_range", min=0, max=SAFE_INTEGER)


def _check_size(ctx: Services, report: Report, path: str, text: str) -> None:
    if len(text.encode()) > ctx.limits.message_bytes:
        report.add(path, "too_long.bytes", max=ctx.limits.message_bytes)
