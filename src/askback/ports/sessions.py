"""The part of the store for login codes and browser sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askback.domain.values import frozen
from askback.ports.agents import Principal
from askback.ports.policy import NOTHING, SideEffects

IDLE_MS = 8 * 3600 * 1000
"""How long a session lasts without a call."""


@frozen(slots=True)
class Session:
    """A browser session: its principal, and `half`, the digest of the secret that its pages keep.

    `device` is the browser's own description. Times are in milliseconds; `seen_at` is when it was last used.
    """

    id: str
    principal: Principal
    half: str
    device: str
    created_at: int
    seen_at: int
    expires_at: int


@frozen(slots=True)
class NewSession:
    """A session that a login code opens; see `Session`."""

    id: str
    half: str
    device: str
    created_at: int
    expires_at: int

    def of(self, principal: Principal) -> Session:
        """Return the session of the owner of the login code."""
        created_at = self.created_at
        return Session(self.id, principal, self.half, self.device, created_at, created_at, self.expires_at)


class SessionStore(Protocol):
    """Login codes and sessions; the store gets only digests of their secrets."""

    async def put_login(self, digest: str, principal: Principal, *, expires_at: int) -> None:
        """Store a one-time login code."""
        ...

    async def open_session(self, login_digest: str, session_digest: str, new: NewSession) -> Session | None:
        """Use a login code and open a session in one step; None if it is unknown, used or expired."""
        ...

    async def session(self, digest: str, *, now_ms: int) -> Session | None:
        """Return a session that has not expired."""
        ...

    async def touch_session(self, session_id: str, *, now_ms: int) -> None:
        """Record the use of a session; `seen_at` never decreases."""
        ...

    async def sessions(
        self,
        tenant: str | None,
        *,
        now_ms: int,
        person: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Sequence[Session]:
        """Return sessions that have not expired, newest first: of a tenant (None for all), a person, these ids."""
        ...

    async def end_sessions(self, ids: Sequence[str], effects: SideEffects = NOTHING) -> None:
        """End sessions."""
        ...

    async def server_id(self) -> str:
        """Return the id of this store: created once, kept with the data, the same for all its servers."""
        ...
