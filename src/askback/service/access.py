"""Roles of callers and the actions they allow. Secrets are stored only as digests.

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
    sessions                    x          x      list and end browser sessions: their own; an admin everybody's
    token                                  x      make, list and revoke them; and the operator, in any tenant
    agents                      x          x      list them, and stop one that works for the caller or for nobody
    webhooks                               x
    metrics                                       the operator and the metrics token: sums over all tenants

A requester can never answer, also when the same person owns both tokens (I1, I2). In which threads a caller does
what the role allows is said by the access to each (`sharing.py`).
"""

from __future__ import annotations

import hashlib
import re
from types import MappingProxyType

from askback.errors import Forbidden
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.context import Services
from askback.service.ledger import entry

_ID = re.compile(r"[a-z]{3}_[0-9a-z]{26}", re.ASCII)
STANDING = ("requester", "responder", "admin")
"""Roles of tokens that a server is started with; a runner's is made for certain names and threads."""
DEFAULT_TENANT = "default"
"""The tenant of a server that serves one; also of what belongs to none, such as a failed log-in."""
OPERATOR = "operator"
"""The role of the token that a server leaves for its own commands; nobody is given another."""
METRICS = "metrics"
"""The role of the token in `ASKBACK_METRICS_TOKEN`, which reads the numbers of the whole server and nothing else."""
ROLES = (*STANDING, "runner", OPERATOR, METRICS)

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
        "sessions": PEOPLE,
        "token": frozenset({"admin", OPERATOR}),
        "agents": PEOPLE,
        "webhooks": frozenset({"admin"}),
        "metrics": frozenset({METRICS, OPERATOR}),
    }
)


def digest(secret: str) -> str:
    """Return what is kept of a secret; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


async def require(ctx: Services, principal: Principal, action: str, request_id: str | None = None) -> None:
    """Raise `Forbidden`, and record the attempt, unless the caller's role allows `action`."""
    if principal.role in ALLOWED[action]:
        return
    await record_refusal(ctx, principal, action, request_id)
    raise Forbidden(
        f"The role {principal.role} does not allow this. Use a token with the role {_either(ALLOWED[action])}."
    )


def is_person(principal: Principal) -> bool:
    """Whether this is somebody who answers, and not somebody who asks."""
    return principal.role in PEOPLE


async def record_refusal(
    ctx: Services, principal: Principal, action: str, request_id: str | None = None
) -> None:
    """Write into the audit log that somebody tried what is not theirs to do (I2).

    Of one caller 20 a minute are written; the next entry says how many were left out.
    """
    now = ctx.clock.now_ms()
    left_out = ctx.refusals.take(principal.id, now)
    if left_out is None:
        return
    attempt = entry(
        "refused",
        at=now,
        tenant=principal.tenant,
        by=principal,
        attempted=action,
        left_out=left_out or None,
        # What stands there comes from whoever tried, and the log keeps it for ever.
        request_id=request_id if request_id and _ID.fullmatch(request_id) else None,
    )
    await ctx.store.write(SideEffects(audit=(attempt,)))


def _either(roles: frozenset[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles)
