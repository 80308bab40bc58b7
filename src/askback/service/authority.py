"""Whether an agent may go on with what somebody said: not while they may not say it any more.

Between an answer and the resume that tells of it there may be days, and a thread may be shared anew meanwhile. Then the
resume is withheld: its lease ends by itself, so that it is looked at again, and comes when they may again.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from askback.domain.access import TO_ANSWER
from askback.domain.record import Record
from askback.ports.policy import Along
from askback.ports.resumes import Lease
from askback.ports.store import Principal
from askback.service import sharing
from askback.service.context import Services
from askback.service.ledger import entry

_log = logging.getLogger(__name__)


async def stands(ctx: Services, lease: Lease) -> bool:
    """Whether what was leased may be handed over; admins are told, once, of what may not."""
    record = lease.record
    who = json.loads(record.state).get("settled_by")
    if who is None or _may_end(who, record):
        return True
    if lease.attempt == 1:
        _log.warning("resume %s is withheld: who ended its request may not do that any more", lease.resume.id)
        told = entry(
            "resume.withheld",
            at=ctx.clock.now_ms(),
            tenant=record.tenant,
            by=None,
            about=record,
            resume_id=lease.resume.id,
            settled_by=who,
        )
        await ctx.store.write(Along(audit=(told,)))
    return False


def _may_end(who: dict[str, Any], record: Record) -> bool:
    if who["id"] == record.requester:
        return True
    as_now = Principal(
        who["id"], record.tenant, who.get("role", "responder"), who["name"], user=who.get("user", "")
    )
    return sharing.level(as_now, record.access) >= TO_ANSWER[record.kind]
