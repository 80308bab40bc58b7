"""Sealed secrets, candidates and grants.

An erased secret is in no row. Its bytes remain until the database cleans up: SQLite overwrites them, Postgres removes
them in a vacuum, and the write-ahead log, archives and replicas may keep them. The bytes are ciphertext, which cannot
be read without a master key (`docs/how-to/postgres.md`).
"""

# ruff: noqa: S105, S608  (nothing here is a password, and no value is ever put into a text)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from askback.ports.policy import SideEffects
from askback.ports.secrets import Grant, SecretLocation, SecretRecord, SecretUse, VersionTaken
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, may_do_all
from askback.storage.sql.transaction import Area, Transaction

# In the order of the fields of `SecretRecord`.
_FIELDS = ("id", "tenant", "owner", "scope", "subject", "name", "version", "sealed", "wire")
_SECRET = ", ".join(_FIELDS)
_OF_S = ", ".join(f"s.{column}" for column in _FIELDS)
_VALUES = ", ".join(f"${n}" for n in range(1, len(_FIELDS) + 1))

# Secrets

# (the fields of a secret) -> a row unless its location or its id is taken.
ADD_SECRET = f"INSERT INTO secrets ({_SECRET}) VALUES ({_VALUES}) ON CONFLICT DO NOTHING RETURNING id"
# (the fields of a secret) -> a row when the version before was there.
REPLACE_SECRET = """
UPDATE secrets SET version = $7, sealed = $8, wire = $9
WHERE id = $1 AND tenant = $2 AND owner = $3 AND scope = $4 AND subject = $5 AND name = $6 AND version = $7 - 1
RETURNING id"""
SECRET = f"SELECT {_SECRET} FROM secrets WHERE id = $1 AND tenant = $2"
# (id, tenant) -> a row when there was such a secret.
DROP_SECRET = "DELETE FROM secrets WHERE id = $1 AND tenant = $2 RETURNING id"
SECRETS = f"SELECT {_SECRET} FROM secrets"
# The secrets that a person may manage. Without its thread a secret was not shared.
_THEIRS = f"""
(owner = {{0}} OR scope <> 'session' AND owner = '' OR scope = 'session' AND NOT EXISTS (
    SELECT 1 FROM threads AS t
    WHERE t.tenant = secrets.tenant AND t.id = secrets.subject AND NOT {may_do_all("{0}")}))"""

# Candidates

# A candidate replaces the one that its request had for the name: (the fields of a secret, request).
PUT_CANDIDATE = f"""
INSERT INTO candidates ({_SECRET}, request) VALUES ({_VALUES}, ${len(_FIELDS) + 1})
ON CONFLICT (tenant, request, name) DO UPDATE SET id = excluded.id, owner = excluded.owner, scope = excluded.scope,
    subject = excluded.subject, version = excluded.version, sealed = excluded.sealed, wire = excluded.wire"""
CANDIDATES = f"SELECT {_SECRET} FROM candidates WHERE tenant = $1 AND request = $2 ORDER BY name"
DROP_CANDIDATES = "DELETE FROM candidates WHERE tenant = $1 AND request = $2"

# Grants

# (tenant, thread id, requester, name, secret id, request id). The newest has the highest key.
PUT_GRANT = """
INSERT INTO grants (tenant, thread, requester, name, secret, request) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant, thread, name, requester) DO UPDATE SET key = DEFAULT, secret = excluded.secret,
    request = excluded.request"""
# (tenant, secret id, agent)
LET_USE = "INSERT INTO secret_agents (tenant, secret, agent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
LET_NO_MORE = "DELETE FROM secret_agents WHERE tenant = $1 AND secret = $2 AND agent = $3"
TAKE_BACK_ONE = "DELETE FROM grants WHERE tenant = $1 AND secret = $2 AND requester = $3"
# (tenant, secret id)
LET_NOBODY_USE = "DELETE FROM secret_agents WHERE tenant = $1 AND secret = $2"
# (tenant, secret id, agents)
TAKE_BACK = "DELETE FROM grants WHERE tenant = $1 AND secret = $2 AND requester <> ALL ($3::text[])"
AGENTS_OF = "SELECT secret, agent FROM secret_agents WHERE tenant = $1 AND secret = ANY ($2::text[])"
# (tenant, secret id, when, by whom)
NOTE_USE = """
INSERT INTO secret_uses (tenant, secret, last_at, actor)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
ON CONFLICT (tenant, secret) DO UPDATE SET last_at = excluded.last_at, actor = excluded.actor"""
USES_OF = (
    "SELECT tenant, secret, last_at, actor FROM secret_uses WHERE tenant = $1 AND secret = ANY ($2::text[])"
)
# (tenant, thread id, names), of one requester also its id -> the newest grant of each name: the fields of `Grant`, then
# those of `SecretRecord`, which are NULL when the secret is gone.
GRANTED, GRANTED_TO = (
    f"""
SELECT g.tenant, g.thread, g.requester, g.name, g.secret, g.request, {_OF_S}
FROM grants AS g LEFT JOIN secrets AS s ON s.id = g.secret AND s.tenant = g.tenant
WHERE g.tenant = $1 AND g.thread = $2 AND g.name = ANY ($3::text[]){condition}
ORDER BY g.name"""
    for condition in (
        """ AND NOT EXISTS (
    SELECT 1 FROM grants AS n WHERE n.tenant = $1 AND n.thread = $2 AND n.name = g.name AND n.key > g.key)""",
        " AND g.requester = $4",
    )
)

