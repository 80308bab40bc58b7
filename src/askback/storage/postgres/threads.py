"""The threads of a group, as it finds them and leaves them: numbers without a gap, counts, who may see what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askback.domain.access import AccessList, ThreadAgents, read_access
from askback.domain.events import EventDraft
from askback.ports.threads import ThreadOfAnother
from askback.storage.postgres import queries, thread_queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Entry, EventSlot

Name = tuple[str, str]


@dataclass(slots=True, eq=False)
class Thread:
    """A thread that is locked until the commit.

    `seq` is the number of the last event; `stored_seq` is the number in the row, which is higher if a change was
    refused: the rest is returned. `stored_agents` is the agent in the row of a new thread, removed if its change was
    refused.
    `question_count`, `counted_since` and `refused_at` are as in `ports.threads`.
    """

    key: int
    seq: int
    stored_seq: int
    access: AccessList
    stored_agents: ThreadAgents | None
    archived: bool
    question_count: int
    counted_since: int
    refused_at: int | None
    has_changes: bool = False

    def admit(self, draft: EventDraft) -> None:
        """Raise `ThreadOfAnother` for a write of an agent that was not admitted."""
        if draft.agent is not None and not self.access.admits_agent(draft.agent):
            raise ThreadOfAnother

    def next_slot(self, draft: EventDraft) -> EventSlot:
        """Assign the next number; the thread belongs to the first agent that writes."""
        self.seq += 1
        self.access = self.access.with_first_agent(draft.agent)
        return EventSlot(self.key, self.seq, self.access)

    def count(self, *, window_ms: int, now: int) -> int:
        """Count a form, in a window that begins with the first one after the last has passed; return its number."""
        if self.counted_since + window_ms <= now:
            self.question_count, self.counted_since = 0, now
        self.question_count += 1
        self.has_changes = True
        return self.question_count

    def give_back(self, *, created_at: int) -> None:
        """Uncount a form that was counted in the current window."""
        if self.question_count > 0 and self.counted_since <= created_at:
            self.question_count -= 1
            self.has_changes = True

    def refuse(self, *, refused_at: int) -> None:
        """Note that a person refused a form."""
        self.refused_at = refused_at
        self.has_changes = True


async def number(db: Connection, drafts: Iterable[EventDraft]) -> Mapping[Name, Thread]:
    """Reserve the next numbers for events, and lock their threads, which are made if need be."""
    counts, agents_by_thread = Counter[Name](), dict[Name, ThreadAgents]()
    for draft in drafts:
        counts[draft.tenant, draft.thread_id] += 1
        if draft.agent is not None:
            agents_by_thread.setdefault((draft.tenant, draft.thread_id), draft.agent)
    columns = [
        (*name, events, agents_by_thread[name].stored_text if name in agents_by_thread else None)
        for name, events in counts.items()
    ]
    numbers = await db.fetch(queries.NUMBER, *zip(*columns, strict=True))
    return {(row[0], row[1]): _thread(row[2:], counts[row[0], row[1]]) for row in numbers}


def _thread(row: Any, events: int) -> Thread:
    key, last_seq, people, agents, archived_at, *counts_and_settings = row
    first_seq, thread_agents = last_seq - events, read_access(None, agents).agents
    # A new thread has agents by its row alone: whose it is shows when their changes have their places.
    access = read_access(people, agents if first_seq else None)
    return Thread(
        key, first_seq, last_seq, access, thread_agents, archived_at is not None, *counts_and_settings
    )


async def keep(db: Connection, threads: Iterable[Thread]) -> None:
    """Write the changes of threads that are not written yet."""
    changed = [
        thread
        for thread in threads
        if thread.has_changes
        or thread.seq != thread.stored_seq
        or thread.access.agents != thread.stored_agents
    ]
    if changed:
        rows = [
            (
                item.key,
                item.seq,
                item.access.stored_texts[1],
                item.question_count,
                item.counted_since,
                item.refused_at,
            )
            for item in changed
        ]
        await db.execute(thread_queries.KEEP, *zip(*rows, strict=True))
    if empty := [item.key for item in changed if item.seq == 0]:
        await db.execute(thread_queries.DROP_EMPTY, empty)


async def log(db: Connection, entries: Sequence[Entry], *, origin: str) -> None:
    """Write events, give them their positions, and tell the other servers."""
    last_positions = Counter(entry.draft.tenant for entry in entries)
    tenants = dict(last_positions)
    events: list[tuple[str, int, int, int, str, str | None, int, str]] = []
    for entry in entries:
        draft, slot = entry.draft, entry.slot
        last_positions[draft.tenant] -= 1
        event_position = (draft.tenant, last_positions[draft.tenant], slot.thread, slot.seq)
        events.append((*event_position, draft.type, draft.request_id, draft.at, draft.data))
    columns = zip(*events, strict=True)
    positions = await db.fetch(queries.LOG, list(tenants), list(tenants.values()), origin, *columns)
    newest = {tenant: position for tenant, position, _ in positions}
    for entry, event in zip(entries, events, strict=True):
        entry.position = newest[event[0]] - event[1]
