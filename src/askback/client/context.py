"""The context of every question: its place in the conversation, asker, assignees and timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from askback.domain.deadlines import EscalationStep
from askback.domain.request import Agent


class Place(TypedDict, total=False):
    """Where something is asked: the run, the message and the tool call it belongs to, and of whom.

    Only `assignees`, by `user` or id, may answer; without them everybody may who answers at all. `escalation` are steps
    while nobody has answered. With `timeout_from="shown"` a deadline counts from when somebody sees the question.
    `require_client` says what if nobody has a page open: `durable`, it stays open; `wait`, it is cancelled
    (`not_shown`) when nobody comes for a while; `fail_fast`, at once.

    Of what this agent asks in a thread with one `exclusive_key` at most one is open. `on_conflict` says what if there
    is one: it is taken back (`supersede`), the new one raises `Conflict` (`reject`), or waits in line (`queue`).
    """

    run_id: str | None
    message_id: str | None
    tool_call_id: str | None
    agent: str | Agent | None
    assignees: Sequence[str] | None
    escalation: Sequence[EscalationStep | Mapping[str, Any]] | None
    timeout_from: Literal["created", "shown"] | None
    require_client: Literal["durable", "wait", "fail_fast"] | None
    exclusive_key: str | None
    on_conflict: Literal["supersede", "reject", "queue"] | None


class Context(Place, total=False):
    """Where and for how long something is asked.

    `timeout_s` is in seconds; without it a form never expires. `on_timeout`: `expire`, or for forms `default` (answer
    with what the form declares), or `resume` (leave it open; what comes of it is then a resume). Where nobody waits any
    more, what comes of it is queued, unless `auto_resume` is false.
    """

    timeout_s: float | None
    on_timeout: Literal["expire", "deny", "default", "resume"] | None
    auto_resume: bool | None


class Unawaited(Context, total=False):
    """As `Context`, for who does not wait: with `delivery="resume"` what comes of it is queued (see `resumes`)."""

    delivery: Literal["block", "resume"] | None


class Durable(Unawaited, total=False):
    """With a `validator` an answer is `resolving` until it is accepted, or asked for again (`accept`, `reprompt`)."""

    validator: Literal["requester"] | None


def written(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context as it is sent; None is left out."""
    return {name: _written(value) for name, value in context.items() if value is not None}


def _written(value: Any) -> Any:
    if isinstance(value, Agent | EscalationStep):
        return value.model_dump(exclude_defaults=True)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value
    return [_written(item) for item in cast("Sequence[Any]", value)]
