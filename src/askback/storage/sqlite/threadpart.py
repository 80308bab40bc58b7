"""The `ThreadStore` part of the port on SQLite."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.access import Access
from askback.domain.events import Draft
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.threads import Idle, Terms, Use
from askback.storage import rows
from askback.storage.sqlite import thread_queries as queries
from askback.storage.sqlite import threads
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.part import Part


class ThreadPart(Part):
    """Threads as a whole. See `askback.ports.threads` for what each method promises."""

    async def terms(self, tenant: str, thread_id: str) -> Terms:
        """Read what holds in a thread."""
        return self._terms.get(
            tenant, thread_id, lambda: self._readers.point(lambda db: _terms(db, tenant, thread_id))
        )

    async def access(self, tenant: str, thread_id: str) -> Access:
        """Read who may do what in a thread."""
        return (await self.terms(tenant, thread_id)).access

    async def use(self, tenant: str, thread_id: str) -> Use:
        """Read how much a thread has used."""
        return await self._readers.page(lambda db: _use(db, tenant, thread_id))

    async def reset_use(self, tenant: str, thread_id: str, along: Along = NOTHING) -> None:
        """Begin to count the questions of a thread anew."""
        await self._change(lambda db, _: threads.reset_use(db, tenant, thread_id, along), along)

    async def set_archived(self, event: Draft, along: Along = NOTHING, *, archived_at: int | None) -> Outcome:
        """Archive a thread, or take it back."""
        return await self._change(
            lambda db, events: threads.set_archived(db, events, event, along, archived_at=archived_at), along
        )

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read threads whose archiving has not ended."""
        return await self._readers.page(
            lambda db: db.execute(queries.ARCHIVING, (before_ms, limit)).fetchall()
        )

    async def archiving_ended(self, tenant: str, thread_id: str) -> None:
        """Note that the archiving of a thread has ended, unless something is open."""
        await self._writer.submit(lambda db, _: threads.archiving_ended(db, tenant, thread_id))

    async def next_in_line(self, *, limit: int = 200) -> Sequence[Record]:
        """Read requests that can come forward."""
        return await self._readers.page(
            lambda db: [rows.record(row) for row in db.execute(queries.NEXT_IN_LINE, (limit,)).fetchall()]
        )

    async def deliverable(self, *, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read which threads can deliver what they hold."""
        return await self._readers.page(lambda db: db.execute(queries.DELIVERABLE, (limit,)).fetchall())

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver what a thread holds."""
        return await self._writer.submit(
            lambda db, events: threads.deliver(db, events, tenant, thread_id, now=at)
        )

    async def erase_thread(self, event: Draft, along: Along = NOTHING) -> bool:
        """Erase a thread."""
        return await self._writer.submit(
            lambda db, events: threads.erase(db, events, event, along), erases=True, outdates=True
        )

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[Idle]:
        """Read threads in which nothing has happened since."""
        return await self._readers.page(
            lambda db: [Idle(*row) for row in db.execute(queries.IDLE, (*after, before_ms, limit)).fetchall()]
        )

    async def scrub(self) -> None:
        """Write the file anew."""
        await self._writer.rebuild()


def _terms(db: Connection, tenant: str, thread_id: str) -> Terms:
    return rows.terms(db.execute(queries.TERMS, (tenant, thread_id)).fetchone())


def _use(db: Connection, tenant: str, thread_id: str) -> Use:
    row = db.execute(queries.USE, (tenant, thread_id)).fetchone()
    return Use(0, 0, 0) if row is None else Use(*row)
