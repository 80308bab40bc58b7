"""The login codes and sessions of the store in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from askback.ports.store import NewSession, Principal, Session
from askback.testing.fake_outage import CanBeOffline


class FakeAccess(CanBeOffline):
    """The `AccessStore` half of the port in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._logins: dict[str, tuple[Principal, int]] = {}
        self._sessions: dict[str, Session] = {}
        self._server_id = uuid4().hex[:16]

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        self._begin()
        self._logins[digest] = (principal, expires_at)

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use up a login code and open a session."""
        self._begin()
        login = self._logins.pop(login_digest, None)
        if login is None or login[1] <= new.created_at:
            return None
        session = new.of(login[0])
        self._sessions[session_digest] = session
        return session

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        session = self._sessions.get(digest)
        return session if session is not None and session.expires_at > now_ms else None

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Note that a session was used."""
        self._begin()
        for digest, session in self._sessions.items():
            if session.id == session_id:
                self._sessions[digest] = replace(session, seen_at=max(session.seen_at, now_ms))

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Read sessions, newest first."""
        found = [
            session
            for session in self._sessions.values()
            if session.expires_at > now_ms
            and tenant in {None, session.principal.tenant}
            and person in {None, session.principal.user}
            and (ids is None or session.id in ids)
        ]
        return sorted(found, key=lambda session: session.id, reverse=True)

    async def server_id(self) -> str:
        """Return the id of this store."""
        return self._server_id
