"""The `AgentStore` part of the port on Postgres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.ports.agents import Agent, Root, Token
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.storage import rows
from askback.storage.postgres import agent_queries as queries
from askback.storage.postgres.along import write_along
from askback.storage.postgres.borrowed import Borrowed
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.part import Part
from askback.storage.postgres.together import Key, Together
from askback.storage.postgres.writer import Writer


class AgentPart(Part):
    """Agents and tokens. See `askback.ports.agents` for what each method promises."""

    def __init__(self, writer: Writer, borrowed: Borrowed) -> None:
        super().__init__(writer, borrowed)
        self._token = Together(self._ask_tokens)

    async def add_agent(self, agent: Agent, along: Along = NOTHING) -> Outcome:
        """Store an agent."""
        return await self._once(
            queries.ADD_AGENT, *rows.agent_columns(agent), along=along, otherwise=Outcome.REPLAYED
        )

    async def agent(self, tenant: str, agent_id: str) -> Agent | None:
        """Read one agent."""
        row = await self._borrowed.row(queries.AGENT, tenant, agent_id)
        return None if row is None else rows.agent(row)

    async def agents(self, tenant: str, *, before: str | None = None, limit: int = 100) -> Sequence[Agent]:
        """Read agents."""
        if before is None:
            found = await self._borrowed.rows(queries.AGENTS, tenant, limit)
        else:
            found = await self._borrowed.rows(queries.AGENTS_BEFORE, tenant, limit, before)
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
        return await self._once(queries.SET_ROOTS, *row, along=along, otherwise=Outcome.LOST)

    async def stop_agent(self, tenant: str, agent_id: str, along: Along = NOTHING, *, at: int) -> Outcome:
        """Note that an agent was stopped."""
        row = (at, tenant, agent_id)
        return await self._once(queries.STOP_AGENT, *row, along=along, otherwise=Outcome.REPLAYED)

    async def put_token(self, digest: str, token: Token, along: Along = NOTHING) -> None:
        """Make a token known."""

        async def put(db: Connection) -> None:
            await db.execute(queries.PUT_TOKEN, digest, *rows.token_columns(token))
            await write_along(db, along)

        await self._borrowed.change(put)

    async def token(self, digest: str) -> Token | None:
        """Read what a token stands for."""
        return await self._token(digest)

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Read tokens."""
        return [
            rows.token(row) for row in await self._borrowed.rows(queries.TOKENS, tenant, agent, before, limit)
        ]

    async def tokens_from(self, source: str) -> Sequence[Token]:
        """Read the tokens of one source."""
        return [rows.token(row) for row in await self._borrowed.rows(queries.TOKENS_FROM, source)]

    async def token_by_id(self, tenant: str, token_id: str) -> Token | None:
        """Read one token."""
        row = await self._borrowed.row(queries.TOKEN_BY_ID, tenant, token_id)
        return None if row is None else rows.token(row)

    async def revoke_tokens(
        self, tenant: str, token_ids: Sequence[str], along: Along = NOTHING, *, at: int, by: str
    ) -> Sequence[str]:
        """Revoke tokens."""

        async def revoke(db: Connection) -> Sequence[str]:
            revoked = [row[0] for row in await db.fetch(queries.REVOKE_TOKENS, at, by, tenant, token_ids)]
            if revoked:
                await write_along(db, along)
            return revoked

        return await self._borrowed.change(revoke)

    async def touch_tokens(self, used: Mapping[tuple[str, str], int]) -> None:
        """Note when tokens were last used."""
        columns = zip(*((*name, at) for name, at in sorted(used.items())), strict=True)
        await self._borrowed.change(lambda db: db.execute(queries.TOUCH_TOKENS, *map(list, columns)))

    async def _once(self, sql: str, *row: object, along: Along, otherwise: Outcome) -> Outcome:
        async def change(db: Connection) -> Outcome:
            if await db.fetchrow(sql, *row) is None:
                return otherwise
            await write_along(db, along)
            return Outcome.APPLIED

        return await self._borrowed.change(change)

    async def _ask_tokens(self, digests: Sequence[Key]) -> Mapping[Key, Token]:
        found = await self._borrowed.rows(queries.TOKENS_BY_DIGEST, [digest for (digest,) in digests])
        return {(digest,): rows.token(row) for digest, *row in found}
