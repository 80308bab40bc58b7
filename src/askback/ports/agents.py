"""The part of the store that keeps agents, and the tokens of agents and people.

Contracts, beside those of `askback.ports.store`:

21. A revoked token is kept: `token` always returns it with `revoked_at`.
22. `set_roots` is a compare-and-set on the roots; `stop_agent` and `revoke_tokens` apply once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from askback.domain.values import frozen
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects


@frozen(slots=True)
class Root:
    """A folder below which an agent may read without asking; `granted_by` is a JSON object text, times are ms."""

    path: str
    granted_at: int
    granted_by: str


@frozen(slots=True)
class Agent:
    """A program that asks people. Its requests, rules, grants, roots and threads belong to it; its tokens can change.

    `user` is the host's id of the person it works for, or its own id if it works for nobody in particular.
    `created_at` is None for an agent that was made from a token of an older askback.
    """

    id: str
    tenant: str
    name: str
    user: str
    created_at: int | None
    created_by: str | None = None
    stopped_at: int | None = None
    roots: tuple[Root, ...] = ()


@frozen(slots=True)
class Token:
    """A stored token: its principal, its source, and its times in ms.

    `source` is api, cli, local, settings or unknown (made by an older askback). `created_by` and `revoked_by` are JSON
    object texts.
    """

    principal: Principal
    source: str = "api"
    created_at: int | None = None
    created_by: str | None = None
    revoked_at: int | None = None
    revoked_by: str | None = None
    last_used_at: int | None = None

    @property
    def id(self) -> str:
        """The token's own id, which is not secret."""
        return self.principal.token

    def valid(self, now_ms: int) -> bool:
        """Return whether it may be used: neither revoked nor expired."""
        expires_at = self.principal.expires_at
        return self.revoked_at is None and (expires_at is None or expires_at > now_ms)


class AgentStore(Protocol):
    """Agents and tokens; only digests of tokens are ever given to it."""

    async def add_agent(self, agent: Agent, effects: SideEffects = NOTHING) -> Outcome:
        """Store an agent; `REPLAYED`, without a write, if its id exists in its tenant."""
        ...

    async def agent(self, tenant: str, agent_id: str) -> Agent | None:
        """Read one agent by its id."""
        ...

    async def agents(self, tenant: str, *, before: str | None = None, limit: int = 100) -> Sequence[Agent]:
        """Agents by id, the greatest first, below the id `before`."""
        ...

    async def set_roots(
        self,
        tenant: str,
        agent_id: str,
        roots: tuple[Root, ...],
        effects: SideEffects = NOTHING,
        *,
        before: tuple[Root, ...],
    ) -> Outcome:
        """Replace the roots of an agent; `LOST`, without a write, unless they are `before`."""
        ...

    async def stop_agent(
        self, tenant: str, agent_id: str, effects: SideEffects = NOTHING, *, at: int
    ) -> Outcome:
        """Record that an agent was stopped; `REPLAYED` if it was stopped before or does not exist."""
        ...

    async def put_token(self, digest: str, token: Token, effects: SideEffects = NOTHING) -> None:
        """Store a token, or replace the stored one, even if it was revoked."""
        ...

    async def token(self, digest: str) -> Token | None:
        """Read a token, even if it was revoked or has expired."""
        ...

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Tokens by id, the greatest first, below the id `before`; of one agent, or of all agents and people."""
        ...

    async def tokens_from(self, source: str) -> Sequence[Token]:
        """Every token of one source, in any tenant."""
        ...

    async def token_by_id(self, tenant: str, token_id: str) -> Token | None:
        """Read one token by its id."""
        ...

    async def revoke_tokens(
        self, tenant: str, token_ids: Sequence[str], effects: SideEffects = NOTHING, *, at: int, by: str
    ) -> Sequence[str]:
        """Revoke tokens and return the ids of those that were not revoked before; writes nothing if there are none."""
        ...

    async def touch_tokens(self, times: Mapping[tuple[str, str], int]) -> None:
        """Record when tokens were last used, by tenant and id; a time before the stored one is ignored."""
        ...


@frozen(slots=True)
class Principal:
    """The caller. `role` is requester, responder, admin or runner.

    `id` is the agent's for a requester, with any of its tokens; otherwise the token's or the login's.
    `token` is the id of the token, empty for a session, and `expires_at` when that token ends, in ms.
    `user` is the host's id of the person, the same in every session and token of theirs, and the principal's
    own id if the host set none; `groups` are their groups in the host. `names` and `threads` are patterns of
    the names that a runner may lease, and of the threads; `threads` of any other token limit it to these
    threads. `system` is the projection that a token is limited to, such as `nebo`. `via` is the channel of
    this call (web, cli, mcp, chat or api), `trace` its trace, `counted` says that it was counted towards the
    rate limit of the person, `reports` that an agent reports an answer; these belong to the call and are not
    stored.
    """

    id: str
    tenant: str
    role: str
    name: str
    via: str = field(default="api", compare=False)
    trace: str = field(default="", compare=False, kw_only=True)
    counted: bool = field(default=False, compare=False, kw_only=True)
    reports: bool = field(default=False, compare=False, kw_only=True)
    names: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    user: str = ""
    groups: tuple[str, ...] = ()
    token: str = field(default="", kw_only=True)
    expires_at: int | None = field(default=None, kw_only=True)
    system: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not self.user:
            object.__setattr__(self, "user", self.id)

    @property
    def actor(self) -> dict[str, str]:
        """The actor for storage and display; it has `user` if the host has identified the person."""
        actor = {"id": self.id, "name": self.name}
        return actor if self.user == self.id else {**actor, "user": self.user}

    @property
    def answer_source(self) -> str:
        """The `source` of an answer by this principal."""
        return "client" if self.reports else "responder"

    @property
    def settler(self) -> dict[str, str]:
        """The actor who ends a request; with the role of an admin, who needs no access to the thread."""
        return {**self.actor, "role": self.role} if self.role == "admin" else self.actor


class Directory(Protocol):
    """The host's people and groups. It is asked each time somebody answers a request for a group."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the names of the groups that a principal is in now.

        If it raises, the answer is refused and the request stays open. It must have its own time limit, because the
        person is waiting.
        """
        ...
