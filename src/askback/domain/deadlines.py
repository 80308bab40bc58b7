"""The deadline of an open request, and the escalation steps before it.

Times are milliseconds since the epoch; agents send seconds. A deadline counts from the creation of the request or,
if the agent asks for it, from when it is first shown. Escalation steps always count from the creation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.fields import Number_
from askback.domain.model import Model


class EscalationStep(Model):
    """After `after_s` seconds without an answer, `notify` names people to notify, and `assign` more who may answer."""

    after_s: Number_
    notify: list[str] = Field(default_factory=list)
    assign: list[str] = Field(default_factory=list)


class TimeoutSettings(BaseModel):
    """The members of a request about its time. `timeout_s` None: it never expires."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    timeout_s: float | None = None
    timeout_from: Literal["created", "shown"] = "created"
    on_timeout: Literal["expire", "deny", "default", "resume", "cancel"] = "expire"
    escalation: Sequence[EscalationStep] = ()
    require_client: Literal["durable", "wait", "fail_fast"] = "durable"

    def schedule(
        self,
        *,
        created_at: int,
        shown_at: int | None = None,
        escalated: int = 0,
    ) -> Schedule:
        """Return the schedule of a request, from the time when it was shown and the number of steps taken."""
        start = shown_at if self.timeout_from == "shown" else created_at
        expires_at = None if self.timeout_s is None or start is None else start + _ms(self.timeout_s)
        return self.schedule_from(expires_at, created_at=created_at, escalated=escalated)

    def schedule_from(
        self, expires_at: int | None, *, created_at: int, escalated: int, viewer_by: int | None = None
    ) -> Schedule:
        """Return the schedule of a request with this deadline after this many escalation steps.

        `viewer_by` is the time by which a page must show the request.
        """
        escalations = [created_at + _ms(step.after_s) for step in self.escalation[escalated:]]
        moments = [moment for moment in (*escalations[:1], expires_at, viewer_by) if moment is not None]
        return Schedule(expires_at, min(moments, default=None))

    def steps_due(self, *, created_at: int, escalated: int, now: int) -> Sequence[EscalationStep]:
        """Return the escalation steps that are due, in order."""
        return [step for step in self.escalation[escalated:] if created_at + _ms(step.after_s) <= now]


class Schedule(NamedTuple):
    """When a request expires, and when the server must act on it next; None means never."""

    expires_at: int | None
    due_at: int | None


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
