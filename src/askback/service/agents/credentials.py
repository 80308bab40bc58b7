"""Create credentials: tokens for programs, one-time sign-in links for browsers.

`create_token` and `create_login_link` are for admins over the network, in their own tenant. The others are for the
operator of the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.compat.installed import find_system
from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.validation.structure import parse
from askback.domain.validation.text_check import check_line
from askback.domain.validation.texts import text_faults
from askback.errors import Forbidden, NotFound
from askback.ports.agents import Token
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.access import tokens
from askback.service.access.roles import digest, record_refusal, require
from askback.service.agents import manage
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.wire.bodies import LeaseLimits, LoginLinkBody, Person, TokenBody
from askback.wire.operation import OPERATOR

LOGIN_CODE_MS = 10 * 60 * 1000


async def create_token(ctx: Services, principal: Principal, body: object) -> tokens.IssuedToken:
    """Create a token in the caller's tenant and return it; only its digest is stored.

    Raises `Faults`, `NotFound` for an unknown agent id, `Conflict` for a stopped agent.
    """
    await require(ctx, principal, "create_token")
    payload = parse(TokenBody, body)
    _check_person(ctx, payload)
    _check_lease(ctx, payload)
    _check_token(ctx, payload)
    tenant = await _tenant(ctx, principal, payload.tenant)
    limits = payload.lease or LeaseLimits(names=[], threads=payload.threads or [])
    agent = None if payload.agent is None else await manage.find_by_name(ctx, tenant, payload.agent)
    new_token = tokens.NewToken(
        role=payload.role,
        name=payload.name or payload.agent or payload.role if agent is None else agent.name,
        tenant=tenant,
        names=limits.names,
        threads=limits.threads,
        user=payload.user if agent is None else agent.user,
        groups=payload.groups,
        agent=None if agent is None else agent.id,
        expires_in_s=_lifetime(payload),
        system=payload.system or "",
    )
    roots = [manage.normalize_root(path) for path in payload.roots or ()]
    issued_token = await tokens.issue_token(ctx, new_token, source=principal.via, by=principal)
    for path in roots:
        await manage.add_root(ctx, principal, tenant, issued_token.token.principal.id, path)
    return issued_token


async def _tenant(ctx: Services, principal: Principal, tenant: str | None) -> str:
    """Return the wanted tenant; raises `Forbidden` for another tenant unless the caller is the operator."""
    if tenant is None or tenant == principal.tenant:
        return principal.tenant
    if principal.role != OPERATOR:
        await record_refusal(ctx, principal, "create_token")
        raise Forbidden("An admin can create and list tokens of their own tenant only.")
    check_line("tenant", tenant, ctx.limits.identifier)
    return tenant


def _lifetime(payload: TokenBody) -> float | None:
    if payload.expires_in_s is not None or payload.role == "requester":
        return payload.expires_in_s
    return tokens.DEFAULT_LIFETIME_S


async def list_tokens(
    ctx: Services,
    principal: Principal,
    *,
    agent: str | None = None,
    tenant: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[Token], str | None]:
    """Return tokens of the tenant, the newest first, and the cursor of the next page or None at the end."""
    await require(ctx, principal, "list_tokens")
    size = max(1, min(limit, ctx.limits.page))
    tenant = await _tenant(ctx, principal, tenant)
    tokens = await ctx.store.tokens(tenant, agent=agent, before=cursor, limit=size + 1)
    return tokens[:size], tokens[size - 1].id if len(tokens) > size else None


async def revoke_token(
    ctx: Services, principal: Principal, token_id: str, *, tenant: str | None = None
) -> Token:
    """Revoke a token and close its connections at every server; a revoked token is not changed."""
    await require(ctx, principal, "revoke_token")
    tenant = await _tenant(ctx, principal, tenant)
    token = await ctx.store.token_by_id(tenant, token_id)
    if token is None or token.principal.role == OPERATOR:
        raise NotFound("There is no such token.")
    return await tokens.revoke_token(ctx, token, by=principal)


async def create_login_link(ctx: Services, principal: Principal, body: object) -> str:
    """Return a code that opens one browser session of a responder or an admin, within ten minutes."""
    await require(ctx, principal, "create_login_link")
    payload = parse(LoginLinkBody, body)
    _check_person(ctx, payload)
    return await create_login_code(
        ctx,
        tenant=principal.tenant,
        name=payload.name or payload.user or principal.name,
        user=payload.user,
        groups=payload.groups,
        role=payload.role,
        by=principal,
    )


async def create_login_code(
    ctx: Services,
    *,
    tenant: str,
    name: str,
    user: str | None = None,
    groups: Sequence[str] = (),
    role: str = "responder",
    by: Principal | None = None,
) -> str:
    """Create a login code for a person; `by` is None if the server creates it for its operator."""
    now = ctx.clock.now_ms()
    code = ctx.ids.token()
    login_id = ctx.ids.new("usr", now_ms=now)
    person = Principal(login_id, tenant, role, name, user=user or login_id, groups=tuple(groups))
    facts: dict[str, Any] = {"person": person.actor, "groups": list(groups) or None, "role": role}
    if by is None:
        facts["via"] = tokens.LOCAL
    entry = audit_entry("login.add", at=now, tenant=tenant, by=by, **facts)
    # Before the code is returned, so that every code in use is in the audit log.
    await ctx.store.write(SideEffects(audit=(entry,)))
    await ctx.store.put_login(digest(code), person, expires_at=now + LOGIN_CODE_MS)
    return code


def _check_token(ctx: Services, payload: TokenBody) -> None:
    faults: list[Fault] = []
    if payload.threads is not None and payload.role in {"runner", "admin"}:
        faults.append(fault("threads", "unknown_field.key"))
    elif payload.threads is not None:
        faults += _pattern_faults(ctx, "threads", payload.threads)
    if payload.agent is not None and payload.role != "requester":
        faults.append(fault("agent", "unknown_field.key"))
    elif payload.agent is not None:
        faults += text_faults("agent", payload.agent, max_length=ctx.limits.identifier, lines=False)
    if payload.roots is not None and payload.role != "requester":
        faults.append(fault("roots", "unknown_field.key"))
    elif payload.roots is not None and len(payload.roots) > manage.MAX_ROOTS:
        faults.append(fault("roots", "too_many", max=manage.MAX_ROOTS))
    if payload.system is not None and payload.role not in {"requester", "responder"}:
        faults.append(fault("system", "unknown_field.key"))
    elif payload.system is not None and find_system(payload.system) is None:
        faults.append(fault("system", "unknown_value.system"))
    if payload.expires_in_s is not None and not 1 <= payload.expires_in_s <= tokens.MAX_LIFETIME_S:
        faults.append(fault("expires_in_s", "out_of_range", min=1, max=tokens.MAX_LIFETIME_S))
    if faults:
        raise Faults(faults)


def _check_lease(ctx: Services, payload: TokenBody) -> None:
    if payload.role != "runner":
        faults = [] if payload.lease is None else [fault("lease", "unknown_field.key")]
    elif payload.lease is None:
        faults = [fault("lease", "missing_required")]
    else:
        faults = [
            pattern_fault
            for path, patterns in (
                ("lease.names", payload.lease.names),
                ("lease.threads", payload.lease.threads),
            )
            for pattern_fault in _pattern_faults(ctx, path, patterns)
        ]
    if faults:
        raise Faults(faults)


def _pattern_faults(ctx: Services, path: str, patterns: Sequence[str]) -> list[Fault]:
    if not patterns:
        return [fault(path, "too_few", min=1)]
    if len(patterns) > ctx.limits.assignees:
        return [fault(path, "too_many", max=ctx.limits.assignees)]
    limit = ctx.limits.identifier
    return [
        text_fault
        for index, text in enumerate(patterns)
        for text_fault in text_faults(join(path, index), text, max_length=limit, lines=False)
    ]


def _check_person(ctx: Services, person: Person) -> None:
    limit = ctx.limits.assignees
    faults = [fault("groups", "too_many", max=limit)] if len(person.groups) > limit else []
    names = [("name", person.name), ("user", person.user)]
    names += [(join("groups", index), name) for index, name in enumerate(person.groups[:limit])]
    for path, text in names:
        if text is not None:
            faults += text_faults(path, text, max_length=ctx.limits.identifier, lines=False)
    if faults:
        raise Faults(faults)
