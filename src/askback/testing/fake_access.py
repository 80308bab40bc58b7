"""The tokens, login codes and sessions of the store in memory."""

from __future__ import annotations

from askback.ports.store import Principal, Session
from askback.testing.fake_outage import CanBeOffline


class FakeAccess(CanBeOffline):
    """The `AccessStore` half of the port in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens: dict[str, Principal] = {}
        self._logins: dict[str, tuple[Principal, int]] = {}
        self._sessions: dict[str, Session] = {}

    async def put_token(self, digest: str, principal: Principal) -> None:
        """Make a token known."""
        self._begin()
        self._tokens[digest] = principal

    async def token(self, digest: str) -> Principal | None:
        """Read whom a token stands for."""
        return self._tokens.get(digest)

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Make a one-time login code known."""
        self._begin()
        self._logins[digest] = (principal, expires_at)

    async def open_session(
        self, login_digest: str, session_digest: str, *, csrf: str, now_ms: int, expires_at: int
    ) -> Session | None:
        """Use up a login code and open a session."""
        self._begin()
        login = self._logins.pop(login_digest, None)
        if login is None or login[1] <= now_ms:
            return None
        session = Session(login[0], csrf, expires_at)
        self._sessions[session_digest] = session
        return session

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Read a session that has not ended."""
        session = self._sessions.get(digest)
        return session if session is not None and session.expires_at > now_ms else None

    async def close_session(self, digest: str) -> None:
        """End a session."""
        self._begin()
        self._sessions.pop(digest, None)
