"""The events of threads, as the writer thread numbers and writes them."""

from __future__ import annotations

from typing import NamedTuple

from askback.domain import events as domain_events
from askback.domain.access import Access, read_access
from askback.domain.events import Draft, Event
from askback.ports.threads import ThreadArchived
from askback.storage.sqlite import queries
from askback.storage.sqlite.connection import Connection


class Place(NamedTuple):
    """Where an event comes: the key of its thread, its number, and who may see it."""

    thread: int
    seq: int
    access: Access


def next_seq(db: Connection, draft: Draft, *, new: bool = False) -> Place:
    """Give an event its number; raises `ThreadArchived` for something `new` where the thread takes nothing new."""
    thread, seq, access, archived_at = db.execute(
        queries.NEXT_SEQ, (draft.tenant, draft.thread_id)
    ).fetchone()
    if new and archived_at is not None:
        raise ThreadArchived(draft.thread_id)
    return Place(thread, seq, read_access(access))


def append(
    db: Connection,
    events: list[Event],
    draft: Draft,
    at: Place,
    *,
    request: int | None = None,
    spec: str | None = None,
) -> None:
    """Write an event in its place; `request` is the key of the one that it tells of, `spec` what that asks."""
    row = (draft.tenant, at.thread, at.seq, draft.type, request, draft.at, draft.data)
    position = db.execute(queries.ADD_EVENT, row).lastrowid
    events.append(domain_events.commit(draft, seq=at.seq, position=position, spec=spec, access=at.access))
