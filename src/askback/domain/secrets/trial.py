"""The trial of what was sent by a probe of the server, as the state of a request tells of it.

The step that takes a submission is the claim to try it: whoever took it tries it, once, until `tried_until`. After that
nobody knows what the trial did, and the person is asked again.
"""

from __future__ import annotations

from datetime import datetime

from askback.domain.lifecycle import Status
from askback.domain.record import Record


def probe_of(record: Record) -> str | None:
    """Return the name of the server's probe that a request for secrets names, None where the agent tries, or nobody."""
    name = record.spec.secret.probe
    return name if isinstance(name, str) else None


def tried_until(record: Record) -> int | None:
    """Return until when the server tries what was sent (ms), None where it does not."""
    until = record.state.members.get("tried_until") if record.status is Status.RESOLVING else None
    return None if until is None else round(datetime.fromisoformat(until).timestamp() * 1000)
