"""The people of a tenant."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from askback.ports.people import KNOWN_MS
from askback.ports.sessions import IDLE_MS
from askback.ports.store import Principal
from askback.storage import rows
from askback.storage.sql.transaction import Area

# Tenant, now, since when a session has to be used, since when a person has to have signed in.
_PEOPLE_TABLES = {
    "tokens": "role IN ('responder', 'admin') AND revoked_at IS NULL AND coalesce(expires_at > $2, TRUE)",
    "browser_sessions": "expires_at > $2 AND seen_at > $3",
    "people": "seen_at > $4",
}
_NEXT = " UNION ".join(
    f"SELECT person FROM (SELECT DISTINCT person FROM {table} WHERE tenant = $1 AND {condition} AND person > $5 "
    "ORDER BY person LIMIT $6) AS t"
    for table, condition in _PEOPLE_TABLES.items()
)
NEXT_PEOPLE = f"SELECT person FROM ({_NEXT}) AS next ORDER BY person LIMIT $6"
_PERSON_COLUMNS = {
    "tokens": "coalesce(created_at, 0) AS at, threads",
    "browser_sessions": "seen_at AS at, '[]' AS threads",
    "people": "seen_at AS at, '[]' AS threads",
}
_ALL_PEOPLE = " UNION ALL ".join(
    f"SELECT {rows.PRINCIPAL}, {_PERSON_COLUMNS[table]} FROM {table} "
    f"WHERE tenant = $1 AND {condition} AND person = ANY ($5::text[])"
    for table, condition in _PEOPLE_TABLES.items()
)
PEOPLE = f"""
SELECT {rows.PRINCIPAL}, threads FROM ({_ALL_PEOPLE}) AS known
ORDER BY person, at DESC, principal"""
SEE_PERSON = """
INSERT INTO people (tenant, person, principal, role, name, groups, seen_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant, person) DO UPDATE SET principal = excluded.principal, role = excluded.role,
    name = excluded.name, groups = excluded.groups, seen_at = excluded.seen_at"""


class PeopleArea(Area):
    """See `askback.ports.people` for what each method promises."""

    async def people(
        self, tenant: str, *, now_ms: int, ids: Sequence[str] | None = None, after: str = "", limit: int = 200
    ) -> Sequence[Principal]:
        """Read the credentials of people."""
        parameters = (tenant, now_ms, now_ms - IDLE_MS, now_ms - KNOWN_MS)
        if ids is None:
            ids = [row[0] for row in await self._db.page(NEXT_PEOPLE, *parameters, after, limit)]
        storable = [id_ for id_ in ids if self._db.can_store(id_)]
        people_rows = await self._db.page(PEOPLE, *parameters, storable) if storable else ()
        return [replace(rows.principal(row[:6]), threads=tuple(json.loads(row[6]))) for row in people_rows]
