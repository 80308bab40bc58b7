"""The `AccessStore` part of the port on Postgres."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from askback.ports.policy import NOTHING, Along
from askback.ports.store import NewSession, Principal, Session
from askback.storage import rows
from askback.storage.postgres import queries
from askback.storage.postgres.along import write_along
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.writer import Writer


class AccessPart(Part):
    """Login codes and sessions. See `askback.ports.store` for what each method promises."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        super().__init__(writer, borrowed)
        self._session = Together(self._ask_sessions)
        self._server_id: str | None = None

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        await self._borrowed.change(
            lambda db: db.execute(queries.PUT_LOGIN, digest, *_person(principal), expires_at)
        )

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use up a login code and open a session; what has ended meanwhile is dropped on the way."""

        async def use(db: Connection) -> Session | None:
            row = await db.fetchrow(queries.USE_LOGIN, login_digest, new.created_at)
            if row is None:
                return None
            await db.execute(queries.DROP_LATE_LOGINS, new.created_at)
            await db.execute(queries.DROP_LATE_SESSIONS, new.created_at)
            session = new.of(rows.principal(row))
            await db.execute(queries.ADD_SESSION, session_digest, *rows.session_row(session))
            return session

        return await self._borrowed.change(use)

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        found = await self._session(digest)
        return None if found is None or found.expires_at <= now_ms else found

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Note that a session was used."""
        await self._borrowed.change(lambda db: db.execute(queries.TOUCH_SESSION, now_ms, session_id))

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Read sessions, newest first."""
        wanted = None if ids is None else list(ids)
        found = await self._borrowed.rows(queries.LIST_SESSIONS, now_ms, tenant, person, wanted)
        return [rows.session(row) for row in found]

    async def end_sessions(self, ids: Sequence[str], along: Along = NOTHING) -> None:
        """End sessions."""

        async def end(db: Connection) -> None:
            await db.execute(queries.END_SESSIONS, list(ids))
            await write_along(db, along)

        await self._borrowed.change(end)

    async def server_id(self) -> str:
        """Read the id of this store, which never changes."""
        if self._server_id is None:
            [[self._server_id]] = await self._borrowed.rows(queries.SERVER_ID)
        assert self._server_id is not None
        return self._server_id

    async def _ask_sessions(self, digests: Sequence[Key]) -> Mapping[Key, Session]:
        found = await self._borrowed.rows(queries.SESSIONS, [digest for (digest,) in digests])
        return {(digest,): rows.session(row) for digest, *row in found}


def _person(who: Principal) -> tuple[str, ...]:
    return who.id, who.tenant, who.role, who.name, who.user, json.dumps(who.groups)
