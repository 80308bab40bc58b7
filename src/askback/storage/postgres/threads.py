"""The threads of a group, as it finds them and leaves them: numbers without a gap, counts, who may see what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from askback.domain.access import Access, read_access
from askback.domain.events import Draft
from askback.storage.postgres import queries, thread_queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import Entry, Place

Name = tuple[str, str]


@dataclass(slots=True, eq=False)
class Thread:
    """A thread that is locked until the commit.

    `seq` counts the events that were placed, `numbered` is how many the row has by now: what is left of those, because
    a change was refused, is given back. `asked`, `asked_from` and `refused_at` are as in `ports.threads`.
    """

    key: int
    seq: int
    numbered: int
    access: Access
    archived: bool
    asked: int
    asked_from: int
    refused_at: int | None
    noted: bool = False

    def place(self) -> Place:
        """Give the next number."""
        self.seq += 1
        return Place(self.key, self.seq, self.access)

    def count(self, *, window_ms: int, now: int) -> None:
        """Count a form, in a window that begins with the first one after the last has passed."""
        if self.asked_from + window_ms <= now:
            self.asked, self.asked_from = 0, now
        self.asked += 1
        self.noted = True

    def give_back(self, *, created_at: int) -> None:
        """Take back what was counted in the window of now."""
        if self.asked > 0 and self.asked_from <= created_at:
            self.asked -= 1
            self.noted = True

    def refuse(self, *, at: int) -> None:
        """Note that a person refused a form."""
        self.refused_at = at
        self.noted = True


async def number(db: Connection, drafts: Iterable[Draft]) -> Mapping[Name, Thread]:
    """Reserve the next numbers for events, and lock their threads, which are made if need be."""
    counts = Counter((draft.tenant, draft.thread_id) for draft in drafts)
    columns = zip(*((*name, events) for name, events in counts.items()), strict=True)
    return {
        (tenant, thread_id): Thread(
            key, last - counts[tenant, thread_id], last, read_access(access), archived_at is not None, *rest
        )
        for tenant, thread_id, key, last, access, archived_at, *rest in await db.fetch(
            queries.NUMBER, *columns
        )
    }


async def keep(db: Connection, threads: Iterable[Thread]) -> None:
    """Write what became of threads, as far as it is not written yet."""
    changed = [thread for thread in threads if thread.noted or thread.seq != thread.numbered]
    if changed:
        rows = [(each.key, each.seq, each.asked, each.asked_from, each.refused_at) for each in changed]
        await db.execute(thread_queries.KEEP, *zip(*rows, strict=True))
    if empty := [each.key for each in changed if each.seq == 0]:
        await db.execute(thread_queries.DROP_EMPTY, empty)


async def log(db: Connection, entries: Sequence[Entry], *, origin: str) -> None:
    """Write events, give them their positions, and tell the other servers."""
    after = Counter(entry.draft.tenant for entry in entries)
    tenants = dict(after)
    events: list[tuple[str, int, int, int, str, str | None, int, str]] = []
    for entry in entries:
        draft, place = entry.draft, entry.place
        after[draft.tenant] -= 1
        at = (draft.tenant, after[draft.tenant], place.thread, place.seq)
        events.append((*at, draft.type, draft.request_id, draft.at, draft.data))
    columns = zip(*events, strict=True)
    placed = await db.fetch(queries.LOG, list(tenants), list(tenants.values()), origin, *columns)
    newest = {tenant: position for tenant, position, _ in placed}
    for entry, event in zip(entries, events, strict=True):
        entry.position = newest[event[0]] - event[1]
