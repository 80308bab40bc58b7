"""The check of an answer before it counts, as the state of a request tells of it (ADR 0035).

A check has two waits: `waiting`, until somebody begins to check, and `checking`, under a lease that its holder renews.
When either ends without a verdict, the person is asked again. The deadline of the request stands still meanwhile.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.deadlines import Times
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339


class Checker(BaseModel):
    """Who checks: an agent, or the server with one of its probes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    name: str


class Check(BaseModel):
    """The check of an answer: who checks, since and until when, and how often the check was renewed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Literal["waiting", "checking"]
    since: datetime
    until: datetime
    by: Checker | None = None
    renewed: int = 0

    @property
    def ends_at(self) -> int:
        """When this wait ends, in ms since the epoch."""
        return round(self.until.timestamp() * 1000)


def check_of(record: Record) -> Check | None:
    """Return the check of an answer that is resolving, None where there is none."""
    if record.status is not Status.RESOLVING:
        return None
    found = record.state.members.get("check")
    return None if found is None else Check.model_validate(found)


def waiting(now: int, until: int) -> dict[str, Any]:
    """Return what the state says of an answer that waits for somebody to check it; times are in ms."""
    return {"state": "waiting", "since": rfc3339(now), "until": rfc3339(until)}


def checking(checker: str, name: str, now: int, until: int, *, renewed: int = 0) -> dict[str, Any]:
    """Return what the state says of an answer that somebody checks; times are in ms."""
    more = {"renewed": renewed} if renewed else {}
    return {
        "state": "checking",
        "since": rfc3339(now),
        "until": rfc3339(until),
        "by": {"id": checker, "name": name},
        **more,
    }


def time_left(record: Record, now: int) -> int | None:
    """Return what is left of a request's deadline, in ms; None when it never expires."""
    return None if record.expires_at is None else max(0, record.expires_at - now)


def asked_again(record: Record, *, now: int, least_ms: int) -> Times:
    """Return the moments of a request whose answer was checked and sent back: what was left, or `least_ms`."""
    state = record.state.members
    left = state.get("time_left_s")
    left_ms = time_left(record, now) if left is None else round(left * 1000)
    expires_at = None if left_ms is None else now + max(left_ms, least_ms)
    escalated = state.get("escalated", 0)
    return record.spec.facts.after(expires_at, created_at=record.created_at, escalated=escalated)


def probe_of(record: Record) -> str | None:
    """Return the name of the server's probe that a request for secrets names, None where the agent tries, or nobody."""
    name = record.spec.secret.probe
    return name if isinstance(name, str) else None


def tried_until(record: Record) -> int | None:
    """Return until when the server tries what was sent (ms), None where it does not.

    The server that takes a submission tries it once. After that moment the effect of the trial is unknown, and the
    person is asked again.
    """
    until = record.state.members.get("tried_until") if record.status is Status.RESOLVING else None
    return None if until is None else round(datetime.fromisoformat(until).timestamp() * 1000)
