"""Changes of whole threads by the writer thread, and the effects of changes of requests on their thread."""

from __future__ import annotations

import json
from dataclasses import replace

from askback.domain.events import MESSAGE_ADDED, Event, EventDraft
from askback.domain.policy.question_limits import count_names
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import KeyHeld, Settlement
from askback.ports.threads import CountLimit, Quota, QuotaExceeded
from askback.storage import rows
from askback.storage.rows import delivered
from askback.storage.sql.threads import HELD_BY_ANOTHER
from askback.storage.sqlite import queries
from askback.storage.sqlite import thread_queries as own
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.database import run_side_effects
from askback.storage.sqlite.dialect import rewrite
from askback.storage.sqlite.log import EventSlot, append, next_seq, next_seq_counted

_HELD_BY_ANOTHER = rewrite(HELD_BY_ANOTHER)


def admit(db: Connection, draft: EventDraft, record: Record, quota: Quota | None) -> tuple[EventSlot, Record]:
    """Give the event of a new open request its place, count the request, and return it with its number.

    Raises `ThreadOfAnother`, `ThreadArchived`, `KeyHeld` and `QuotaExceeded`, and the caller rolls back.
    """
    quota_of_form = quota if record.kind == "form" else None
    if quota_of_form is not None:
        slot, asked_count, window_start = next_seq_counted(db, draft, window=quota_of_form.window_ms)
    else:
        slot, asked_count, window_start = next_seq(db, draft, new=True), 0, 0
    if record.exclusive is not None and not record.queued_behind:
        holder = db.execute(own.HOLDER, (slot.thread, record.requester, record.exclusive)).fetchone()
        if holder is not None:
            raise KeyHeld(rows.record(holder))
    if quota is not None:
        _check_pending(db, slot.thread, record, quota)
    if (
        quota_of_form is not None
        and quota_of_form.questions is not None
        and asked_count > quota_of_form.questions
    ):
        raise QuotaExceeded("questions", quota_of_form.questions, window_start + quota_of_form.window_ms)
    if quota_of_form is None:
        return slot, record
    maximum = quota_of_form.questions
    for limit in quota_of_form.limits:
        number = _count(db, slot.thread, limit, now=draft.at, window=quota_of_form.window_of(limit))
        if limit.name == quota_of_form.numbered_by:
            asked_count, maximum = number, limit.maximum
    return slot, replace(record, spec=record.spec.with_ordinal(asked_count, maximum))


def _count(db: Connection, thread: int, limit: CountLimit, *, now: int, window: int) -> int:
    count = (thread, limit.name, now, window, limit.agent_limit)
    asked_count, window_start = db.execute(own.COUNT_QUESTION, count).fetchone()
    if asked_count > limit.maximum:
        raise QuotaExceeded("questions", limit.maximum, window_start + window, limit=limit.name)
    return asked_count


def _check_pending(db: Connection, thread: int, record: Record, quota: Quota) -> None:
    limit = quota.pending_in_thread
    if limit is not None and db.execute(own.PENDING_IN_THREAD, (thread, limit)).fetchone()[0] >= limit:
        raise QuotaExceeded("pending_in_thread", limit)
    limit = quota.pending_of_requester
    parameters = (record.tenant, record.requester, limit)
    if limit is not None and db.execute(own.PENDING_OF_REQUESTER, parameters).fetchone()[0] >= limit:
        raise QuotaExceeded("pending_of_requester", limit)


def note(
    db: Connection, thread: int, step: Settlement, *, created_at: int, spec: Spec, requester: str
) -> None:
    """Write the effects of a step of a request on its thread."""
    if step.refunds:
        db.execute(own.GIVE_BACK, (step.tenant, step.event.thread_id, created_at))
        names = json.dumps(count_names(spec.tool, requester))
        db.execute(own.GIVE_COUNTS_BACK, (thread, created_at, names))
    if step.refused:
        db.execute(own.SET_REFUSED_AT, (step.event.at, thread))


def is_held_by_another(db: Connection, tenant: str, request_id: str) -> bool:
    """Return whether another request has the exclusive key that a request waits for."""
    return db.execute(_HELD_BY_ANOTHER, (tenant, request_id)).fetchone() is not None


def set_archived(
    db: Connection, events: list[Event], draft: EventDraft, effects: SideEffects, *, archived_at: int | None
) -> Outcome:
    """Archive a thread or unarchive it, unless that is done already."""
    row = db.execute(queries.THREAD, (draft.tenant, draft.thread_id)).fetchone()
    if (row is not None and row[4] is not None) is (archived_at is not None):
        return Outcome.REPLAYED
    slot = next_seq(db, draft)
    db.execute(own.SET_ARCHIVED, (archived_at, slot.thread))
    append(db, events, draft, slot)
    run_side_effects(db, effects)
    return Outcome.APPLIED


def deliver(db: Connection, events: list[Event], tenant: str, thread_id: str, *, now: int) -> int:
    """Deliver the held messages of a thread, unless a request is open in it."""
    held_messages = db.execute(own.HELD_MESSAGES, (tenant, thread_id)).fetchall()
    for key, owner, data in held_messages:
        text = delivered(data)
        draft = EventDraft(MESSAGE_ADDED, tenant, thread_id, now, None, text, owner)
        seq = next_seq(db, draft)
        db.execute(own.DELIVER, (text, seq.seq, key))
        append(db, events, draft, seq)
    return len(held_messages)


def erase(
    db: Connection, events: list[Event], draft: EventDraft, effects: SideEffects, *, idle_since: int | None
) -> bool:
    """Erase a thread and everything that belongs to it; False if it does not exist or is no longer idle."""
    row = db.execute(queries.THREAD, (draft.tenant, draft.thread_id)).fetchone()
    if row is None:
        return False
    key = row[0]
    if idle_since is not None and db.execute(own.STILL_IDLE, (key, idle_since)).fetchone() is None:
        return False
    for query in own.ERASE_BY_THREAD:
        db.execute(query, (key, draft.tenant, draft.thread_id))
    for query in own.ERASE_BY_REQUESTS:
        db.execute(query, (key, draft.tenant))
    for query in own.ERASE:
        db.execute(query, (key,))
    append(db, events, draft, next_seq(db, draft))
    db.execute(own.ERASED, (key,))
    run_side_effects(db, effects)
    return True