# Rotation

# The last id of the next page: (tenant or NULL, id, limit). A candidate may have the id of the secret that it is to
# replace, so a page is measured in ids and never ends between two texts of one.
LAST_OF_PAGE = """
SELECT max(id) FROM (
    SELECT id FROM (
        SELECT id FROM secrets WHERE tenant = coalesce($1, tenant) AND id > $2 ORDER BY id LIMIT $3) AS those_set
    UNION SELECT id FROM (
        SELECT id FROM candidates WHERE tenant = coalesce($1, tenant) AND id > $2 ORDER BY id LIMIT $3) AS those_tried
    ORDER BY id LIMIT $3) AS page"""
# All texts of a page: (tenant or NULL, its first id, exclusive, and its last).
SEALED = f"""
SELECT {_SECRET} FROM secrets WHERE tenant = coalesce($1, tenant) AND id > $2 AND id <= $3
UNION ALL SELECT {_SECRET} FROM candidates WHERE tenant = coalesce($1, tenant) AND id > $2 AND id <= $3
ORDER BY id"""
# (id, the text that it replaces, sealed) -> a row when that was still there.
REWRAP_SECRET = "UPDATE secrets SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id"
REWRAP_CANDIDATE = "UPDATE candidates SET sealed = $3 WHERE id = $1 AND sealed = $2 RETURNING id"


def secrets_at(locations: int) -> str:
    """Return the query of names in some locations: (tenant, owner, names), then scope and subject of each location.

    One search of the index for each name in each location: conditions on pairs would search by tenant and owner only.
    """
    return " UNION ALL ".join(
        f"SELECT {_SECRET} FROM secrets WHERE tenant = $1 AND owner = $2 AND name = ANY ($3::text[]) "
        f"AND scope = ${4 + 2 * location} AND subject = ${5 + 2 * location}"
        for location in range(locations)
    )


def page_of_secrets(tenant: str, *, person: str | None, before: str | None, limit: int) -> Sequence[Any]:
    """Return the query of one page of secrets, and its parameters."""
    conditions = Conditions()
    # The first condition is written exactly as in the partial indexes, or they would not be used.
    conditions.add("scope <> 'request'")
    conditions.add("tenant = {}", tenant)
    conditions.add_chosen(_THEIRS, person)
    conditions.add_chosen("id < {}", before)
    return conditions.page(SECRETS, limit=limit)


async def write_secrets(tx: Transaction, effects: SideEffects) -> None:
    """Write the secrets of a change. Old candidates are dropped first: new ones belong to the next attempt."""
    if effects.discard is not None:
        await tx.run(DROP_CANDIDATES, *effects.discard)
    for request_id, secret in effects.candidates:
        await tx.run(PUT_CANDIDATE, *astuple(secret), request_id)
    for secret in effects.secrets:
        await _put(tx, secret)
    if effects.promote is not None:
        for row in await tx.all(CANDIDATES, *effects.promote):
            await _put(tx, SecretRecord(*row))
        await tx.run(DROP_CANDIDATES, *effects.promote)
    for grant in effects.grants:
        await tx.run(PUT_GRANT, *astuple(grant))
        await tx.run(LET_USE, grant.tenant, grant.secret_id, grant.requester)


async def note_uses(tx: Transaction, uses: Iterable[SecretUse]) -> None:
    """Write when secrets were used, in the order of the secrets, so that two servers cannot deadlock."""
    last_uses = {(use.tenant, use.secret_id): use for use in uses}
    await tx.many(NOTE_USE, [astuple(last_uses[key]) for key in sorted(last_uses)])


async def _put(tx: Transaction, secret: SecretRecord) -> None:
    put = ADD_SECRET if secret.version == 1 else REPLACE_SECRET
    if await tx.one(put, *astuple(secret)) is None:
        raise VersionTaken(secret.id)


