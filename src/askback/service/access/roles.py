"""Roles of callers and the operations they allow, by the table of operations. Secrets are stored only as digests.

A requester can never answer, even if the same person owns both tokens (I1, I2); what it reports that a person said in
its own client is marked as such (`reported.py`). `sharing.py` has the access to threads.
"""

from __future__ import annotations

import hashlib
import re

from askback.errors import Forbidden
from askback.ports.policy import SideEffects
from askback.ports.store import Principal
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.wire.operation import METRICS, OPERATOR, PEOPLE
from askback.wire.operations import OPERATIONS

_ID = re.compile(r"[a-z]{3}_[0-9a-z]{26}", re.ASCII)
BOOTSTRAP_ROLES = ("requester", "responder", "admin")
"""Roles of the tokens that a server creates at its start."""
DEFAULT_TENANT = "default"
"""The tenant of a single-tenant server, and of entries without a tenant, such as a failed login."""
ROLES = (*BOOTSTRAP_ROLES, "runner", OPERATOR, METRICS)


def digest(secret: str) -> str:
    """Return the stored digest of a secret; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


async def require(ctx: Services, principal: Principal, operation: str, request_id: str | None = None) -> None:
    """Raise `Forbidden`, and record the attempt, unless the caller's role allows the operation."""
    await require_role(ctx, principal, OPERATIONS[operation].roles, operation, request_id)


async def require_role(
    ctx: Services,
    principal: Principal,
    allowed: frozenset[str],
    operation: str,
    request_id: str | None = None,
) -> None:
    """Raise `Forbidden`, and record the attempt under the name of the operation, for any other role."""
    if principal.role in allowed:
        return
    await record_refusal(ctx, principal, operation, request_id)
    raise Forbidden(
        f"The role {principal.role} does not allow this. Use a token with the role {_join_roles(allowed)}."
    )


def is_person(principal: Principal) -> bool:
    """Return whether the caller is a person, not a program."""
    return principal.role in PEOPLE


async def record_refusal(
    ctx: Services, principal: Principal, operation: str, request_id: str | None = None
) -> None:
    """Write an audit entry about a call that the caller may not make (I2).

    At most 20 a minute are written for one caller; the next entry has the number of those left out.
    """
    now = ctx.clock.now_ms()
    skipped_count = ctx.refusals.take(principal.id, now)
    if skipped_count is None:
        return
    attempt = audit_entry(
        "refused",
        at=now,
        tenant=principal.tenant,
        by=principal,
        attempted=operation,
        left_out=skipped_count or None,
        # The id comes from the caller, and entries are never deleted.
        request_id=request_id if request_id and _ID.fullmatch(request_id) else None,
    )
    await ctx.store.write(SideEffects(audit=(attempt,)))


def _join_roles(roles: frozenset[str]) -> str:
    return " or ".join(role for role in ROLES if role in roles)
