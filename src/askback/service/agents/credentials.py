"""Create credentials: tokens for programs, one-time login links for browsers.

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
    sent = parse(TokenBody, body)
    _check_person(ctx, sent)
    _check_lease(ctx, sent)
    _check_token(ctx, sent)
    tenant = await _tenant(ctx, principal, sent.tenant)
    limits = sent.lease or LeaseLimits(names=[], threads=sent.threads or [])
    agent = None if sent.agent is None else await manage.find_by_name(ctx, tenant, sent.agent)
    new = tokens.NewToken(
        role=sent.role,
        name=sent.name or sent.agent or sent.role if agent is None else agent.name,
        tenant=tenant,
        names=limits.names,
        threads=limits.threads,
        user=sent.user if agent is None else agent.user,
        groups=sent.groups,
        agent=None if agent is None else agent.id,
        expires_in_s=_lifetime(sent),
        system=sent.system or "",
    )
    roots = [manage.normalize_root(path) for path in sent.roots or ()]
    made = await tokens.issue_token(ctx, new, source=principal.via, by=principal)
    for path in roots:
        await manage.add_root(ctx, principal, tenant, made.token.principal.id, path)
    return made


async def _tenant(ctx: Services, principal: Principal, tenant: str | None) -> str:
    """Return the wanted tenant; raises `Forbidden` for another tenant unless the caller is the operator."""
    if tenant is None or tenant == principal.tenant:
        return principal.tenant
    if principal.role != OPERATOR:
        await record_refusal(ctx, principal, "create_token")
        raise Forbidden("An admin can create and list tokens of their own tenant only.")
    check_line("tenant", tenant, ctx.limits.identifier)
    return tenant


def _lifetime(sent: TokenBody) -> float | None:
    if sent.expires_in_s is not None or sent.role == "requester":
        return sent.expires_in_s
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
    sent = parse(LoginLinkBody, body)
    _check_person(ctx, sent)
    return await create_login_code(
        ctx,
        tenant=principal.tenant,
        name=sent.name or sent.user or principal.name,
        user=sent.user,
        groups=sent.groups,
        role=sent.role,
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


def _check_token(ctx: Services, sent: TokenBody) -> None:
    faults: list[Fault] = []
    if sent.threads is not None and sent.role in {"runner", "admin"}:
        faults.append(fault("threads", "unknown_field.key"))
    elif sent.threads is not None:
        faults += _pattern_faults(ctx, "threads", sent.threads)
    if sent.agent is not None and sent.role != "requester":
        faults.append(fault("agent", "unknown_field.key"))
    elif sent.agent is not None:
        faults += text_faults("agent", sent.agent, max_length=ctx.limits.identifier, lines=False)
    if sent.roots is not None and sent.role != "requester":
        faults.append(fault("roots", "unknown_field.key"))
    elif sent.roots is not None and len(sent.roots) > manage.MAX_ROOTS:
        faults.append(fault("roots", "too_many", max=manage.MAX_ROOTS))
    if sent.system is not None and sent.role not in {"requester", "responder"}:
        faults.append(fault("system", "unknown_field.key"))
    elif sent.system is not None and find_system(sent.system) is None:
        faults.append(fault("system", "unknown_value.system"))
    if sent.expires_in_s is not None and not 1 <= sent.expires_in_s <= tokens.MAX_LIFETIME_S:
        faults.append(fault("expires_in_s", "out_of_range", min=1, max=tokens.MAX_LIFETIME_S))
    if faults:
        raise Faults(faults)


def _check_lease(ctx: Services, sent: TokenBody) -> None:
    if sent.role != "runner":
        faults = [] if sent.lease is None else [fault("lease", "unknown_field.key")]
    elif sent.lease is None:
        faults = [fault("lease", "missing_required")]
    else:
        faults = [
            wrong
            for path, patterns in (("lease.names", sent.lease.names), ("lease.threads", sent.lease.threads))
            for wrong in _pattern_faults(ctx, path, patterns)
        ]
    if faults:
        raise Faults(faults)


def _pattern_faults(ctx: Services, path: str, patterns: Sequence[str]) -> list[Fault]:
    if not patterns:
        return [fault(path, "too_few", min=1)]
    if len(patterns) > ctx.limits.assignees:
        return [fault(path, "too_many", max=ctx.limits.assignees)]
    most = ctx.limits.identifier
    return [
        wrong
        for index, text in enumerate(patterns)
        for wrong in text_faults(join(path, index), text, max_length=most, lines=False)
    ]


def _check_person(ctx: Services, sent: Person) -> None:
    most = ctx.limits.assignees
    faults = [fault("groups", "too_many", max=most)] if len(sent.groups) > most else []
    names = [("name", sent.name), ("user", sent.user)]
    names += [(join("groups", index), name) for index, name in enumerate(sent.groups[:most])]
    for path, text in names:
        if text is not None:
            faults += text_faults(path, text, max_length=ctx.limits.identifier, lines=False)
    if faults:
        raise Faults(faults)
