"""The `AccessStore` part of the port on Postgres."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from askback.ports.store import Principal, Session
from askback.storage import rows
from askback.storage.postgres import queries
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.writer import Writer


class AccessPart(Part):
    """Tokens, login codes and sessions. See `askback.ports.store` for what each method promises."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        super().__init__(writer, borrowed)
        self._token = Together(self._ask_tokens)
        self._session = Together(self._ask_sessions)

    async def put_token(self, digest: str, principal: Principal) -> None:
        """Make a token known, or replace what it stands for."""
        limits = (json.dumps(principal.names), json.dumps(principal.threads))
        await self._borrowed.change(
            lambda db: db.execute(queries.PUT_TOKEN, digest, *_person(principal), *limits)
        )

    async def token(self, digest: str) -> Principal | None:
        """Read whom a token stands for."""
        return await self._token(digest)

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        await self._borrowed.change(
            lambda db: db.execute(queries.PUT_LOGIN, digest, *_person(principal), expires_at)
        )

    async def open_session(
        self, login_digest: str, session_digest: str, *, csrf: str, now_ms: int, expires_at: int
    ) -> Session | None:
        """Use up a login code and open a session; what has ended meanwhile is dropped on the way."""

        async def use(db: Connection) -> Session | None:
            row = await db.fetchrow(queries.USE_LOGIN, login_digest, now_ms)
            if row is None:
                return None
            await db.execute(queries.DROP_LATE_LOGINS, now_ms)
            await db.execute(queries.DROP_LATE_SESSIONS, now_ms)
            await db.execute(queries.ADD_SESSION, session_digest, *row, csrf, expires_at)
            return rows.session((*row, csrf, expires_at))

        return await self._borrowed.change(use)

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        found = await self._session(digest)
        return None if found is None or found.expires_at <= now_ms else found

    async def close_session(self, digest: str) -> None:
        """End a session."""
        await self._borrowed.change(lambda db: db.execute(queries.CLOSE_SESSION, digest))

    async def _ask_tokens(self, digests: Sequence[Key]) -> Mapping[Key, Principal]:
        found = await self._borrowed.rows(queries.TOKENS, [digest for (digest,) in digests])
        return {(digest,): rows.token(row) for digest, *row in found}

    async def _ask_sessions(self, digests: Sequence[Key]) -> Mapping[Key, Session]:
        found = await self._borrowed.rows(queries.SESSIONS, [digest for (digest,) in digests])
        return {(digest,): rows.session(row) for digest, *row in found}


def _person(who: Principal) -> tuple[str, ...]:
    return who.id, who.tenant, who.role, who.name, who.user, json.dumps(who.groups)
