"""What readers do: each function takes a connection and returns domain values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from askback.domain.access import OPEN, Access, read_access
from askback.domain.events import Event
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.record import Record
from askback.ports.store import Session, ThreadView
from askback.storage import rows
from askback.storage.branches import branches
from askback.storage.sqlite import queries
from askback.storage.sqlite.connection import Connection


def read_request(db: Connection, tenant: str, request_id: str) -> Record | None:
    """Read one request."""
    row = db.execute(queries.GET, (tenant, request_id)).fetchone()
    return None if row is None else rows.record(row)


def read_requests(
    db: Connection,
    tenant: str,
    *,
    thread_id: str | None,
    statuses: frozenset[Status] | None,
    kind: str | None,
    requester: str | None,
    person: str | None,
    before: str | None,
    limit: int,
) -> Sequence[Record]:
    """Read one page of requests, newest first."""
    if statuses is not None and not statuses:
        return []
    only_open = bool(statuses) and not (statuses & TERMINAL)
    if (
        thread_id is None
        and (kind is not None or requester is not None or statuses)
        and not (only_open and kind is None and requester is None)
    ):
        found = branches(kind=kind, statuses=statuses)
        sql = queries.list_branches(
            branches=len(found),
            requester=requester is not None,
            person=person is not None,
            before=before is not None,
        )
        page = [value for value in (person, person, before) if value is not None]
        who = [tenant] if requester is None else [tenant, requester]
        each = [value for branch in found for value in (*who, *branch, *page, limit)]
        return [rows.record(row) for row in db.execute(sql, [*each, limit]).fetchall()]
    sql = queries.list_requests(
        thread=thread_id is not None,
        statuses=len(statuses or ()),
        only_open=only_open,
        kind=kind is not None,
        requester=requester is not None,
        person=person is not None,
        before=before is not None,
    )
    chosen = [
        thread_id,
        *(status.value for status in statuses or ()),
        kind,
        requester,
        person,
        person,
        before,
    ]
    parameters = [tenant, *(value for value in chosen if value is not None), limit]
    return [rows.record(row) for row in db.execute(sql, parameters).fetchall()]


def read_open(db: Connection, tenant: str, request_id: str, *, limit: int) -> Sequence[Record]:
    """Read open requests of every tenant, behind one."""
    found = db.execute(queries.OPEN_REQUESTS, (tenant, request_id, limit)).fetchall()
    return [rows.record(row) for row in found]


def read_due(db: Connection, now_ms: int, *, limit: int) -> Sequence[Record]:
    """Read open requests whose deadline has passed."""
    return [rows.record(row) for row in db.execute(queries.DUE, (now_ms, limit)).fetchall()]


def read_next_deadline(db: Connection) -> int | None:
    """Read the earliest deadline of an open request."""
    return db.execute(queries.NEXT_DEADLINE).fetchone()[0]


def read_thread(db: Connection, tenant: str, thread_id: str, *, limit: int) -> ThreadView | None:
    """Read a thread in one snapshot, which the transaction around the three queries gives."""
    db.execute("BEGIN")
    try:
        thread = db.execute(queries.THREAD, (tenant, thread_id)).fetchone()
        if thread is None:
            return None
        key, *shown = thread
        messages = db.execute(queries.THREAD_MESSAGES, (key, limit)).fetchall()
        requests = db.execute(queries.THREAD_REQUESTS, (key, limit)).fetchall()
    finally:
        db.execute("ROLLBACK")
    return rows.thread_view(shown, [rows.message(row) for row in messages], requests)


def read_thread_access(db: Connection, tenant: str, thread_id: str) -> Access:
    """Read who may do what in a thread."""
    row = db.execute(queries.THREAD, (tenant, thread_id)).fetchone()
    return OPEN if row is None else read_access(*row[2:4])


def read_thread_events(
    db: Connection, tenant: str, thread_id: str, *, after: int, limit: int
) -> Sequence[Event]:
    """Read events of a thread above a seq."""
    return _events(db, queries.THREAD_EVENTS, (tenant, thread_id, after, limit))


def read_tenant_events(
    db: Connection, tenant: str, *, after: int, person: str | None, limit: int
) -> Sequence[Event]:
    """Read events of a tenant above a position, or those of them that a person may view."""
    if person is None:
        return _events(db, queries.TENANT_EVENTS, (tenant, after, limit))
    return _events(db, queries.PERSONS_EVENTS, (tenant, after, person, person, limit))


def read_last_position(db: Connection, tenant: str) -> int:
    """Read the position of a tenant's newest event, 0 without one."""
    return db.execute(queries.LAST_POSITION, (tenant,)).fetchone()[0] or 0


def read_session(db: Connection, digest: str, *, now_ms: int) -> Session | None:
    """Read a session that has not ended."""
    row = db.execute(queries.SESSION, (digest, now_ms)).fetchone()
    return None if row is None else rows.session(row)


def read_sessions(
    db: Connection, tenant: str | None, *, now_ms: int, person: str | None, ids: Sequence[str] | None
) -> Sequence[Session]:
    """Read sessions whose time has not passed, newest first."""
    wanted = None if ids is None else json.dumps(list(ids))
    bound = (now_ms, tenant, tenant, person, person, wanted, wanted)
    return [rows.session(row) for row in db.execute(queries.SESSIONS, bound).fetchall()]


def read_server_id(db: Connection) -> str:
    """Read the id of the store."""
    return db.execute(queries.SERVER_ID).fetchone()[0]


def _events(db: Connection, sql: str, parameters: tuple[Any, ...]) -> Sequence[Event]:
    return [rows.event(row) for row in db.execute(sql, parameters).fetchall()]
