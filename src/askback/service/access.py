"""Who is calling and what its role allows. Secrets are kept only as digests.

    action       requester  responder  admin
    create           x
    cancel           x                     x
    answer                      x          x
    decline                     x          x
    read             x          x          x      a requester: only what its own token asked
    message          x          x          x
    resolve          x
    resume           x
    lease            x                            and a runner, whose token is made for certain names and threads
    secrets                     x          x      names and times, set and erase; nobody reads a value
    rotate                                 x      and the operator: whoever runs the server, on its machine
    consume          x                            also the report of how it went
    rules                       x          x      read them, make them, end them; also the policy
    audit                                  x
    watch            x          x          x      the events of one thread
    share            x          x          x      who may do what in a thread: its owner, who begins it, an admin
    archive          x          x          x      also to take it back; of people its owner
    erase                       x          x      a thread, by its owner; also to export it
    limits                                 x      to begin to count anew
    inbox                       x          x      the events of every thread
    login_link                             x
    token                                  x
    webhooks                               x
    metrics                                x      and the operator; sums over all tenants, without a name

A requester can never answer, also when the same person owns both tokens (I1, I2). In which threads a caller does
what the role allows is said by the access to each (`sharing.py`).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from types import MappingProxyType

from askback.errors import Forbidden
from askback.ports.policy import Along
from askback.ports.store import Principal, Session
from askback.service.context import Services
from askback.service.ledger import entry

_ID = re.compile(r"[a-z]{3}_[0-9a-z]{26}", re.ASCII)
STANDING = ("requester", "responder", "admin")
"""Roles of tokens that a server is started with; a runner's is made for certain names and threads."""
OPERATOR = "operator"
"""The role of the token that a server leaves for its own commands; nobody is given another."""
ROLES = (*STANDING, "runner", OPERATOR)
SESSION_MS = 7 * 24 * 3600 * 1000

_EVERYBODY = frozenset({"requester", "responder", "admin"})
PEOPLE = frozenset({"responder", "admin"})
ALLOWED = MappingProxyType(
    {
        "create": frozenset({"requester"}),
        "cancel": frozenset({"requester", "admin"}),
        "answer": PEOPLE,
        "decline": PEOPLE,
        "read": _EVERYBODY,
        "message": _EVERYBODY,
        "resolve": frozenset({"requester"}),
        "resume": frozenset({"requester"}),
        "lease": frozenset({"requester", "runner"}),
        "secrets": PEOPLE,
        "rotate": frozenset({"admin", OPERATOR}),
        "consume": frozenset({"requester"}),
        "rules": PEOPLE,
        "audit": frozenset({"admin"}),
        "watch": _EVERYBODY,
        "share": _EVERYBODY,
        "archive": _EVERYBODY,
        "erase": PEOPLE,
        "limits": frozenset({"admin"}),
        "inbox": PEOPLE,
        "login_link": frozenset({"admin"}),
        "token": frozenset({"admin"}),
        "webhooks": frozenset({"admin"}),
        "metrics": frozenset({"admin", OPERATOR}),
    }
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session just opened: the secret for the cookie, and what it stands for."""

    secret: str
    session: Session


def digest(secret: str) -> str:
    """Return what is kept of a secret; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


async def authenticate(ctx: Services, token: str) -> Principal | None:
    """Return whom a token stands for."""
    return await ctx.store.token(digest(token))


async def require(ctx: Services, principal: Principal, action: str, request_id: str | None = None) -> None:
    """Raise `Forbidden`, and record the attempt, unless the caller's role allows `action`."""
    if principal.role in ALLOWED[action]:
        return
    await record_refusal(ctx, principal, action, request_id)
    raise Forbidden(f"A {principal.role} may not do this; it takes {_either(ALLOWED[action])}.")


def is_person(principal: Principal) -> bool:
    """Whether this is somebody who answers, and not somebody who asks."""
    return principal.role in PEOPLE


async def record_refusal(
    ctx: Services, principal: Principal, action: str, request_id: str | None = None
) -> None:
    """Write into the audit log that somebody tried what is not theirs to do (I2)."""
    attempt = entry(
        "refused",
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        attempted=action,
        # What stands there comes from whoever tried, and the log keeps it for ever.
        request_id=request_id if request_id and _ID.fullmatch(request_id) else None,
    )
    await ctx.store.write(Along(audit=(attempt,)))


async def open_session(ctx: Services, code: str) -> Opened | None:
    """Use up a login code; None when it is unknown, used or late."""
    now = ctx.clock.now_ms()
    secret = ctx.ids.token()
    session = await ctx.store.open_session(
        digest(code), digest(secret), csrf=ctx.ids.token(), now_ms=now, expires_at=now + SESSION_MS
    )
    return None if session is None else Opened(secret, session)


async def session(ctx: Services, secret: str) -> Session | None:
    """Return the session of a cookie that has not ended."""
    return await ctx.store.session(digest(secret), now_ms=ctx.clock.now_ms())


async def close_session(ctx: Services, secret: str) -> None:
    """End the session of a cookie."""
    await ctx.store.close_session(digest(secret))


def _either(roles: frozenset[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles)
