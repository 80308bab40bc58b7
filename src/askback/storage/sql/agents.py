"""Agents and tokens."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.ports.agents import Agent, Root, Token
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.storage import rows
from askback.storage.sql.conditions import Conditions
from askback.storage.sql.transaction import Area, Transaction

# Agents, in the order of the fields of `Agent`, roots as JSON.

_AGENT = "id, tenant, name, person, created_at, created_by, stopped_at, roots"
# -> a row unless the id is known.
ADD_AGENT = f"""
INSERT INTO agents ({_AGENT}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id"""
AGENT = f"SELECT {_AGENT} FROM agents WHERE tenant = $1 AND id = $2"
AGENTS = f"SELECT {_AGENT} FROM agents"
# (roots, tenant, id, roots before) -> a row when they were replaced.
SET_ROOTS = "UPDATE agents SET roots = $1 WHERE tenant = $2 AND id = $3 AND roots = $4 RETURNING id"
# When, tenant, id.
STOP_AGENT = """
UPDATE agents SET stopped_at = $1 WHERE tenant = $2 AND id = $3 AND stopped_at IS NULL RETURNING id"""

# Tokens, in the order of `rows.token`.

_COLUMNS = (
    *(
        "principal",
        "tenant",
        "role",
        "name",
        "person",
        "groups",
        "names",
        "threads",
        "id",
        "expires_at",
        "system",
    ),
    *("source", "created_at", "created_by", "revoked_at", "revoked_by", "last_used_at"),
)
_TOKEN = ", ".join(_COLUMNS)
PUT_TOKEN = f"""
INSERT INTO tokens (digest, {_TOKEN})
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (digest) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)}"""
# By digest, which comes first.
TOKEN = f"SELECT digest, {_TOKEN} FROM tokens WHERE digest = ANY ($1::text[])"
TOKEN_BY_ID = f"SELECT {_TOKEN} FROM tokens WHERE tenant = $1 AND id = $2"
TOKENS = f"SELECT {_TOKEN} FROM tokens"
TOKENS_FROM = f"SELECT {_TOKEN} FROM tokens WHERE source = $1"
# (at, by, tenant, ids) -> the ids of those that this revoked.
REVOKE_TOKENS = """
UPDATE tokens SET revoked_at = $1, revoked_by = $2
WHERE tenant = $3 AND id = ANY ($4::text[]) AND revoked_at IS NULL RETURNING id"""
# Tenant, id, time of each.
TOUCH_TOKENS = """
UPDATE tokens AS t SET last_used_at = greatest(coalesce(t.last_used_at, 0), u.at)
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u (tenant, id, at)
WHERE t.tenant = u.tenant AND t.id = u.id"""


class AgentArea(Area):
    """See `askback.ports.agents` for what each method promises."""

    async def add_agent(self, agent: Agent, effects: SideEffects = NOTHING) -> Outcome:
        """Store an agent."""
        added = await self._apply(ADD_AGENT, *rows.agent_columns(agent), effects=effects)
        return Outcome.REPLAYED if added is None else Outcome.APPLIED

    async def agent(self, tenant: str, agent_id: str) -> Agent | None:
        """Read one agent."""
        row = await self._db.row(AGENT, tenant, agent_id)
        return None if row is None else rows.agent(row)

    async def agents(self, tenant: str, *, before: str | None = None, limit: int = 100) -> Sequence[Agent]:
        """Read agents."""
        conditions = Conditions()
        conditions.add("tenant = {}", tenant)
        conditions.add_chosen("id < {}", before)
        return [rows.agent(row) for row in await self._db.page(*conditions.page(AGENTS, limit=limit))]

    async def set_roots(
        self,
        tenant: str,
        agent_id: str,
        roots: tuple[Root, ...],
        effects: SideEffects = NOTHING,
        *,
        before: tuple[Root, ...],
    ) -> Outcome:
        """Replace the roots of an agent."""
        parameters = (tenant, agent_id, rows.roots_text(before))
        changed_rows = await self._apply(SET_ROOTS, rows.roots_text(roots), *parameters, effects=effects)
        return Outcome.LOST if changed_rows is None else Outcome.APPLIED

    async def stop_agent(
        self, tenant: str, agent_id: str, effects: SideEffects = NOTHING, *, at: int
    ) -> Outcome:
        """Note that an agent was stopped."""
        stopped_rows = await self._apply(STOP_AGENT, at, tenant, agent_id, effects=effects)
        return Outcome.REPLAYED if stopped_rows is None else Outcome.APPLIED

    async def put_token(self, digest: str, token: Token, effects: SideEffects = NOTHING) -> None:
        """Store a token."""

        async def put(tx: Transaction) -> None:
            await tx.run(PUT_TOKEN, digest, *rows.token_columns(token))
            await tx.write(effects)

        await self._db.change(put, effects)

    async def token(self, digest: str) -> Token | None:
        """Read a token."""
        row = await self._db.find(TOKEN, digest)
        return None if row is None else rows.token(row[1:])

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Read tokens."""
        conditions = Conditions()
        conditions.add("tenant = {}", tenant)
        conditions.add_chosen("principal = {}", agent)
        conditions.add_chosen("id < {}", before)
        return [rows.token(row) for row in await self._db.page(*conditions.page(TOKENS, limit=limit))]

    async def tokens_from(self, source: str) -> Sequence[Token]:
        """Read the tokens of one source."""
        return [rows.token(row) for row in await self._db.page(TOKENS_FROM, source)]

    async def token_by_id(self, tenant: str, token_id: str) -> Token | None:
        """Read one token."""
        row = await self._db.row(TOKEN_BY_ID, tenant, token_id)
        return None if row is None else rows.token(row)

    async def revoke_tokens(
        self, tenant: str, token_ids: Sequence[str], effects: SideEffects = NOTHING, *, at: int, by: str
    ) -> Sequence[str]:
        """Revoke tokens."""

        async def revoke(tx: Transaction) -> Sequence[str]:
            revoked_rows = await tx.all(REVOKE_TOKENS, at, by, tenant, list(token_ids))
            if revoked_rows:
                await tx.write(effects)
            return [row[0] for row in revoked_rows]

        return await self._db.change(revoke, effects)

    async def touch_tokens(self, times: Mapping[tuple[str, str], int]) -> None:
        """Note when tokens were last used."""
        rows_ = [(*name, used_at) for name, used_at in sorted(times.items())]
        await self._db.change(lambda tx: tx.many(TOUCH_TOKENS, rows_))
