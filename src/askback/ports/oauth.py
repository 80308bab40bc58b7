"""The part of the store for attempts to connect accounts.

30. A request has one attempt at most: a new click replaces the one before, whose state is then unknown. An attempt is
    taken once, by its state and before it expires; of several callers at once one gets it.
"""

from __future__ import annotations

from typing import Protocol

from askback.domain.values import frozen
from askback.ports.agents import Principal


@frozen(slots=True)
class OauthAttempt:
    """An attempt to connect an account, which begins with a person's click.

    `digest` is the digest of the state, `principal` the person who clicked, `sealed` the sealed code
    verifier, bound to the request; `expires_at` is in ms since the epoch; `languages` are those of the
    person, the preferred one first.
    """

    request_id: str
    digest: str
    principal: Principal
    redirect_uri: str
    sealed: str
    expires_at: int
    languages: tuple[str, ...] = ()


class OauthStore(Protocol):
    """Attempts to connect an account."""

    async def put_oauth_attempt(self, attempt: OauthAttempt, *, now_ms: int) -> None:
        """Store the attempt of a request in place of the one before; expired ones of other requests are dropped."""
        ...

    async def take_oauth_attempt(self, digest: str, *, now_ms: int) -> OauthAttempt | None:
        """Remove and return the attempt with this state, unless it has expired."""
        ...
