"""Read models of parts of a request's state."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.access import Actor
from askback.domain.approval import ApprovalDecision

Hook = Literal["decline", "timeout"]


class ReadModel(BaseModel):
    """Read models ignore keys they do not know, so that an older client can talk to a newer server."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FailedAttempt(ReadModel):
    """A failed attempt of an action; `number` counts them. `code` is set if the server itself detected the failure."""

    number: int
    at: datetime
    reason: str | None = None
    code: str | None = None
    by: Actor | None = None


class FieldError(ReadModel):
    """An error in one field of the previous submission, as text for the person."""

    path: str
    message: str


class FieldWarning(FieldError):
    """A warning about one value of an answer that was accepted."""

    code: str


class Vote(ReadModel):
    """One of several decisions that a request needs."""

    by: Actor
    decision: ApprovalDecision
    at: datetime


class RememberedRefusal(ReadModel):
    """A remembered refusal: nobody is asked again before `until`; `count` is the number of refusals within an hour."""

    until: datetime
    count: int


class Revocation(ReadModel):
    """A person revoked an approval."""

    at: datetime
    by: Actor


class PendingEnd(ReadModel):
    """A decline or a deadline that a hook decides about, before it counts."""

    event: Hook
    reason: str | None = None
    note: str | None = None
    remember: bool = True


class Assignment(ReadModel):
    """A person has assigned the request to `assignees`, or (null) back to the agent's assignees.

    `names` are what people and groups were called then, in the same order. `number` counts the assignments of the
    request.
    """

    assignees: list[str] | None = None
    names: list[str] | None = None
    by: Actor
    at: datetime
    number: int
