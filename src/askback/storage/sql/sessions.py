"""Login codes, sessions, and the id of the store."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json
from collections.abc import Sequence

from askback.ports.policy import NOTHING, SideEffects
from askback.ports.sessions import NewSession, Session
from askback.ports.store import Principal
from askback.storage import rows
from askback.storage.sql.conditions import Conditions
from askback.storage.sql.people import SEE_PERSON
from askback.storage.sql.transaction import Area, Transaction

PUT_LOGIN = f"""
INSERT INTO logins (digest, {rows.PRINCIPAL}, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (digest) DO UPDATE SET principal = excluded.principal, tenant = excluded.tenant, role = excluded.role,
    name = excluded.name, person = excluded.person, groups = excluded.groups, expires_at = excluded.expires_at"""
USE_LOGIN = f"DELETE FROM logins WHERE digest = $1 AND expires_at > $2 RETURNING {rows.PRINCIPAL}"
_SESSION = f"id, {rows.PRINCIPAL}, half, device, created_at, seen_at, expires_at"
ADD_SESSION = f"""
INSERT INTO browser_sessions (digest, {_SESSION})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"""
# By digest, which comes first.
SESSION = f"SELECT digest, {_SESSION} FROM browser_sessions WHERE digest = ANY ($1::text[])"
SESSIONS = f"SELECT {_SESSION} FROM browser_sessions"
TOUCH_SESSION = "UPDATE browser_sessions SET seen_at = greatest(seen_at, $1) WHERE id = $2"
END_SESSIONS = "DELETE FROM browser_sessions WHERE id = ANY ($1::text[])"
DROP_LATE_LOGINS = "DELETE FROM logins WHERE expires_at <= $1"
DROP_LATE_SESSIONS = "DELETE FROM browser_sessions WHERE expires_at <= $1"
SERVER_ID = "SELECT id FROM server"


class SessionArea(Area):
    """See `askback.ports.store.AccessStore` for what each method promises."""

    _server_id: str | None = None

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Store a one-time login code."""
        person = rows.principal_columns(principal)
        await self._db.change(lambda tx: tx.run(PUT_LOGIN, digest, *person, expires_at))

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use up a login code and open a session; expired codes and sessions are dropped."""

        async def use(tx: Transaction) -> Session | None:
            row = await tx.one(USE_LOGIN, login_digest, new.created_at)
            if row is None:
                return None
            await tx.run(DROP_LATE_LOGINS, new.created_at)
            await tx.run(DROP_LATE_SESSIONS, new.created_at)
            session = new.of(rows.principal(row))
            await tx.run(ADD_SESSION, session_digest, *rows.session_row(session))
            principal = session.principal
            if principal.user != principal.id:
                groups = json.dumps(principal.groups)
                await tx.run(
                    SEE_PERSON,
                    principal.tenant,
                    principal.user,
                    principal.id,
                    principal.role,
                    principal.name,
                    groups,
                    new.created_at,
                )
            return session

        return await self._db.change(use)

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        row = await self._db.find(SESSION, digest)
        session = None if row is None else rows.session(row[1:])
        return None if session is None or session.expires_at <= now_ms else session

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Note that a session was used."""
        await self._db.change(lambda tx: tx.run(TOUCH_SESSION, now_ms, session_id))

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Read sessions, newest first."""
        conditions = Conditions()
        conditions.add("expires_at > {}", now_ms)
        conditions.add_chosen("tenant = {}", tenant)
        conditions.add_chosen("person = {}", person)
        conditions.add_chosen("id = ANY ({}::text[])", None if ids is None else list(ids))
        return [
            rows.session(row) for row in await self._db.page(*conditions.query(SESSIONS, "ORDER BY id DESC"))
        ]

    async def end_sessions(self, ids: Sequence[str], effects: SideEffects = NOTHING) -> None:
        """End sessions."""

        async def end(tx: Transaction) -> None:
            await tx.run(END_SESSIONS, list(ids))
            await tx.write(effects)

        await self._db.change(end, effects)

    async def server_id(self) -> str:
        """Read the id of this store, which never changes."""
        if self._server_id is None:
            row = await self._db.row(SERVER_ID)
            assert row is not None, "each store has an id"
            self._server_id = str(row[0])
        return self._server_id
