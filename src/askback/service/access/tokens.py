"""Create, register and authenticate tokens. Only their digests are stored.

A requester's token represents an agent, which owns the requests made with it. Any other token is its own principal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_json

from askback.domain.timestamps import rfc3339
from askback.domain.values import frozen
from askback.errors import Unauthorized
from askback.ports.agents import Agent, Principal, Token
from askback.ports.policy import AuditDraft, SideEffects
from askback.service.access.roles import digest
from askback.service.audit_entry import audit_entry
from askback.service.context import Services

SETTINGS = "settings"
"""The source of tokens from `ASKBACK_BOOTSTRAP_TOKENS`."""
LOCAL = "local"
"""The source of tokens from server.json."""
DEFAULT_LIFETIME_S = 90 * 24 * 3600
"""The default lifetime of a token that is created over the network, except for agents."""
MAX_LIFETIME_S = 3650 * 24 * 3600
EXPIRY_WARNING_MS = 7 * 24 * 3600 * 1000
"""How long before a token expires its replies carry a warning."""
_BY_SETTINGS = '{"id":"settings","name":"ASKBACK_BOOTSTRAP_TOKENS"}'


@frozen(slots=True, kw_only=True)
class NewToken:
    """The properties of a new token. `agent` is the agent of a requester's token; without it a new agent is created.

    `system` limits it to the paths of one projection.
    """

    role: str
    name: str
    tenant: str
    names: Sequence[str] = ()
    threads: Sequence[str] = ()
    user: str | None = None
    groups: Sequence[str] = ()
    agent: str | None = None
    expires_in_s: float | None = None
    system: str = ""


@frozen(slots=True)
class ConfiguredToken:
    """A token whose secret was chosen outside, in the settings or in server.json."""

    secret: str
    new: NewToken


async def authenticate(ctx: Services, secret: str, *, system: str = "") -> Principal | None:
    """Return the principal of a token, None if it is unknown.

    `system` is the projection in whose paths it is used. Raises `Unauthorized` if it ended or is for another system.
    """
    token = await ctx.store.token(digest(secret))
    if token is None:
        return None
    now = ctx.clock.now_ms()
    if not token.valid(now):
        problem = "expired" if token.revoked_at is None else "was revoked"
        raise Unauthorized(f"This token {problem}. Ask an admin for a new one.")
    if token.principal.system not in ("", system):
        raise Unauthorized(f"This token is only for URLs below /compat/{token.principal.system}.")
    ctx.token_usage.record(token.principal, now)
    return token.principal


@frozen(slots=True)
class IssuedToken:
    """A new token and its secret, which is shown only once."""

    secret: str
    token: Token


async def issue_token(
    ctx: Services, new: NewToken, *, source: str = "api", by: Principal | None = None
) -> IssuedToken:
    """Create a token; its secret cannot be read later."""
    secret = ctx.ids.token()
    now = ctx.clock.now_ms()
    token_id = ctx.ids.new("tok", now_ms=now)
    agent_id = new.agent or ctx.ids.new("agt", now_ms=now)
    token = _token(ctx, new, token_id=token_id, agent_id=agent_id, source=source, by=by)
    await _add(ctx, secret, token, principal=by)
    return IssuedToken(secret, token)


async def revoke_token(ctx: Services, token: Token, *, by: Principal) -> Token:
    """Revoke a token and close its connections at every server."""
    now = ctx.clock.now_ms()
    tenant = token.principal.tenant
    entry = token_entry("token.revoke", token, at=now, by=by, via=by.via)
    actor = to_json(by.actor).decode()
    await ctx.store.revoke_tokens(tenant, [token.id], SideEffects(audit=(entry,)), at=now, by=actor)
    ctx.bus.dismiss(token.id)
    return await ctx.store.token_by_id(tenant, token.id) or token


def expiry_warning(principal: Principal, now_ms: int) -> str | None:
    """Return when a token expires if that is within a week; None otherwise."""
    expires_at = principal.expires_at
    return None if expires_at is None or expires_at - now_ms > EXPIRY_WARNING_MS else rfc3339(expires_at)


def token_json(token: Token) -> dict[str, Any]:
    """Return the JSON members of a token, without its secret."""
    principal = token.principal

    def moment(milliseconds: int | None) -> str | None:
        return None if milliseconds is None else rfc3339(milliseconds)

    return {
        "id": token.id,
        "role": principal.role,
        "name": principal.name,
        "agent": principal.id if principal.role == "requester" else None,
        "user": principal.user if principal.user != principal.id else None,
        "groups": list(principal.groups),
        "threads": list(principal.threads),
        "system": principal.system or None,
        "names": list(principal.names),
        "source": token.source,
        "created_at": moment(token.created_at),
        "created_by": None if token.created_by is None else json.loads(token.created_by),
        "expires_at": moment(principal.expires_at),
        "last_used_at": moment(token.last_used_at),
        "revoked_at": moment(token.revoked_at),
    }


async def register(
    ctx: Services, configured: ConfiguredToken, *, source: str, agent: str | None = None
) -> None:
    """Store a token whose secret was chosen outside.

    Its ids are derived from the secret, so a restart with the same token finds its old requests. A stored token keeps
    its data, and one that a person revoked stays revoked.
    """
    token_id = token_id_of(configured.secret)
    existing_token = await ctx.store.token(digest(configured.secret))
    if existing_token is not None and existing_token.principal.role == configured.new.role:
        agent = existing_token.principal.id
    agent_id = agent or f"agt_{token_id.removeprefix('tok_')}"
    token = _token(ctx, configured.new, token_id=token_id, agent_id=agent_id, source=source, by=None)
    if existing_token is None:
        await _add(ctx, configured.secret, token, principal=None)
        return
    updated_token = replace(
        existing_token,
        principal=token.principal,
        source=source,
        created_at=existing_token.created_at or token.created_at,
    )
    if updated_token.revoked_by == _BY_SETTINGS:
        updated_token = replace(updated_token, revoked_at=None, revoked_by=None)
    if updated_token != existing_token:
        await _update(ctx, configured.secret, updated_token)


async def configure_tokens(ctx: Services, configured: Iterable[ConfiguredToken], *, retire: bool) -> None:
    """Store the tokens of the settings; with `retire`, revoke those that were removed from the settings.

    A requester's token that replaces one of the same name keeps its agent.
    """
    by_id = {token_id_of(token.secret): token for token in configured}
    removed = [t for t in await ctx.store.tokens_from(SETTINGS) if t.id not in by_id and t.revoked_at is None]
    for token in by_id.values():
        await register(ctx, token, source=SETTINGS, agent=_replaced_agent(token.new, removed))
    if retire:
        await _retire(ctx, removed)


async def _retire(ctx: Services, replaced_tokens: Sequence[Token]) -> None:
    now = ctx.clock.now_ms()
    for token in replaced_tokens:
        entry = token_entry("token.revoke", token, at=now, by=None, via=SETTINGS)
        await ctx.store.revoke_tokens(
            token.principal.tenant, [token.id], SideEffects(audit=(entry,)), at=now, by=_BY_SETTINGS
        )
        ctx.bus.dismiss(token.id)


def _replaced_agent(new_token: NewToken, replaced_tokens: Sequence[Token]) -> str | None:
    """Return the agent whose token this one replaces."""
    if new_token.role != "requester":
        return None
    identity = (new_token.tenant, new_token.role, new_token.name)
    return next(
        (
            token.principal.id
            for token in replaced_tokens
            if (token.principal.tenant, token.principal.role, token.principal.name) == identity
        ),
        None,
    )


def _token(
    ctx: Services, new_token: NewToken, *, token_id: str, agent_id: str, source: str, by: Principal | None
) -> Token:
    now = ctx.clock.now_ms()
    principal_id = agent_id if new_token.role == "requester" else token_id
    principal = Principal(
        principal_id,
        new_token.tenant,
        new_token.role,
        new_token.name,
        names=tuple(new_token.names),
        threads=tuple(new_token.threads),
        user=new_token.user or principal_id,
        groups=tuple(new_token.groups),
        token=token_id,
        expires_at=None if new_token.expires_in_s is None else now + round(new_token.expires_in_s * 1000),
        system=new_token.system,
    )
    return Token(principal, source, now, None if by is None else to_json(by.actor).decode())


async def _add(ctx: Services, secret: str, token: Token, *, principal: Principal | None) -> None:
    """Store a new token after its agent, so that no token is without an agent."""
    now = ctx.clock.now_ms()
    await _add_agent(ctx, token)
    entry = token_entry("token.add", token, at=now, by=principal, via=token.source)
    await ctx.store.put_token(digest(secret), token, SideEffects(audit=(entry,)))


async def _update(ctx: Services, secret: str, token: Token) -> None:
    await _add_agent(ctx, token)
    await ctx.store.put_token(digest(secret), token)


async def _add_agent(ctx: Services, token: Token) -> None:
    principal = token.principal
    if principal.role == "requester":
        await ctx.store.add_agent(
            Agent(
                principal.id,
                principal.tenant,
                principal.name,
                principal.user,
                token.created_at,
                token.created_by,
            )
        )


def token_entry(action: str, token: Token, *, at: int, by: Principal | None, via: str) -> AuditDraft:
    """Create an audit entry about a token; `via` is its source if no person did it."""
    principal = token.principal
    facts: dict[str, Any] = {
        "token_id": token.id,
        "role": principal.role,
        "name": principal.name,
        "agent": principal.id if principal.role == "requester" else None,
        "user": principal.user if principal.user != principal.id else None,
        "groups": list(principal.groups) or None,
        "threads": list(principal.threads) or None,
        "system": principal.system or None,
        "expires_at": None if principal.expires_at is None else rfc3339(principal.expires_at),
    }
    if by is None:
        facts["via"] = via
    return audit_entry(action, at=at, tenant=principal.tenant, by=by, **facts)


def token_id_of(secret: str) -> str:
    """Return the id of a token whose secret was chosen outside."""
    return f"tok_{digest('id:' + secret)[:26]}"
