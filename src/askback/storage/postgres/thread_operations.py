"""Operations on a thread as a whole, each in a separate transaction, which locks the thread first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askback.domain.access import UNSHARED, AccessList, read_access
from askback.domain.events import MESSAGE_ADDED, EventDraft
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.threads import ThreadArchived
from askback.storage.postgres import thread_queries as queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.database import PostgresTransaction
from askback.storage.postgres.jobs import Entry, Overtaken
from askback.storage.postgres.threads import Thread, keep, number
from askback.storage.rows import delivered
from askback.storage.sql.threads import STILL_IDLE
from askback.storage.sql.transaction import ThreadOperation

OperationResult = tuple[Any, Sequence[Entry]]


async def set_access(
    db: Connection, access: AccessList, draft: EventDraft, effects: SideEffects, *, before: AccessList
) -> OperationResult:
    """Replace the access list of a thread, unless it was changed meanwhile."""
    row = await _lock(db, draft.tenant, draft.thread_id)
    if (UNSHARED if row is None else read_access(row[1], row[2])) != before:
        return Outcome.LOST, []
    thread = await _number(db, draft)
    if thread.access != before:
        raise Overtaken  # somebody made the thread meanwhile, and it is theirs
    await db.execute(queries.SET_ACCESS, thread.key, *access.stored_texts)
    await PostgresTransaction(db).write(effects)
    return Outcome.APPLIED, [Entry(draft, replace(thread.next_slot(draft), access=access))]


async def set_archived(
    db: Connection, draft: EventDraft, effects: SideEffects, *, archived_at: int | None
) -> OperationResult:
    """Archive a thread or take it back, unless it is so already."""
    row = await _lock(db, draft.tenant, draft.thread_id)
    archive = archived_at is not None
    if (row is not None and row[3] is not None) is archive:
        return Outcome.REPLAYED, []
    thread = await _number(db, draft)
    if thread.archived is archive:
        raise Overtaken  # somebody made the thread meanwhile, and archived it
    await db.execute(queries.SET_ARCHIVED, thread.key, archived_at)
    await PostgresTransaction(db).write(effects)
    entry = Entry(draft, thread.next_slot(draft))
    await keep(db, [thread])
    return Outcome.APPLIED, [entry]


async def deliver(db: Connection, tenant: str, thread_id: str, *, now: int) -> OperationResult:
    """Deliver the held messages of a thread, unless a request is open in it."""
    row = await _lock(db, tenant, thread_id)
    held_messages = [] if row is None else await db.fetch(queries.HELD_MESSAGES, row[0])
    if not held_messages:
        return 0, []
    texts = [delivered(data) for _, _, data in held_messages]
    drafts = [
        EventDraft(MESSAGE_ADDED, tenant, thread_id, now, None, text, owner)
        for (_, owner, _), text in zip(held_messages, texts, strict=True)
    ]
    thread = await _number(db, *drafts)
    entries = [Entry(draft, thread.next_slot(draft)) for draft in drafts]
    keys, seqs = [key for key, _, _ in held_messages], [entry.slot.seq for entry in entries]
    await db.execute(queries.DELIVER, keys, texts, seqs)
    return len(held_messages), entries


async def change(
    db: Connection, draft: EventDraft, operation: ThreadOperation[Any], *, new: bool
) -> OperationResult:
    """Do an operation in a thread, with the event whose data it returns."""
    thread = await _number(db, draft)
    if new and thread.archived:
        raise ThreadArchived(draft.thread_id)
    result, data = await operation(PostgresTransaction(db), thread.key)
    entry = Entry(replace(draft, data=data), thread.next_slot(draft))
    await keep(db, [thread])
    return result, [entry]


async def erase(
    db: Connection, draft: EventDraft, effects: SideEffects, *, idle_since: int | None
) -> OperationResult:
    """Erase a thread and everything that belongs to it; False if it does not exist or is no longer idle."""
    row = await _lock(db, draft.tenant, draft.thread_id)
    if row is None:
        return False, []
    if idle_since is not None and await db.fetchrow(STILL_IDLE, row[0], idle_since) is None:
        return False, []
    await db.execute(queries.ERASE, row[0], draft.tenant, draft.thread_id)
    thread = await _number(db, draft)
    await db.execute(queries.ERASED, thread.key)
    await PostgresTransaction(db).write(effects)
    return True, [Entry(draft, thread.next_slot(draft))]


async def _lock(db: Connection, tenant: str, thread_id: str) -> Any:
    """Lock a thread until the commit -> its key, access as two texts, and when it was archived, if it is there."""
    return await db.fetchrow(queries.LOCK, tenant, thread_id)


async def _number(db: Connection, *drafts: EventDraft) -> Thread:
    (thread,) = (await number(db, drafts)).values()
    for draft in drafts:
        thread.admit(draft)
    return thread
