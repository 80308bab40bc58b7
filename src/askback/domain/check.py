"""The check of an answer before it counts, as stored in the state of a request (ADR 0035).

A check has two phases: `waiting`, until somebody begins to check, and `checking`, under a lease that its holder
renews. If either ends without a result, the person is asked again. The deadline of the request is paused meanwhile.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.deadlines import Schedule
from askback.domain.lifecycle import Status
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339


class Checker(BaseModel):
    """The agent or the server's probe that checks."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    name: str


class Check(BaseModel):
    """The check of an answer: who checks, the start and end of its phase, and how often the lease was renewed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Literal["waiting", "checking"]
    since: datetime
    until: datetime
    by: Checker | None = None
    renewed: int = 0

    @property
    def ends_at(self) -> int:
        """The end of this phase, in ms since the epoch."""
        return round(self.until.timestamp() * 1000)


def check_of(record: Record) -> Check | None:
    """Return the check of an answer that is resolving; None if there is none."""
    if record.status is not Status.RESOLVING:
        return None
    check = record.state.members.get("check")
    return None if check is None else Check.model_validate(check)


def waiting_members(now: int, until: int) -> dict[str, Any]:
    """Return the `check` member for an answer that waits for its check; times are in ms."""
    return {"state": "waiting", "since": rfc3339(now), "until": rfc3339(until)}


def checking_members(checker: str, name: str, now: int, until: int, *, renewed: int = 0) -> dict[str, Any]:
    """Return the `check` member for an answer that is being checked; times are in ms."""
    optional_members = {"renewed": renewed} if renewed else {}
    return {
        "state": "checking",
        "since": rfc3339(now),
        "until": rfc3339(until),
        "by": {"id": checker, "name": name},
        **optional_members,
    }


def time_left(record: Record, now: int) -> int | None:
    """Return the rest of a request's deadline, in ms; None if it never expires."""
    return None if record.expires_at is None else max(0, record.expires_at - now)


def reprompts(record: Record) -> int:
    """Return how often the person has been asked again."""
    return record.revision - 1 - record.state.members.get("updates", 0)


def reprompt_schedule(record: Record, *, now: int, least_ms: int) -> Schedule:
    """Return the schedule of a request whose answer was sent back: the time left, at least `least_ms`."""
    state = record.state.members
    time_left_s = state.get("time_left_s")
    left_ms = time_left(record, now) if time_left_s is None else round(time_left_s * 1000)
    expires_at = None if left_ms is None else now + max(left_ms, least_ms)
    escalated = state.get("escalated", 0)
    return record.spec.facts.schedule_from(expires_at, created_at=record.created_at, escalated=escalated)


def probe_name(record: Record) -> str | None:
    """Return the name of the server's probe for a request for secrets; None without one."""
    name = record.spec.secret.probe
    return name if isinstance(name, str) else None


def probe_deadline(record: Record) -> int | None:
    """Return the time until which the server tests the submitted values (ms); None if it does not.

    The server that stores a submission tests it once. After this time the effect of the test is unknown, and
    the person is asked again.
    """
    deadline = record.state.members.get("tried_until") if record.status is Status.RESOLVING else None
    return None if deadline is None else round(datetime.fromisoformat(deadline).timestamp() * 1000)
