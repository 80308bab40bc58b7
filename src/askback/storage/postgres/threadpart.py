"""The `ThreadStore` part of the port on Postgres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.domain.events import Draft
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.ports.threads import Idle, Terms, Use
from askback.storage import rows
from askback.storage.postgres import thread_queries as queries
from askback.storage.postgres import wholes
from askback.storage.postgres.along import write_along
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.writer import Writer


class ThreadPart(Part):
    """Threads as a whole. See `askback.ports.threads` for what each method promises."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        super().__init__(writer, borrowed)
        self._terms = Together(self._ask_terms)

    async def terms(self, tenant: str, thread_id: str) -> Terms:
        """Read what holds in a thread."""
        return await self._terms(tenant, thread_id) or Terms(None, None, None)

    async def use(self, tenant: str, thread_id: str) -> Use:
        """Read how much a thread has used."""
        row = await self._borrowed.row(queries.USE, tenant, thread_id)
        return Use(0, 0, 0) if row is None else Use(*row)

    async def reset_use(self, tenant: str, thread_id: str, along: Along = NOTHING) -> None:
        """Begin to count the questions of a thread anew."""

        async def reset(db: Connection) -> None:
            await db.execute(queries.RESET, tenant, thread_id)
            await write_along(db, along)

        await self._borrowed.change(reset)

    async def set_archived(self, event: Draft, along: Along = NOTHING, *, archived_at: int | None) -> Outcome:
        """Archive a thread, or take it back."""
        return await self._writer.submit_whole(
            lambda db: wholes.set_archived(db, event, along, archived_at=archived_at)
        )

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read threads whose archiving has not ended."""
        found = await self._borrowed.rows(queries.ARCHIVING, before_ms, limit)
        return [(tenant, thread_id) for tenant, thread_id in found]

    async def archiving_ended(self, tenant: str, thread_id: str) -> None:
        """Note that the archiving of a thread has ended, unless something is open."""
        await self._borrowed.change(lambda db: db.execute(queries.ARCHIVING_ENDED, tenant, thread_id))

    async def next_in_line(self, *, limit: int = 200) -> Sequence[Record]:
        """Read requests that can come forward."""
        return [rows.record(row) for row in await self._borrowed.rows(queries.NEXT_IN_LINE, limit)]

    async def deliverable(self, *, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read which threads can deliver what they hold."""
        found = await self._borrowed.rows(queries.DELIVERABLE, limit)
        return [(tenant, thread_id) for tenant, thread_id in found]

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver what a thread holds."""
        return await self._writer.submit_whole(lambda db: wholes.deliver(db, tenant, thread_id, now=at))

    async def erase_thread(self, event: Draft, along: Along = NOTHING) -> bool:
        """Erase a thread."""
        return await self._writer.submit_whole(lambda db: wholes.erase(db, event, along))

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[Idle]:
        """Read threads in which nothing has happened since."""
        return [Idle(*row) for row in await self._borrowed.rows(queries.IDLE, *after, before_ms, limit)]

    async def scrub(self) -> None:
        """Have Postgres clean the tables up: what was erased is dead until then, and its space is free after it.

        The write-ahead log, archives and replicas are the operator's, see `docs/how-to/postgres.md`.
        """
        await self._borrowed.maintain(queries.SCRUB)

    async def _ask_terms(self, names: Sequence[Key]) -> Mapping[Key, Terms]:
        found = await self._borrowed.rows(queries.TERMS, *zip(*names, strict=True))
        return {(row[0], row[1]): rows.terms(row[2:]) for row in found}
