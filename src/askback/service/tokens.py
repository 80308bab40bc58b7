"""Create, register and authenticate tokens. Only their digests are stored.

The token of a requester stands for an agent, to which everything that it asks belongs; any other stands for itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_json

from askback.domain.timestamps import rfc3339
from askback.errors import Unauthorized
from askback.ports.agents import Agent, Token
from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.principal import Principal
from askback.service.access import digest
from askback.service.context import Services
from askback.service.ledger import entry

SETTINGS = "settings"
"""The source of tokens that `ASKBACK_BOOTSTRAP_TOKENS` names."""
LOCAL = "local"
"""The source of tokens that a server keeps in server.json."""
LIFE_S = 90 * 24 * 3600
"""How long a token lasts that is made over the network for somebody who is not an agent, unless it is said."""
LONGEST_S = 3650 * 24 * 3600
WARNED_MS = 7 * 24 * 3600 * 1000
"""How long before its end the holder of a token is warned with each reply."""
_BY_SETTINGS = '{"id":"settings","name":"ASKBACK_BOOTSTRAP_TOKENS"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """What a token is to be. `agent` is the id of the agent that a requester's is for; a new one without it."""

    role: str
    name: str
    tenant: str
    names: Sequence[str] = ()
    threads: Sequence[str] = ()
    user: str | None = None
    groups: Sequence[str] = ()
    agent: str | None = None
    expires_in_s: float | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A token that was chosen elsewhere, and whom it stands for."""

    secret: str
    new: NewToken


async def authenticate(ctx: Services, secret: str) -> Principal | None:
    """Return whom a token stands for, None for an unknown one; raises `Unauthorized` for one that has ended."""
    token = await ctx.store.token(digest(secret))
    if token is None:
        return None
    now = ctx.clock.now_ms()
    if not token.valid(now):
        how = "expired" if token.revoked_at is None else "was revoked"
        raise Unauthorized(f"This token {how}. Ask an admin for a new one.")
    ctx.last_use.note(token.principal, now)
    return token.principal


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token: the secret, which is shown this once, and what is kept of it."""

    secret: str
    token: Token


async def issue(ctx: Services, new: NewToken, *, source: str = "api", by: Principal | None = None) -> Issued:
    """Make a new token; its secret can be read only now."""
    secret = ctx.ids.token()
    now = ctx.clock.now_ms()
    token_id = ctx.ids.new("tok", now_ms=now)
    agent_id = new.agent or ctx.ids.new("agt", now_ms=now)
    token = _token(ctx, new, token_id=token_id, agent_id=agent_id, source=source, by=by)
    await _put(ctx, secret, token, by=by)
    return Issued(secret, token)


async def revoke(ctx: Services, token: Token, *, by: Principal) -> Token:
    """Revoke a token, and end what it has open at every server."""
    now = ctx.clock.now_ms()
    tenant = token.principal.tenant
    told = about_token("token.revoke", token, at=now, by=by, via=by.via)
    actor = to_json(by.actor).decode()
    await ctx.store.revoke_tokens(tenant, [token.id], SideEffects(audit=(told,)), at=now, by=actor)
    ctx.bus.dismiss(token.id)
    return await ctx.store.token_by_id(tenant, token.id) or token


def ends_soon(principal: Principal, now_ms: int) -> str | None:
    """Return when a token ends, for a warning; None while that is more than a week away."""
    ends = principal.expires_at
    return None if ends is None or ends - now_ms > WARNED_MS else rfc3339(ends)


def shown(token: Token) -> dict[str, Any]:
    """Return a token as it stands on the wire; never its secret."""
    who = token.principal

    def moment(at: int | None) -> str | None:
        return None if at is None else rfc3339(at)

    return {
        "id": token.id,
        "role": who.role,
        "name": who.name,
        "agent": who.id if who.role == "requester" else None,
        "user": who.user if who.user != who.id else None,
        "groups": list(who.groups),
        "threads": list(who.threads),
        "names": list(who.names),
        "source": token.source,
        "created_at": moment(token.created_at),
        "created_by": None if token.created_by is None else json.loads(token.created_by),
        "expires_at": moment(who.expires_at),
        "last_used_at": moment(token.last_used_at),
        "revoked_at": moment(token.revoked_at),
    }


