"""The part of the store that keeps agents, and the tokens of agents and people.

Contracts, beside those of `askback.ports.store`:

21. A token that is revoked stays known: `token` returns it with `revoked_at`, and never again without.
22. `set_roots` is a compare-and-set on the roots; `stop_agent` and `revoke_tokens` apply once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects


@dataclass(frozen=True, slots=True)
class Root:
    """A folder below which an agent may read without asking; `granted_by` is a JSON object text, times are ms."""

    path: str
    granted_at: int
    granted_by: str


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that asks people. Its requests, rules, grants, roots and threads name it, its tokens come and go.

    `user` is the host's id of the person it works for, and its own id where it works for nobody in particular.
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


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: whom it stands for, where it comes from, and its life in ms.

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
        """The token's own id, which is no secret."""
        return self.principal.token

    def valid(self, now_ms: int) -> bool:
        """Whether it may be used: neither revoked nor expired."""
        ends = self.principal.expires_at
        return self.revoked_at is None and (ends is None or ends > now_ms)


class AgentStore(Protocol):
    """Agents and tokens; only digests of tokens are ever given to it."""

    async def add_agent(self, agent: Agent, effects: SideEffects = NOTHING) -> Outcome:
        """Store an agent; `REPLAYED`, and nothing is written, when its id is known in its tenant."""
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
        """Replace the roots of an agent; `LOST`, and nothing is written, unless they are `before`."""
        ...

    async def stop_agent(
        self, tenant: str, agent_id: str, effects: SideEffects = NOTHING, *, at: int
    ) -> Outcome:
        """Note that an agent was stopped; `REPLAYED` when it was before or is not there."""
        ...

    async def put_token(self, digest: str, token: Token, effects: SideEffects = NOTHING) -> None:
        """Make a token known, or replace what it stands for, also one that was revoked."""
        ...

    async def token(self, digest: str) -> Token | None:
        """Read what a token stands for, also one that was revoked or has expired."""
        ...

    async def tokens(
        self, tenant: str, *, agent: str | None = None, before: str | None = None, limit: int = 100
    ) -> Sequence[Token]:
        """Tokens by id, the greatest first, below the id `before`; of one agent, or of all and of people."""
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
        """Revoke tokens and return the ids of those that were not revoked before; without any, nothing is written."""
        ...

    async def touch_tokens(self, used: Mapping[tuple[str, str], int]) -> None:
        """Note when tokens were last used, by tenant and id; a time before the noted one is ignored."""
        ...


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling. `role` is requester, responder, admin or runner.

    `id` is the agent's for a requester, whichever of its tokens it uses; otherwise the token's or the login's.
    `token` is the id of the token, empty for a session, and `expires_at` when that token ends, in ms.
    `user` is the host's id of the person, the same in every session and token of theirs, and the principal's own id
    where the host gave none; `groups` are those that the host put them in.
    `names` and `threads` are patterns of what a runner may lease, and for which threads; `threads` of any other token
    limit it to these threads. `system` is the projection that a token is limited to, such as `nebo`.
    `via` says on which way this call came (web, cli, mcp, chat or api), `trace` which trace it belongs to, `counted`
    that it was counted against the pace of the person, `reports` that it is an agent that reports an answer; they are
    of the call and are not stored.
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
        """Who did something, as it is kept and shown; `user` stands there where the host has said who it is."""
        who = {"id": self.id, "name": self.name}
        return who if self.user == self.id else {**who, "user": self.user}

    @property
    def answer_source(self) -> str:
        """The `source` of an answer that comes from here."""
        return "client" if self.reports else "responder"

    @property
    def settler(self) -> dict[str, str]:
        """As `actor`, of who ends a request; with the role of an admin, whose right to that comes from no thread."""
        return {**self.actor, "role": self.role} if self.role == "admin" else self.actor


class Directory(Protocol):
    """Where the host keeps its people and groups. Asked each time somebody answers what is for a group."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the names of the groups that a principal is in now.

        If it raises, the answer is refused and the request stays open. It must have its own time limit, because the
        person is waiting.
        """
        ...
