"""Who is calling: the person or the agent behind a token or a session."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling. `role` is requester, responder, admin or runner.

    `id` is the agent's for a requester, whichever of its tokens it uses; otherwise the token's or the login's.
    `token` is the id of the token, empty for a session, and `expires_at` when that token ends, in ms.
    `user` is the host's id of the person, the same in every session and token of theirs, and the principal's own id
    where the host gave none; `groups` are those that the host put them in.
    `names` and `threads` are patterns of what a runner may lease, and for which threads; `threads` of any other token
    limit it to these threads.
    `via` says on which way this call came (web, cli, mcp, chat or api), `trace` which trace it belongs to, `counted`
    that it was counted against the pace of the person; they are of the call and are not stored.
    """

    id: str
    tenant: str
    role: str
    name: str
    via: str = field(default="api", compare=False)
    trace: str = field(default="", compare=False, kw_only=True)
    counted: bool = field(default=False, compare=False, kw_only=True)
    names: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    user: str = ""
    groups: tuple[str, ...] = ()
    token: str = field(default="", kw_only=True)
    expires_at: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not self.user:
            object.__setattr__(self, "user", self.id)

    @property
    def actor(self) -> dict[str, str]:
        """Who did something, as it is kept and shown; `user` stands there where the host has said who it is."""
        who = {"id": self.id, "name": self.name}
        return who if self.user == self.id else {**who, "user": self.user}

    @property
    def settler(self) -> dict[str, str]:
        """As `actor`, of who ends a request; with the role of an admin, whose right to that comes from no thread."""
        return {**self.actor, "role": self.role} if self.role == "admin" else self.actor