async def remember(ctx: Services, known: Known, *, source: str, agent: str | None = None) -> None:
    """Make a token known that was chosen elsewhere.

    Its ids follow from the token, so that a start with the same token finds its old requests. What is known of it
    already stays; one that a person revoked stays revoked.
    """
    token_id = _token_id(known.secret)
    before = await ctx.store.token(digest(known.secret))
    if before is not None and before.principal.role == known.new.role:
        agent = before.principal.id
    agent_id = agent or f"agt_{token_id.removeprefix('tok_')}"
    token = _token(ctx, known.new, token_id=token_id, agent_id=agent_id, source=source, by=None)
    if before is None:
        await _put(ctx, known.secret, token, by=None)
        return
    kept = replace(
        before, principal=token.principal, source=source, created_at=before.created_at or token.created_at
    )
    if kept.revoked_by == _BY_SETTINGS:
        kept = replace(kept, revoked_at=None, revoked_by=None)
    if kept != before:
        await _put_again(ctx, known.secret, kept)


async def configure(ctx: Services, configured: Iterable[Known], *, retire: bool) -> None:
    """Make the tokens of the settings known; with `retire` those that are no longer in the settings end.

    A requester's token that replaces one of the same name goes on as the same agent.
    """
    wanted = {_token_id(known.secret): known for known in configured}
    gone = [t for t in await ctx.store.tokens_from(SETTINGS) if t.id not in wanted and t.revoked_at is None]
    for known in wanted.values():
        await remember(ctx, known, source=SETTINGS, agent=_replaced(known.new, gone))
    if retire:
        await _retire(ctx, gone)


async def _retire(ctx: Services, gone: Sequence[Token]) -> None:
    now = ctx.clock.now_ms()
    for token in gone:
        told = about_token("token.revoke", token, at=now, by=None, via=SETTINGS)
        await ctx.store.revoke_tokens(
            token.principal.tenant, [token.id], SideEffects(audit=(told,)), at=now, by=_BY_SETTINGS
        )
        ctx.bus.dismiss(token.id)


def _replaced(new: NewToken, gone: Sequence[Token]) -> str | None:
    """Return the agent whose token this one replaces."""
    if new.role != "requester":
        return None
    alike = (new.tenant, new.role, new.name)
    return next(
        (t.principal.id for t in gone if (t.principal.tenant, t.principal.role, t.principal.name) == alike),
        None,
    )


def _token(
    ctx: Services, new: NewToken, *, token_id: str, agent_id: str, source: str, by: Principal | None
) -> Token:
    now = ctx.clock.now_ms()
    principal_id = agent_id if new.role == "requester" else token_id
    principal = Principal(
        principal_id,
        new.tenant,
        new.role,
        new.name,
        names=tuple(new.names),
        threads=tuple(new.threads),
        user=new.user or principal_id,
        groups=tuple(new.groups),
        token=token_id,
        expires_at=None if new.expires_in_s is None else now + round(new.expires_in_s * 1000),
    )
    return Token(principal, source, now, None if by is None else to_json(by.actor).decode())


async def _put(ctx: Services, secret: str, token: Token, *, by: Principal | None) -> None:
    """Store a new token, with its agent before it: a token of an agent that is not there would be nobody's."""
    now = ctx.clock.now_ms()
    await _add_agent(ctx, token)
    told = about_token("token.add", token, at=now, by=by, via=token.source)
    await ctx.store.put_token(digest(secret), token, SideEffects(audit=(told,)))


async def _put_again(ctx: Services, secret: str, token: Token) -> None:
    await _add_agent(ctx, token)
    await ctx.store.put_token(digest(secret), token)


async def _add_agent(ctx: Services, token: Token) -> None:
    who = token.principal
    if who.role == "requester":
        await ctx.store.add_agent(
            Agent(who.id, who.tenant, who.name, who.user, token.created_at, token.created_by)
        )


def about_token(action: str, token: Token, *, at: int, by: Principal | None, via: str) -> AuditDraft:
    """Make an entry of the audit log about a token; `via` says where it comes from when nobody is known."""
    who = token.principal
    facts: dict[str, Any] = {
        "token_id": token.id,
        "role": who.role,
        "name": who.name,
        "agent": who.id if who.role == "requester" else None,
        "user": who.user if who.user != who.id else None,
        "groups": list(who.groups) or None,
        "threads": list(who.threads) or None,
        "expires_at": None if who.expires_at is None else rfc3339(who.expires_at),
    }
    if by is None:
        facts["via"] = via
    return entry(action, at=at, tenant=who.tenant, by=by, **facts)


def _token_id(secret: str) -> str:
    return f"tok_{digest('id:' + secret)[:26]}"
