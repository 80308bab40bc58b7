"""When an open request is to be looked at: its deadline, and the steps before it.

All times here are milliseconds since the epoch; what agents write is in seconds. The clock of a deadline starts when
the request is made or, where the agent asks for it, when it is first shown. Steps always count from the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.fields import Model, Number_


class EscalationStep(Model):
    """After `after_s` seconds without an answer, `notify` names people to notify, and `assign` more who may answer."""

    after_s: Number_
    notify: list[str] = Field(default_factory=list[str])
    assign: list[str] = Field(default_factory=list[str])


class Terms(BaseModel):
    """What a request says about its time. `timeout_s` None means that it never expires."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    timeout_s: float | None = None
    timeout_from: Literal["created", "shown"] = "created"
    on_timeout: Literal["expire", "deny", "default", "resume"] = "expire"
    escalation: Sequence[EscalationStep] = ()
    require_client: Literal["durable", "wait", "fail_fast"] = "durable"

    def times(
        self,
        *,
        created_at: int,
        shown_at: int | None = None,
        escalated: int = 0,
        somebody_by: int | None = None,
    ) -> Times:
        """Return the deadline and the next moment, for a request that was shown and escalated so far.

        `somebody_by` is when there has to be somebody who would see it.
        """
        start = shown_at if self.timeout_from == "shown" else created_at
        expires_at = None if self.timeout_s is None or start is None else start + _ms(self.timeout_s)
        return self.after(expires_at, created_at=created_at, escalated=escalated, somebody_by=somebody_by)

    def after(
        self, expires_at: int | None, *, created_at: int, escalated: int, somebody_by: int | None = None
    ) -> Times:
        """Return the moments of a request with this deadline and so many steps behind it."""
        left = [created_at + _ms(step.after_s) for step in self.escalation[escalated:]]
        moments = [at for at in (*left[:1], expires_at, somebody_by) if at is not None]
        return Times(expires_at, min(moments, default=None))

    def steps_due(self, *, created_at: int, escalated: int, now: int) -> Sequence[EscalationStep]:
        """Return the steps whose time has come, in their order."""
        return [step for step in self.escalation[escalated:] if created_at + _ms(step.after_s) <= now]


class Times(NamedTuple):
    """When a request expires, and when it is to be looked at next; None is never."""

    expires_at: int | None
    due_at: int | None


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
