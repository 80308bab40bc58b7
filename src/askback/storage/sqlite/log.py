"""The events of threads, as the writer thread numbers and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from askback.domain import events as domain_events
from askback.domain.access import AccessList, read_access
from askback.domain.events import Event, EventDraft
from askback.domain.spec import Spec
from askback.ports.threads import ThreadArchived, ThreadOfAnother
from askback.storage.sqlite import queries, thread_queries
from askback.storage.sqlite.connection import Connection


class EventSlot(NamedTuple):
    """Where an event comes: the key of its thread, its number, and who may see it."""

    thread: int
    seq: int
    access: AccessList


def next_seq(db: Connection, draft: EventDraft, *, new: bool = False) -> EventSlot:
    """Give a new event the next number in its thread, and return its slot.

    Raises `ThreadOfAnother`, and `ThreadArchived` for something `new` if the thread is archived.
    """
    row = db.execute(queries.NEXT_SEQ, (draft.tenant, draft.thread_id, _agents(draft))).fetchone()
    return _event_slot(row, draft, new=new)


def next_seq_counted(db: Connection, draft: EventDraft, *, window: int) -> tuple[EventSlot, int, int]:
    """Number the event of a new form, and count the form; returns how many there are in the window, and since when.

    Raises `ThreadOfAnother` and `ThreadArchived`.
    """
    parameters = (draft.tenant, draft.thread_id, _agents(draft), draft.at, window)
    *row, asked_count, asked_from = db.execute(thread_queries.NEXT_SEQ_COUNTED, parameters).fetchone()
    return _event_slot(row, draft, new=True), asked_count, asked_from


def _event_slot(row: Sequence[Any], draft: EventDraft, *, new: bool) -> EventSlot:
    thread, seq, people, agents, archived_at = row
    access = read_access(people, agents)
    if draft.agent is not None and not access.admits_agent(draft.agent):
        raise ThreadOfAnother
    if new and archived_at is not None:
        raise ThreadArchived(draft.thread_id)
    return EventSlot(thread, seq, access)


def _agents(draft: EventDraft) -> str | None:
    return None if draft.agent is None else draft.agent.stored_text


def append(
    db: Connection,
    events: list[Event],
    draft: EventDraft,
    slot: EventSlot,
    *,
    request: int | None = None,
    spec: Spec | None = None,
    hides_names: bool = False,
) -> None:
    """Write an event in its place; `request` is the key of its request, `spec` the question of that."""
    row = (draft.tenant, slot.thread, slot.seq, draft.type, request, draft.at, draft.data)
    position = db.execute(queries.ADD_EVENT, row).lastrowid
    events.append(
        domain_events.committed_event(
            draft, seq=slot.seq, position=position, spec=spec, access=slot.access, hides_names=hides_names
        )
    )
