"""Verdicts about an answer: the bodies of operations and the reply of a webhook."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from askback.domain.fields import Form, Number_, ReadJson
from askback.domain.model import Model, empty_list
from askback.domain.request import FieldFault


class AcceptBody(Model):
    """`POST /v1/requests/{id}/accept`: the result of the check; for secrets, `{}`.

    `values` replace the sent ones and have to be a valid answer as well. `result` is data for the agent, and
    `message` a sentence for the person.
    """

    values: dict[str, ReadJson] | None = None
    result: ReadJson = None
    message: str | None = None


class RepromptBody(Model):
    """Ask again (`POST /v1/requests/{id}/reprompt`) or change an open request (`PATCH /v1/requests/{id}`).

    With errors, another `form`, or another deadline: `timeout_s` is counted from now, and null means no deadline.
    """

    field_errors: list[FieldFault] = Field(default_factory=empty_list)
    error_summary: str | None = None
    form: Form | None = None
    timeout_s: Number_ | None = None


class FileScanBody(Model):
    """The reply of a file scan: whether the file may be used, and if not, the `reason` for the person."""

    accept: bool
    reason: str | None = None


class VerdictBody(Model):
    """The reply of a validator: `accept`, `reprompt`, or `open` to leave the request open without a deadline."""

    accept: AcceptBody | None = None
    reprompt: RepromptBody | None = None
    open: Literal[True] | None = None

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError("A verdict has one of accept, reprompt and open.")
        return self
