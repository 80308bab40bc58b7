"""Export a thread as one document."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from askback.domain import jsontext
from askback.domain.access import AccessLevel
from askback.domain.events import Event
from askback.domain.kinds import kind_of
from askback.domain.policy.settings import read_thread_settings
from askback.domain.timestamps import rfc3339
from askback.ports.files import StoredFile
from askback.ports.policy import SideEffects
from askback.ports.store import Principal, ThreadView
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services

PAGE = 500
MAX_ROWS = 2**31 - 1


async def export_thread(ctx: Services, principal: Principal, thread_id: str) -> str:
    """Return a thread as JSON text, complete as of its `seq`, with the names of secrets but no values.

    It has `id`, `title`, `metadata`, `exported_at`, `archived_at`, `access`, `seq`, `settings` (of this thread, without
    the tenant's), and the lists `runs`, `messages`, `requests`, `comments`, `files` (without their bytes),
    `executions`, `rules` (also ended ones), `events` and `audit`. Raises `NotFound`, and `Forbidden` for anybody but
    the owner and admins.
    """
    await roles.require(ctx, principal, "export_thread")
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(
        ctx, principal, access, AccessLevel.OWNER, thread_id=thread_id, operation="export_thread"
    )
    view = await ctx.store.thread(principal.tenant, thread_id, limit=MAX_ROWS)
    if view is None:
        raise sharing.no_such_thread()
    now, tenant = ctx.clock.now_ms(), principal.tenant
    entry = audit_entry("thread.exported", at=now, tenant=tenant, by=principal, thread_id=thread_id)
    await ctx.store.write(SideEffects(audit=(entry,)))
    thread_config = await ctx.store.thread_config(tenant, thread_id)
    thread_members = {
        "id": thread_id,
        "title": view.title,
        "metadata": None if view.metadata is None else json.loads(view.metadata),
        "answers_as_messages": thread_config.answers_as_messages,
        "exported_at": rfc3339(now),
        "archived_at": None if view.archived_at is None else rfc3339(view.archived_at),
        "access": view.access.wire,
        "seq": view.seq,
        "settings": json.loads(thread_config.thread_settings) if thread_config.thread_settings else {},
    }
    lists: dict[str, list[str]] = {
        "runs": [text async for text in _runs(ctx, tenant, thread_id)],
        "messages": [message.wire for message in view.messages],
        "requests": [record.wire_with(seq=seq) for seq, record in view.requests],
        "files": [_file(file) for file in await ctx.store.files_of_thread(tenant, thread_id)],
        "comments": [text async for text in _comments(ctx, view)],
        "executions": [text async for text in _executions(ctx, view)],
        "rules": [text async for text in _rules(ctx, tenant, thread_id)],
        "events": [
            event.text async for event in _stored_events(ctx, tenant, thread_id) if event.seq <= view.seq
        ],
        "audit": [text async for text in _audit(ctx, tenant, thread_id)],
    }
    parts = ",".join(f'"{name}":[{",".join(texts)}]' for name, texts in lists.items())
    return jsontext.merge(json.dumps(thread_members), f"{{{parts}}}")


def _file(file: StoredFile) -> str:
    request_members = {"field": file.field, "request_id": file.request_id} if file.request_id else {}
    return json.dumps({**file.upload.value, **request_members})


async def _executions(ctx: Services, view: ThreadView) -> AsyncIterator[str]:
    for _, record in view.requests:
        execution = (
            await ctx.store.execution(record.tenant, record.id) if kind_of(record).is_executed else None
        )
        if execution is not None:
            members: dict[str, Any] = {**asdict(execution), "consumed_at": rfc3339(execution.consumed_at)}
            yield json.dumps({"request_id": record.id, **members})


async def _comments(ctx: Services, view: ThreadView) -> AsyncIterator[str]:
    for _, record in view.requests:
        for comment in await ctx.store.comments(record.tenant, record.id):
            yield json.dumps({"request_id": record.id, **comment.wire}, ensure_ascii=False)


async def _stored_events(ctx: Services, tenant: str, thread_id: str) -> AsyncIterator[Event]:
    last_seq = 0
    while page := await ctx.store.thread_events(tenant, thread_id, after=last_seq, limit=PAGE):
        for event in page:
            yield event
        last_seq = page[-1].seq


async def visible_events(ctx: Services, principal: Principal, thread_id: str) -> AsyncIterator[Event]:
    """Yield the events of a thread so far that the caller may see; raises as a subscription to it does."""
    await roles.require(ctx, principal, "watch_thread")
    await sharing.require_to_watch(ctx, principal, thread_id)
    async for event in _stored_events(ctx, principal.tenant, thread_id):
        if (visible_event := sharing.visible_event(principal, event)) is not None:
            yield visible_event


async def _runs(ctx: Services, tenant: str, thread_id: str) -> AsyncIterator[str]:
    cursor = None
    while page := await ctx.store.runs(tenant, thread_id, before=cursor, limit=PAGE):
        for run in page:
            yield run.wire
        cursor = page[-1].key


async def _rules(ctx: Services, tenant: str, thread_id: str) -> AsyncIterator[str]:
    before, now = None, ctx.clock.now_ms()
    while page := await ctx.store.rules(
        tenant, thread_id=thread_id, ended=True, now_ms=now, before=before, limit=PAGE
    ):
        for rule in page:
            yield rule.wire
        before = page[-1].id


async def _audit(ctx: Services, tenant: str, thread_id: str) -> AsyncIterator[str]:
    entries: list[str] = []
    cursor = None
    while page := await ctx.store.latest_audit(tenant, thread_id=thread_id, before=cursor, limit=PAGE):
        entries += [text for _, text in page]
        cursor = page[-1][0]
    for text in reversed(entries):
        yield text


EMPTY = ThreadView(0, (), ())


async def get_thread(ctx: Services, principal: Principal, thread_id: str) -> str:
    """Return the snapshot as JSON text; an unknown thread is empty, since the first message creates it.

    Raises `NotFound` for a thread that is hidden from the caller.
    """
    await roles.require(ctx, principal, "get_thread")
    if not 0 < len(thread_id) <= ctx.limits.identifier:
        raise sharing.no_such_thread()
    view = await ctx.store.thread(principal.tenant, thread_id) or EMPTY
    await sharing.require(
        ctx, principal, view.access, AccessLevel.VIEW, thread_id=thread_id, operation="get_thread"
    )
    messages = [message.wire for message in view.messages]
    requests = [
        sharing.visible_to(principal, record).wire_with(seq=seq)
        for seq, record in view.requests
        if sharing.can_see(principal, record.requester, record.access, thread_id)
    ]
    runs = [run.wire for run in view.runs if principal.role != "requester" or run.agent == principal.id]
    granted_level = sharing.level(principal, view.access, thread_id).wire_name
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    policy = read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings).free_text
    title = "" if view.title is None else f'"title":{json.dumps(view.title)},'
    metadata = "" if view.metadata is None else f'"metadata":{view.metadata},'
    as_messages = '"answers_as_messages":true,' if thread_config.answers_as_messages else ""
    archived = "" if view.archived_at is None else f'"archived_at":"{rfc3339(view.archived_at)}",'
    return (
        f'{{"id":{json.dumps(thread_id)},"seq":{view.seq},"access":{{"level":"{granted_level}"}},'
        f'{title}{metadata}{archived}{as_messages}"free_text":"{policy}",'
        f'"messages":[{",".join(messages)}],"requests":[{",".join(requests)}],"runs":[{",".join(runs)}]}}'
    )