class SecretArea(Area):
    """See `askback.ports.secret_store` for what each method promises."""

    async def secret(self, tenant: str, secret_id: str) -> SecretRecord | None:
        """Read one secret by its id."""
        row = await self._db.row(SECRET, secret_id, tenant)
        return None if row is None else SecretRecord(*row)

    async def secrets_at(
        self, tenant: str, owner: str, locations: Sequence[SecretLocation], names: Sequence[str]
    ) -> Sequence[SecretRecord]:
        """Read those of `names` that are set in any of `locations`."""
        unique_locations = dict.fromkeys(locations)  # a location that is named twice is read once
        if not unique_locations or not names:
            return []
        parameters = [part for location in unique_locations for part in (location.scope, location.subject)]
        secrets = await self._db.rows(
            secrets_at(len(unique_locations)), tenant, owner, list(names), *parameters
        )
        return [SecretRecord(*row) for row in secrets]

    async def secrets(
        self, tenant: str, *, person: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[SecretRecord]:
        """Read secrets of every scope but request, newest first."""
        secrets = await self._db.page(*page_of_secrets(tenant, person=person, before=before, limit=limit))
        return [SecretRecord(*row) for row in secrets]

    async def candidates(self, tenant: str, request_id: str) -> Sequence[SecretRecord]:
        """Read the values of a request that are being tried, by name."""
        return [SecretRecord(*row) for row in await self._db.rows(CANDIDATES, tenant, request_id)]

    async def granted(
        self, tenant: str, thread_id: str, names: Sequence[str], *, requester: str | None
    ) -> Sequence[tuple[Grant, SecretRecord | None]]:
        """Read the newest grant for each of the names in a thread."""
        parameters = (tenant, thread_id, list(names))
        if requester is None:
            secrets = await self._db.rows(GRANTED, *parameters)
        else:
            secrets = await self._db.rows(GRANTED_TO, *parameters, requester)
        return [rows.grant_and_secret(row) for row in secrets]

    async def agents_of_secrets(self, tenant: str, secret_ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Read which agents may use secrets."""
        return [(row[0], row[1]) for row in await self._db.rows(AGENTS_OF, tenant, list(secret_ids))]

    async def secret_uses(self, tenant: str, secret_ids: Sequence[str]) -> Mapping[str, SecretUse]:
        """Read the last uses of secrets."""
        return {row[1]: SecretUse(*row) for row in await self._db.rows(USES_OF, tenant, list(secret_ids))}

    async def set_secret_agents(
        self, tenant: str, secret_id: str, agents: Sequence[str], effects: SideEffects
    ) -> None:
        """Return which agents may use a secret, and take back the grants of all others."""

        async def change(tx: Transaction) -> None:
            await tx.run(LET_NOBODY_USE, tenant, secret_id)
            for agent in agents:
                await tx.run(LET_USE, tenant, secret_id, agent)
            if "*" not in agents:
                await tx.run(TAKE_BACK, tenant, secret_id, list(agents))
            await tx.write(effects)

        await self._db.change(change, effects)

    async def grant_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Let one agent use a secret too."""
        await self._change_agent((LET_USE,), tenant, secret_id, agent, effects)

    async def revoke_secret(self, tenant: str, secret_id: str, agent: str, effects: SideEffects) -> None:
        """Take a secret back from one agent, with its grants."""
        await self._change_agent((LET_NO_MORE, TAKE_BACK_ONE), tenant, secret_id, agent, effects)

    async def _change_agent(
        self, statements: Sequence[str], tenant: str, secret_id: str, agent: str, effects: SideEffects
    ) -> None:
        async def change(tx: Transaction) -> None:
            for sql in statements:
                await tx.run(sql, tenant, secret_id, agent)
            await tx.write(effects)

        await self._db.change(change, effects)

    async def drop_secret(self, tenant: str, secret_id: str, effects: SideEffects) -> bool:
        """Erase a secret."""
        return await self._apply(DROP_SECRET, secret_id, tenant, effects=effects, erases=True) is not None

    async def sealed_after(
        self, secret_id: str, *, tenant: str | None = None, limit: int = 200
    ) -> Sequence[SecretRecord]:
        """Read sealed texts of every scope, candidates too, by id."""
        row = await self._db.row(LAST_OF_PAGE, tenant, secret_id, limit)
        if row is None or row[0] is None:
            return []
        return [SecretRecord(*columns) for columns in await self._db.page(SEALED, tenant, secret_id, row[0])]

    async def rewrap(self, secret_id: str, *, sealed: str, instead: str) -> bool:
        """Replace a sealed text: in its location, or still as a candidate."""

        async def replace(tx: Transaction) -> bool:
            texts = (REWRAP_SECRET, REWRAP_CANDIDATE)
            return [await tx.one(sql, secret_id, instead, sealed) for sql in texts] != [None, None]

        return await self._db.change(replace, erases=True)
