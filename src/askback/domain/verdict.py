"""The verdict about an answer: accept it, or ask the person again.

A validator returns one of these, or something shorter: see `Verdict`. Agents' checks (`validate=`) and validators of
the server use the same values.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from askback.domain.fields import Form
from askback.domain.values import frozen


class Unchanged(Enum):
    """The default of a member that is not changed, where None has another meaning."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@frozen(slots=True)
class Accept:
    """Accept the answer, with other `values`, data for the agent, a sentence for the person.

    `values` have to be a valid answer of the form; `result` is any JSON value.
    """

    values: Mapping[str, Any] | None = None
    result: Any = None
    message: str | None = None


@frozen(slots=True)
class AskAgain:
    """Ask again: with errors by field id, a sentence about all of it, another form, or another deadline.

    `timeout_s` is counted from now, None means no deadline; without it the person has the time that was left.
    """

    field_errors: Mapping[str, str] | None = None
    error_summary: str | None = None
    form: Form | Mapping[str, Any] | None = None
    timeout_s: float | Unchanged | None = UNCHANGED


Verdict = None | str | Mapping[str, str] | Form | Accept | AskAgain
"""None accepts. A sentence, sentences by field id, another form, or all of them as `AskAgain` ask again."""


def read_verdict(verdict: Verdict) -> Accept | AskAgain:
    """Return a verdict in full."""
    if isinstance(verdict, Accept | AskAgain):
        return verdict
    if isinstance(verdict, str):
        return AskAgain(error_summary=verdict)
    if isinstance(verdict, Form):
        return AskAgain(form=verdict)
    return AskAgain(field_errors=verdict) if verdict else Accept()
