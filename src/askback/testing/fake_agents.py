"""The agents and tokens of the store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from askback.ports.agents import Agent, Root, Token
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along
from askback.testing.fake_along import FakeAlong


class FakeAgents(FakeAlong):
    """The `AgentStore` half of the port in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens: dict[str, Token] = {}

    async def add_agent(self, agent: Agent, along: Along = NOTHING) -> Outcome:
        """Store an agent."""
        self._begin()
        if (agent.tenant, agent.id) in self._agents:
            return Outcome.REPLAYED
        self._keep(along)
        self._agents[agent.tenant, agent.id] = agent
        return Outcome.APPLIED

    async def agent(self, tenant: str, agent_id: str) -> Agent | None:
        """Read one agent."""
        return self._agents.get((tenant, agent_id))

    async def agents(self, tenant: str, *, before: str | None = None, limit: int = 100) -> Sequence[Agent]:
        """Read agents."""
        found = [a for a in self._agents.values() if a.tenant == tenant and (before is None or a.id < before)]
        return sorted(found, key=lambda a: a.id, reverse=True)[:limit]

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
        self._begin()
        agent = self._agents.get((tenant, agent_id))
        if agent is None or agent.roots != before:
            return Outcome.LOST
        self._keep(along)
        self._agents[tenant, agent_id] = replace(agent, roots=roots)
        return Outcome.APPLIED

    async def stop_agent(self, tenant: str, agent_id: str, along: Along = NOTHING, *, at: int) -> Outcome:
        """Note that an agent was stopped."""
        self._begin()
        agent = self._agents.get((tenant, agent_id))
        if agent is None or agent.stopped_at is not None:
            return Outcome.REPLAYED
        self._keep(along)
        self._agents[tenant, agent_id] = replace(agent, stopped_at=at)
        return Outcome.APPLIED

    async def put_token(self, digest: str, token: Token, along: Along = NOTHING) -> None:
        """Make a token known."""
        self._begin()
        self._keep(along)
        self._tokens[digest] = token

    async def without_log(self) -> Sequence[str]:
        """Read the tenants that have tokens and no log."""
        return sorted({token.principal.tenant for token in self._tokens.values()} - self._audit_heads.keys())

    async def token(self, digest: str) -> Token | None:
        """Read what a token stands for."""
        return self._tokens.get(digest)

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Read tokens."""
        found = [
            t
            for t in self._tokens_of(tenant)
            if agent in (None, t.principal.id) and (before is None or t.id < before)
        ]
        return sorted(found, key=lambda t: t.id, reverse=True)[:limit]

    async def tokens_from(self, source: str) -> Sequence[Token]:
        """Read the tokens of one source."""
        return [t for t in self._tokens.values() if t.source == source]

    async def token_by_id(self, tenant: str, token_id: str) -> Token | None:
        """Read one token."""
        return next((t for t in self._tokens_of(tenant) if t.id == token_id), None)

    async def revoke_tokens(
        self, tenant: str, token_ids: Sequence[str], along: Along = NOTHING, *, at: int, by: str
    ) -> Sequence[str]:
        """Revoke tokens."""
        self._begin()
        chosen = {
            digest: replace(t, revoked_at=at, revoked_by=by)
            for digest, t in self._tokens.items()
            if t.principal.tenant == tenant and t.id in token_ids and t.revoked_at is None
        }
        if chosen:
            self._keep(along)
        self._tokens |= chosen
        return [t.id for t in chosen.values()]

    async def touch_tokens(self, used: Mapping[tuple[str, str], int]) -> None:
        """Note when tokens were last used."""
        self._begin()
        for digest, t in self._tokens.items():
            at = used.get((t.principal.tenant, t.id), 0)
            if at > (t.last_used_at or 0):
                self._tokens[digest] = replace(t, last_used_at=at)

    def _tokens_of(self, tenant: str) -> Iterable[Token]:
        return (t for t in self._tokens.values() if t.principal.tenant == tenant)
