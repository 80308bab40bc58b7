"""Making credentials: tokens for programs, one-time login links for browsers.

`create_token` and `login_link` are for callers over the network, who must be admins and stay in
their own tenant. The others are for whoever runs the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.fields import Model
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.ports.store import Principal
from askback.service.access import digest, require
from askback.service.context import Services

LOGIN_MS = 10 * 60 * 1000


class Person(Model):
    """Whom a credential is for: the `name` that is shown, the host's own id of the person, the groups they are in."""

    name: str | None = None
    user: str | None = None
    groups: list[str] = Field(default_factory=list[str])


class LoginLinkBody(Person):
    """`POST /v1/login-links`: the person who answers in that browser."""


class LeaseLimits(Model):
    """What a runner may lease: patterns (`*`, `?`) of names, and of threads."""

    names: list[str]
    threads: list[str]


class TokenBody(Person):
    """`POST /v1/tokens`: the name is shown to people, and is the role without it. A runner needs `lease`."""

    role: Literal["requester", "responder", "admin", "runner"]
    lease: LeaseLimits | None = None


async def create_token(ctx: Services, principal: Principal, body: object) -> str:
    """Make a token in the caller's tenant and return it; only its digest is kept."""
    await require(ctx, principal, "token")
    sent = parse(TokenBody, body)
    _check_person(ctx, sent)
    _check_lease(ctx, sent)
    limits = sent.lease or LeaseLimits(names=[], threads=[])
    return await issue_token(
        ctx,
        role=sent.role,
        name=sent.name or sent.role,
        tenant=principal.tenant,
        names=limits.names,
        threads=limits.threads,
        user=sent.user,
        groups=sent.groups,
    )


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
    )


async def issue_token(
    ctx: Services,
    *,
    role: str,
    name: str,
    tenant: str,
    names: Sequence[str] = (),
    threads: Sequence[str] = (),
    user: str | None = None,
    groups: Sequence[str] = (),
) -> str:
    """Make a new token."""
    token = ctx.ids.token()
    await remember_token(
        ctx,
        token,
        role=role,
        name=name,
        tenant=tenant,
        names=names,
        threads=threads,
        user=user,
        groups=groups,
    )
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
    user: str | None = None,
    groups: Sequence[str] = (),
) -> None:
    """Make a token known that was chosen elsewhere.

    Its id follows from the token, so that a restart with the same token finds its old requests.
    """
    token_id = f"tok_{digest('id:' + token)[:26]}"
    principal = Principal(
        token_id,
        tenant,
        role,
        name,
        names=tuple(names),
        threads=tuple(threads),
        user=user or token_id,
        groups=tuple(groups),
    )
    await ctx.store.put_token(digest(token), principal)


async def login_code(
    ctx: Services, *, tenant: str, name: str, user: str | None = None, groups: Sequence[str] = ()
) -> str:
    """Make a login code for a responder of that name."""
    now = ctx.clock.now_ms()
    code = ctx.ids.token()
    login_id = ctx.ids.new("usr", now_ms=now)
    person = Principal(login_id, tenant, "responder", name, user=user or login_id, groups=tuple(groups))
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
