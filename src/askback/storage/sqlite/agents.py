"""The `AgentStore` part of the port on SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.ports.agents import Agent, Root, Token
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.storage import rows
from askback.storage.sqlite import agent_queries as queries
from askback.storage.sqlite.along import write_along
from askback.storage.sqlite.connection import Connection
from askback.storage.sqlite.part import Part


class AgentPart(Part):
    """Agents and tokens. See `askback.ports.agents` for what each method promises."""

    async def add_agent(self, agent: Agent, along: Along = NOTHING) -> Outcome:
        """Store an agent."""
        row = rows.agent_columns(agent)
        return await self._change(
            lambda db, _: _once(db, queries.ADD_AGENT, row, along, otherwise=Outcome.REPLAYED), along
        )

    async def agent(self, tenant: str, agent_id: str) -> Agent | None:
        """Read one agent."""
        row = self._readers.point(lambda db: db.execute(queries.AGENT, (tenant, agent_id)).fetchone())
        return None if row is None else rows.agent(row)

    async def agents(self, tenant: str, *, before: str | None = None, limit: int = 100) -> Sequence[Agent]:
        """Read agents."""
        found = await self._readers.page(
            lambda db: db.execute(queries.AGENTS, (tenant, before, limit)).fetchall()
        )
        return [rows.agent(row) for row in found]

    async def set_roots(
        self,
        tenant: str,
        agent_id: str,
        roots: tuple[Root, ...],
        along: Along = NOTHING,
        *,
        before: tuple[Root, ...],
    ) -> Outcome:
        """Replace the roots of an agent."""
        row = (rows.roots_text(roots), tenant, agent_id, rows.roots_text(before))
        return await self._change(
            lambda db, _: _once(db, queries.SET_ROOTS, row, along, otherwise=Outcome.LOST), along
        )

    async def stop_agent(self, tenant: str, agent_id: str, along: Along = NOTHING, *, at: int) -> Outcome:
        """Note that an agent was stopped."""
        row = (at, tenant, agent_id)
        return await self._change(
            lambda db, _: _once(db, queries.STOP_AGENT, row, along, otherwise=Outcome.REPLAYED), along
        )

    async def put_token(self, digest: str, token: Token, along: Along = NOTHING) -> None:
        """Make a token known."""
        await self._change(lambda db, _: _put(db, digest, token, along), along)

    async def token(self, digest: str) -> Token | None:
        """Read what a token stands for."""
        row = self._readers.point(lambda db: db.execute(queries.TOKEN, (digest,)).fetchone())
        return None if row is None else rows.token(row)

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Read tokens."""
        sql, of = (queries.TOKENS, ()) if agent is None else (queries.TOKENS_OF, (agent,))
        found = await self._readers.page(lambda db: db.execute(sql, (tenant, before, limit, *of)).fetchall())
        return [rows.token(row) for row in found]

    async def tokens_from(self, source: str) -> Sequence[Token]:
        """Read the tokens of one source."""
        found = await self._readers.page(lambda db: db.execute(queries.TOKENS_FROM, (source,)).fetchall())
        return [rows.token(row) for row in found]

    async def token_by_id(self, tenant: str, token_id: str) -> Token | None:
        """Read one token."""
        row = self._readers.point(lambda db: db.execute(queries.TOKEN_BY_ID, (tenant, token_id)).fetchone())
        return None if row is None else rows.token(row)

    async def revoke_tokens(
        self, tenant: str, token_ids: Sequence[str], along: Along = NOTHING, *, at: int, by: str
    ) -> Sequence[str]:
        """Revoke tokens."""
        return await self._change(lambda db, _: _revoke(db, tenant, token_ids, along, at=at, by=by), along)

    async def touch_tokens(self, used: Mapping[tuple[str, str], int]) -> None:
        """Note when tokens were last used."""
        await self._writer.submit(lambda db, _: _touch(db, used))


def _once(
    db: Connection, sql: str, row: tuple[str | int | None, ...], along: Along, *, otherwise: Outcome
) -> Outcome:
    if db.execute(sql, row).fetchone() is None:
        return otherwise
    write_along(db, along)
    return Outcome.APPLIED


def _put(db: Connection, digest: str, token: Token, along: Along) -> None:
    db.execute(queries.PUT_TOKEN, (digest, *rows.token_columns(token)))
    write_along(db, along)


def _revoke(
    db: Connection, tenant: str, token_ids: Sequence[str], along: Along, *, at: int, by: str
) -> Sequence[str]:
    found = [db.execute(queries.REVOKE, (at, by, tenant, name)).fetchone() for name in token_ids]
    revoked = [row[0] for row in found if row is not None]
    if revoked:
        write_along(db, along)
    return revoked


def _touch(db: Connection, used: Mapping[tuple[str, str], int]) -> None:
    for name, at in used.items():
        db.execute(queries.TOUCH, (at, *name))
