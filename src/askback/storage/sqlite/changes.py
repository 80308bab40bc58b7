"""Changes of requests and messages by the writer thread, each within the transaction of its group."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from askback.domain.access import UNSHARED, AccessList, read_access
from askback.domain.events import Event, EventDraft
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import (
    Change,
    Claim,
    ClaimMismatch,
    ExternalIdTaken,
    IdTaken,
    MessageFull,
    MessageMissing,
    Settlement,
)
from askback.ports.threads import Quota
from askback.storage import rows
from askback.storage.sql.requests import REQUEST, REQUEST_OF
from askback.storage.sqlite import queries, threads
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.database import run_side_effects
from askback.storage.sqlite.dialect import rewrite
from askback.storage.sqlite.log import EventSlot, append, next_seq
from askback.storage.sqlite.queries import THREAD

_ENDLESS = 2**62
_REQUEST = rewrite(REQUEST)
_REQUEST_OF = rewrite(REQUEST_OF)


def insert(
    db: Connection,
    events: list[Event],
    record: Record,
    draft: EventDraft,
    claim: Claim | None,
    effects: SideEffects,
    quota: Quota | None,
) -> Change:
    """Store a request, its event, its claim and its side effects."""
    if claim is not None and (target := _take_claim(db, claim, record.id)) is not None:
        return Change(_stored_request(db, record.tenant, target), Outcome.REPLAYED)
    labels = record.labels
    if labels.external_id is not None:
        _require_new(db, record, labels.external_id)
    if record.settled:
        slot = next_seq(db, draft, new=True)
    else:
        slot, record = threads.admit(db, draft, record, quota)
    settled_at, person, outcome = record.end
    row = {
        "tenant": record.tenant, "id": record.id, "thread": slot.thread, "kind": record.kind,
        "requester": record.requester, "status": record.status.value, "revision": record.revision,
        "created_at": record.created_at, "expires_at": record.expires_at, "created_seq": slot.seq,
        "state": record.state.text, "spec": record.spec.text, "digest": record.digest, "due_at": record.due_at,
        "exclusive": record.exclusive, "behind": int(record.queued_behind), "hides_names": int(record.hides_names),
        "run_id": labels.run_id, "tool_call_id": labels.tool_call_id, "external_id": labels.external_id,
        "body_digest": labels.body_digest, "settled_at": settled_at, "person": person, "outcome": outcome,
    }  # fmt: skip
    stored_columns = {column: value for column, value in row.items() if value is not None}
    try:
        key = db.execute(queries.add_request((*stored_columns,)), (*stored_columns.values(),)).lastrowid
    except sqlite3.IntegrityError:
        raise IdTaken(record.id) from None
    append(db, events, draft, slot, request=key, spec=record.spec, hides_names=record.hides_names)
    run_side_effects(db, effects)
    return Change(
        record if slot.access is record.access else replace(record, access=slot.access), Outcome.APPLIED
    )


def _require_new(db: Connection, record: Record, external_id: str) -> None:
    """Raise `ExternalIdTaken` for an external id that is in use."""
    parameters = (record.tenant, record.thread_id, record.requester, external_id)
    if (row := db.execute(_REQUEST_OF, parameters).fetchone()) is not None:
        raise ExternalIdTaken(rows.record(row[1:]), same=row[0] == record.labels.body_digest)


def settle(
    db: Connection, events: list[Event], step: Settlement, claim: Claim | None, effects: SideEffects
) -> Change | None:
    """Try one step of the lifecycle; a claim is looked up first. Only an applied step keeps it, and has `effects`."""
    if claim is not None and (target := find_claim(db, claim)) is not None:
        return Change(_stored_request(db, step.tenant, target), Outcome.REPLAYED)
    expected_statuses = f" {' '.join(step.expected_statuses)} "
    parameters = (
        step.tenant,
        step.id,
        expected_statuses,
        step.revision,
        step.state_before and step.state_before.text,
    )
    has_times, (expires_at, due_at) = int(step.times is not None), step.times or (None, None)
    times = (has_times, expires_at, has_times, due_at)
    columns = (
        step.status.value,
        step.state.text,
        int(step.asks_again),
        step.spec and step.spec.text,
        *times,
        int(step.leave_queue),
        *step.end,
    )
    is_held = step.leave_queue and threads.is_held_by_another(db, step.tenant, step.id)
    row = None if is_held else db.execute(queries.SETTLE, (*columns, *parameters)).fetchone()
    if row is None:
        current = _read(db, step.tenant, step.id)
        return None if current is None else Change(current, Outcome.LOST)
    key, kind, requester, revision, created_at, expires_at, text, digest, due_at, *line = row
    spec = Spec(text)
    draft = step.event
    slot = next_seq(db, draft)
    append(db, events, draft, slot, request=key, spec=spec, hides_names=bool(line[2]))
    if (message := step.message) is not None:
        _put_message(db, events, message.id, message.event.data, message.event, next_seq(db, message.event))
    threads.note(db, slot.thread, step, created_at=created_at, spec=spec, requester=requester)
    if claim is not None:
        _take_claim(db, claim, step.id)
    run_side_effects(db, effects)
    record = Record(
        step.id, step.tenant, draft.thread_id, kind, requester, step.status, revision,
        created_at, expires_at, spec, step.state, digest, due_at, slot.access, line[0], bool(line[1]),
        bool(line[2]),
    )  # fmt: skip
    return Change(record, Outcome.APPLIED)


def add_message(
    db: Connection,
    events: list[Event],
    message_id: str,
    data: str,
    draft: EventDraft,
    claim: Claim | None,
    effects: SideEffects,
    *,
    held: bool,
) -> tuple[str, Outcome]:
    """Store a message, its event and its claim."""
    if claim is not None and (target := _take_claim(db, claim, message_id)) is not None:
        return target, Outcome.REPLAYED
    _put_message(db, events, message_id, data, draft, next_seq(db, draft, new=True), held=held)
    run_side_effects(db, effects)
    return message_id, Outcome.APPLIED


def _put_message(
    db: Connection,
    events: list[Event],
    message_id: str,
    data: str,
    draft: EventDraft,
    slot: EventSlot,
    *,
    held: bool = False,
) -> None:
    try:
        db.execute(queries.ADD_MESSAGE, (slot.thread, message_id, draft.owner, slot.seq, data, held))
    except sqlite3.IntegrityError:
        raise IdTaken(message_id) from None
    append(db, events, draft, slot)


def append_text(
    db: Connection,
    events: list[Event],
    message_id: str,
    text: str,
    draft: EventDraft,
    claim: Claim | None,
    *,
    limit: int | None,
) -> Outcome:
    """Store a delta: its event, its claim, and its text in the row of the message."""
    if claim is not None and _take_claim(db, claim, message_id) is not None:
        return Outcome.REPLAYED
    parameters = (draft.tenant, draft.thread_id, message_id, draft.owner)
    remaining_bytes = _ENDLESS if limit is None else limit - len(text.encode())
    if db.execute(queries.APPEND_TEXT, (text, *parameters, remaining_bytes)).fetchone() is None:
        is_there = db.execute(queries.MESSAGE_THERE, parameters).fetchone() is not None
        raise MessageFull(message_id) if is_there else MessageMissing(message_id)
    append(db, events, draft, next_seq(db, draft, new=True))
    return Outcome.APPLIED


def set_access(
    db: Connection,
    events: list[Event],
    access: AccessList,
    draft: EventDraft,
    effects: SideEffects,
    *,
    before: AccessList,
) -> Outcome:
    """Replace the access list of a thread, unless it was changed meanwhile."""
    if _access(db, draft) != before:
        return Outcome.LOST
    slot = next_seq(db, draft)._replace(access=access)
    db.execute(queries.SET_ACCESS, (*access.stored_texts, slot.thread))
    append(db, events, draft, slot)
    run_side_effects(db, effects)
    return Outcome.APPLIED


def _take_claim(db: Connection, claim: Claim, target: str) -> str | None:
    """Take a key for `target`, or return the target of the call that took it before."""
    row = (claim.tenant, claim.principal, claim.scope, claim.key, claim.digest, target)
    if db.execute(queries.TAKE_CLAIM, row).fetchone() is not None:
        return None
    return find_claim(db, claim)


def find_claim(db: Connection, claim: Claim) -> str | None:
    """Return the earlier use of an idempotency key; raises `ClaimMismatch`."""
    row = db.execute(queries.CLAIM, (claim.tenant, claim.principal, claim.scope, claim.key)).fetchone()
    if row is None:
        return None
    digest, target = row
    if digest != claim.digest:
        raise ClaimMismatch(claim.key)
    return target


def _stored_request(db: Connection, tenant: str, request_id: str) -> Record:
    record = _read(db, tenant, request_id)
    assert record is not None, "a claim lives no longer than its request"
    return record


def _read(db: Connection, tenant: str, request_id: str) -> Record | None:
    row = db.execute(_REQUEST, (tenant, request_id)).fetchone()
    return None if row is None else rows.record(row)


def _access(db: Connection, draft: EventDraft) -> AccessList:
    row = db.execute(THREAD, (draft.tenant, draft.thread_id)).fetchone()
    return UNSHARED if row is None else read_access(*row[2:4])
