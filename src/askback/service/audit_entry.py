"""Create entries for the audit log: the actor, the action, the channel, the rule.

An entry never has the input of a call, only its digest. It has the text of the rule that decided.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic_core import to_json

from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.ports.policy import AuditDraft
from askback.ports.store import Principal

_QUOTED = re.compile("`.*`", re.DOTALL)
VIA_POLICY = "policy"
"""The `via` of entries for which no person or agent is responsible."""


def audit_entry(
    action: str,
    *,
    at: int,
    tenant: str,
    by: Principal | None,
    about: Record | None = None,
    **facts: Any,
) -> AuditDraft:
    """Create an entry. `by` is None if a rule or the clock acted. Facts that are None are left out."""
    members: dict[str, Any] = {
        "at": rfc3339(at),
        "action": action,
        "actor": None if by is None else {**by.actor, "role": by.role},
        "via": VIA_POLICY if by is None else by.via,
    }
    if about is not None:
        members |= {
            "request_id": about.id,
            "thread_id": about.thread_id,
            "requester": about.requester,
            "digest": about.digest,
        }
    members |= facts
    if "reasons" in members:
        members["reasons"] = [_redact_quotes(reason) for reason in members["reasons"] or ()] or None
    present_members = {name: value for name, value in members.items() if value is not None}
    return AuditDraft(
        tenant,
        to_json(present_members).decode(),
        present_members.get("request_id"),
        present_members.get("thread_id"),
    )


def _redact_quotes(reason: str) -> str:
    """Remove the quotes from a reason: a piece of a command can contain a key, and entries are never deleted."""
    return _QUOTED.sub("`…`", reason)
