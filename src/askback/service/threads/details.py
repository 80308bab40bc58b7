"""List and search threads, and change their title, metadata and settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.events import THREAD_UPDATED, EventDraft
from askback.domain.markdown import plain_line
from askback.domain.timestamps import rfc3339
from askback.domain.titles import query_words
from askback.domain.validation.envelope import check_metadata
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import TextCheck, check_identifier
from askback.errors import Forbidden
from askback.ports.store import Principal
from askback.ports.threads import ThreadChanges, ThreadDetails
from askback.service.access import roles, sharing
from askback.service.context import Services
from askback.wire.operation import PEOPLE
from askback.wire.thread_bodies import ThreadBody


async def list_threads(
    ctx: Services,
    principal: Principal,
    *,
    query: str | None = None,
    agent: str | None = None,
    archived: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[dict[str, Any]], str | None]:
    """Return threads, newest first, and the cursor of the next page or None at the end.

    `query` is the id of a thread, or the beginnings of words in its title. An agent gets the threads that it may use.
    A page can have fewer threads than `limit`: those that the caller's token does not cover are left out.
    """
    await roles.require(ctx, principal, "list_threads")
    readers = _readers(principal, agent)
    if not readers:
        return [], None
    size = max(1, min(limit, ctx.limits.page))
    threads = await ctx.store.list_threads(
        principal.tenant,
        readers=readers,
        archived=archived,
        named=query,
        words=() if query is None else query_words(query),
        person=sharing.person_filter(principal),
        before=None if cursor is None else int(cursor),
        limit=size + 1,
    )
    page = [thread_wire(principal, thread) for thread in threads[:size] if _can_view(principal, thread)]
    return page, f"{threads[size - 1].key}" if len(threads) > size else None


async def update_thread(ctx: Services, principal: Principal, thread_id: str, body: object) -> dict[str, Any]:
    """Change a thread with a `ThreadBody` and return it.

    Raises `Faults`, `NotFound`, `ThreadArchived`, and `Forbidden` for a level below `PROMPT`, and for anybody
    but agents and admins if they change more than the title.
    """
    await roles.require(ctx, principal, "update_thread")
    check_identifier("thread_id", thread_id, ctx.limits)
    payload = parse(ThreadBody, body)
    report = Report()
    TextCheck(report, suspicious=True).line("", "title", payload.title, ctx.limits.title)
    if payload.metadata is not None:
        check_metadata(payload.metadata, report, ctx.limits)
    report.finish()
    access = await sharing.get_access(ctx, principal, thread_id)
    await sharing.require(
        ctx, principal, access, AccessLevel.PROMPT, thread_id=thread_id, operation="update_thread"
    )
    if principal.role == "responder" and payload.model_fields_set - {"title"}:
        await roles.record_refusal(ctx, principal, "update_thread")
        raise Forbidden(
            "The metadata and the settings of a thread belong to its agents. Change only its title."
        )
    changes: ThreadChanges = {}
    if "title" in payload.model_fields_set:
        changes["title"] = _plain_title(principal, payload.title)
    if "metadata" in payload.model_fields_set:
        changes["metadata"] = None if payload.metadata is None else compact(payload.metadata)
    if "answers_as_messages" in payload.model_fields_set:
        changes["answers_as_messages"] = bool(payload.answers_as_messages)
    event = EventDraft(
        THREAD_UPDATED,
        principal.tenant,
        thread_id,
        ctx.clock.now_ms(),
        None,
        "{}",
        principal.id,
        sharing.agent_of(principal),
    )
    await ctx.store.update_thread(event, changes)
    details = await ctx.store.thread_details(principal.tenant, thread_id)
    if details is None:
        raise sharing.no_such_thread()
    return thread_wire(principal, details)


def _plain_title(principal: Principal, title: str | None) -> str | None:
    """Return an agent's title without its Markdown. A person types plain text, such as `__init__.py`."""
    return plain_line(title) or title if title and principal.role == "requester" else title


def _readers(principal: Principal, agent: str | None) -> Sequence[str]:
    if principal.role in PEOPLE:
        return ("",) if agent is None else (agent,)
    if agent not in (None, principal.id):
        return ()
    return (principal.id,) if principal.user == principal.id else (principal.id, f"user:{principal.user}")


def _can_view(principal: Principal, thread: ThreadDetails) -> bool:
    return sharing.level(principal, thread.access, thread.id) >= AccessLevel.VIEW


def thread_wire(principal: Principal, thread: ThreadDetails) -> dict[str, Any]:
    """Return a thread for a list of the caller."""
    members: dict[str, Any] = {
        "id": thread.id,
        "title": thread.title,
        "metadata": None if thread.metadata is None else json.loads(thread.metadata),
        "answers_as_messages": thread.answers_as_messages or None,
        "owner": thread.access.owner or None,
        "agents": None if thread.access.agents is None else thread.access.agents.ids,
        "level": sharing.level(principal, thread.access, thread.id).wire_name,
        "pending": thread.pending,
        "updated_at": None if thread.updated_at is None else rfc3339(thread.updated_at),
        "archived_at": None if thread.archived_at is None else rfc3339(thread.archived_at),
    }
    return {name: value for name, value in members.items() if value is not None}


def compact(metadata: object) -> str:
    """Return metadata in its stored form."""
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":"))
