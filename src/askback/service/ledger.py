"""Create entries for the audit log: the actor, the action, the channel, the rule.

Never an input, only its digest; a rule stands there as it was written.
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
POLICY = "policy"
"""The way on which a rule decides."""


def entry(
    action: str,
    *,
    at: int,
    tenant: str,
    by: Principal | None,
    about: Record | None = None,
    **facts: Any,
) -> AuditDraft:
    """Make an entry; `by` is None when a rule or the clock did it. Facts that are None are left out."""
    said: dict[str, Any] = {
        "at": rfc3339(at),
        "action": action,
        "actor": None if by is None else {**by.actor, "role": by.role},
        "via": POLICY if by is None else by.via,
    }
    if about is not None:
        said |= {
            "request_id": about.id,
            "thread_id": about.thread_id,
            "requester": about.requester,
            "digest": about.digest,
        }
    said |= facts
    if "reasons" in said:
        said["reasons"] = [_without_quotes(reason) for reason in said["reasons"] or ()] or None
    kept = {name: value for name, value in said.items() if value is not None}
    return AuditDraft(tenant, to_json(kept).decode())


def _without_quotes(reason: str) -> str:
    """Leave out what a reason quotes: a piece of a command can hold a key, and the log is for ever."""
    return _QUOTED.sub("`…`", reason)
