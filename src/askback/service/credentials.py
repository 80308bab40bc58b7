"""Create credentials: tokens for programs, one-time login links for browsers.

`create_token` and `login_link` are for callers over the network, who must be admins and stay in
their own tenant. The others are for whoever runs the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.fields import Model
from askback.domain.validation.prose import check_line
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.errors import Forbidden, NotFound
from askback.ports.agents import Token
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service import agents, tokens
from askback.service.access import OPERATOR, digest, record_refusal, require
from askback.service.context import Services
from askback.service.ledger import entry

LOGIN_MS = 10 * 60 * 1000


class Person(Model):
    """Whom a credential is for: the `name` that is shown, the host's own id of the person, the groups they are in."""

    name: str | None = None
    user: str | None = None
    groups: list[str] = Field(default_factory=list[str])


class LoginLinkBody(Person):
    """`POST /v1/login-links`: the person who will use that browser."""


class LeaseLimits(Model):
    """What a runner may lease: patterns (`*`, `?`) of names, and of threads."""

    names: list[str]
    threads: list[str]


class TokenBody(Person):
    """`POST /v1/tokens`: `name` is shown to people and defaults to the role. A runner needs `lease`.

    `agent` is the id or the name of the agent that a requester's token is for. If no agent has that name, it is
    created; without `agent` the token gets a new agent. `threads` limits the token to threads whose ids match one of
    these patterns (`*`, `?`). Without `expires_in_s` an agent's token never expires, and any other token expires after
    90 days. `roots` are folders that the agent may read without asking. Only the operator can create tokens for another
    `tenant`.
    """

    role: Literal["requester", "responder", "admin", "runner"]
    lease: LeaseLimits | None = None
    agent: str | None = None
    threads: list[str] | None = None
    expires_in_s: float | None = None
    roots: list[str] | None = None
    tenant: str | None = None


async def create_token(ctx: Services, principal: Principal, body: object) -> tokens.Issued:
    """Make a token in the caller's tenant and return it; only its digest is kept.

    Raises `Faults`, `NotFound` for the id of an agent that is not there, `Conflict` for one that was stopped.
    """
    await require(ctx, principal, "token")
    sent = parse(TokenBody, body)
    _check_person(ctx, sent)
    _check_lease(ctx, sent)
    _check_token(ctx, sent)
    tenant = await _tenant(ctx, principal, sent.tenant)
    limits = sent.lease or LeaseLimits(names=[], threads=sent.threads or [])
    agent = None if sent.agent is None else await agents.named(ctx, tenant, sent.agent)
    new = tokens.NewToken(
        role=sent.role,
        name=sent.name or sent.agent or sent.role if agent is None else agent.name,
        tenant=tenant,
        names=limits.names,
        threads=limits.threads,
        user=sent.user if agent is None else agent.user,
        groups=sent.groups,
        agent=None if agent is None else agent.id,
        expires_in_s=_life(sent),
    )
    roots = [agents.checked_root(path) for path in sent.roots or ()]
    made = await tokens.issue(ctx, new, source=principal.via, by=principal)
    for path in roots:
        await agents.add_root(ctx, principal, tenant, made.token.principal.id, path)
    return made


async def _tenant(ctx: Services, principal: Principal, wanted: str | None) -> str:
    """Return the tenant that is meant; everybody but the operator has only one."""
    if wanted is None or wanted == principal.tenant:
        return principal.tenant
    if principal.role != OPERATOR:
        await record_refusal(ctx, principal, "token")
        raise Forbidden("An admin can create and list tokens of their own tenant only.")
    check_line("tenant", wanted, ctx.limits.identifier)
    return wanted


def _life(sent: TokenBody) -> float | None:
    if sent.expires_in_s is not None or sent.role == "requester":
        return sent.expires_in_s
    return tokens.LIFE_S


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
    await require(ctx, principal, "token")
    size = max(1, min(limit, ctx.limits.page))
    tenant = await _tenant(ctx, principal, tenant)
    found = await ctx.store.tokens(tenant, agent=agent, before=cursor, limit=size + 1)
    return found[:size], found[size - 1].id if len(found) > size else None


async def revoke_token(
    ctx: Services, principal: Principal, token_id: str, *, tenant: str | None = None
) -> Token:
    """Revoke a token and end what it has open at every server; one that was revoked before stays as it is."""
    await require(ctx, principal, "token")
    tenant = await _tenant(ctx, principal, tenant)
    token = await ctx.store.token_by_id(tenant, token_id)
    if token is None or token.principal.role == OPERATOR:
        raise NotFound("There is no such token.")
    return await tokens.revoke(ctx, token, by=principal)


async def login_link(ctx: Services, principal: Principal, body: object) -> str:
    """Return a code that opens one browser session of a responder, within ten minutes."""
    await require(ctx, principal, "login_link")
    sent = parse(LoginLinkBody, body)
    _check_person(ctx, sent)
    return await login_code(
        ctx,
        tenant=principal.tenant,
        name=sent.name or sent.user or principal.name,
        user=sent.user,
        groups=sent.groups,
        by=principal,
    )


async def login_code(
    ctx: Services,
    *,
    tenant: str,
    name: str,
    user: str | None = None,
    groups: Sequence[str] = (),
    by: Principal | None = None,
) -> str:
    """Make a login code for a responder of that name; without `by` the server makes it for who started it."""
    now = ctx.clock.now_ms()
    code = ctx.ids.token()
    login_id = ctx.ids.new("usr", now_ms=now)
    person = Principal(login_id, tenant, "responder", name, user=user or login_id, groups=tuple(groups))
    facts: dict[str, Any] = {"person": person.actor, "groups": list(groups) or None}
    if by is None:
        facts["via"] = tokens.LOCAL
    told = entry("login.add", at=now, tenant=tenant, by=by, **facts)
    # Before the code is known, so nobody has one that the audit log does not know.
    await ctx.store.write(SideEffects(audit=(told,)))
    await ctx.store.put_login(digest(code), person, expires_at=now + LOGIN_MS)
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
    elif sent.roots is not None and len(sent.roots) > agents.MOST_ROOTS:
        faults.append(fault("roots", "too_many", max=agents.MOST_ROOTS))
    if sent.expires_in_s is not None and not 1 <= sent.expires_in_s <= tokens.LONGEST_S:
        faults.append(fault("expires_in_s", "out_of_range", min=1, max=tokens.LONGEST_S))
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
    said = [("name", sent.name), ("user", sent.user)]
    said += [(join("groups", index), name) for index, name in enumerate(sent.groups[:most])]
    for path, text in said:
        if text is not None:
            faults += text_faults(path, text, max_length=ctx.limits.identifier, lines=False)
    if faults:
        raise Faults(faults)
