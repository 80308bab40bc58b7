"""Attempts to connect an account at an OAuth provider."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json

from askback.ports.oauth import OauthAttempt
from askback.storage import rows
from askback.storage.sql.transaction import Area, Transaction

_ATTEMPT = f"request, digest, {rows.PRINCIPAL}, redirect_uri, sealed, expires_at, languages"
PUT = f"""
INSERT INTO oauth_attempts ({_ATTEMPT}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (tenant, request) DO UPDATE SET digest = excluded.digest, principal = excluded.principal,
    role = excluded.role, name = excluded.name, person = excluded.person, groups = excluded.groups,
    redirect_uri = excluded.redirect_uri, sealed = excluded.sealed, expires_at = excluded.expires_at,
    languages = excluded.languages"""
TAKE_ATTEMPT = f"DELETE FROM oauth_attempts WHERE digest = $1 AND expires_at > $2 RETURNING {_ATTEMPT}"
DROP_LATE = "DELETE FROM oauth_attempts WHERE expires_at <= $1"


class OauthArea(Area):
    """See `askback.ports.oauth` for what each method promises."""

    async def put_oauth_attempt(self, attempt: OauthAttempt, *, now_ms: int) -> None:
        """Store an attempt."""
        person = rows.principal_columns(attempt.principal)
        columns = (attempt.redirect_uri, attempt.sealed, attempt.expires_at, json.dumps(attempt.languages))

        async def put(tx: Transaction) -> None:
            await tx.run(DROP_LATE, now_ms)
            await tx.run(PUT, attempt.request_id, attempt.digest, *person, *columns)

        await self._db.change(put)

    async def take_oauth_attempt(self, digest: str, *, now_ms: int) -> OauthAttempt | None:
        """Remove and return an attempt."""
        row = await self._db.change(lambda tx: tx.one(TAKE_ATTEMPT, digest, now_ms))
        if row is None:
            return None
        request_id, state, *person, redirect_uri, sealed, expires_at, languages = row
        principal = rows.principal(person)
        return OauthAttempt(
            request_id, state, principal, redirect_uri, sealed, expires_at, tuple(json.loads(languages))
        )
