"""Making credentials: tokens for programs, one-time login links for browsers.

`create_token` and `login_link` are for callers over the network, who must be admins and stay in
their own tenant. The others are for whoever runs the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.fields import Model
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.ports.store import Principal
from askback.service.access import digest, require
from askback.service.context import Services

LOGIN_MS = 10 * 60 * 1000


class LoginLinkBody(Model):
    """`POST /v1/login-links`: the name under which that browser answers."""

    name: str | None = None


class LeaseLimits(Model):
    """What a runner may lease: patterns (`*`, `?`) of names, and of threads."""

    names: list[str]
    threads: list[str]


class TokenBody(Model):
    """`POST /v1/tokens`: the name is shown to people, and is the role without it. A runner needs `lease`."""

    role: Literal["requester", "responder", "admin", "runner"]
    name: str | None = None
    lease: LeaseLimits | None = None


async def create_token(ctx: Services, principal: Principal, body: object) -> str:
    """Make a token in the caller's tenant and return it; only its digest is kept."""
    await require(ctx, principal, "token")
    sent = parse(TokenBody, body)
    _check_name(ctx, sent.name)
    _check_lease(ctx, sent)
    limits = sent.lease or LeaseLimits(names=[], threads=[])
    return await issue_token(
        ctx,
        role=sent.role,
        name=sent.name or sent.role,
        tenant=principal.tenant,
        names=limits.names,
        threads=limits.threads,
    )


async def login_link(ctx: Services, principal: Principal, body: object) -> str:
    """Return a code that opens one browser session of a responder, within ten minutes."""
    await require(ctx, principal, "login_link")
    sent = parse(LoginLinkBody, body)
    _check_name(ctx, sent.name)
    return await login_code(ctx, tenant=principal.tenant, name=sent.name or principal.name)


async def issue_token(
    ctx: Services,
    *,
    role: str,
    name: str,
    tenant: str,
    names: Sequence[str] = (),
    threads: Sequence[str] = (),
) -> str:
    """Make a new token."""
    token = ctx.ids.token()
    await remember_token(ctx, token, role=role, name=name, tenant=tenant, names=names, threads=threads)
    return token


async def remember_token(
    ctx: Services,
    token: str,
    *,
    role: str,
    name: str,
    tenant: str,
    names: Sequence[str] = (),
    threads: Sequence[str] = (),
) -> None:
    """Make a token known that was chosen elsewhere.

    Its id follows from the token, so that a restart with the same token finds its old requests.
    """
    token_id = f"tok_{digest('id:' + token)[:26]}"
    principal = Principal(token_id, tenant, role, name, names=tuple(names), threads=tuple(threads))
    await ctx.store.put_token(digest(token), principal)


async def login_code(ctx: Services, *, tenant: str, name: str) -> str:
    """Make a login code for a responder of that name."""
    now = ctx.clock.now_ms()
    code = ctx.ids.token()
    person = Principal(ctx.ids.new("usr", now_ms=now), tenant, "responder", name)
    await ctx.store.put_login(digest(code), person, expires_at=now + LOGIN_MS)
    return code


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


def _check_name(ctx: Services, name: str | None) -> None:
    if name is not None and (
        faults := text_faults("name", name, max_length=ctx.limits.identifier, lines=False)
    ):
        raise Faults(faults)
