"""The options of a request: its place in the conversation, its agent, assignees and timeout."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from askback.domain.deadlines import EscalationStep
from askback.domain.faults import join
from askback.domain.limits import MAX_KEY
from askback.domain.request import Agent, Presentation

Errors = str | Mapping[str, str]
"""The errors: a sentence, or sentences by field id."""


class RequestPlace(TypedDict, total=False):
    """The run, the message and the tool call that a request belongs to, and who may answer it.

    `external_id` is your own id: creating with the same one in the same thread returns the same request.

    Only `assignees`, by `user` or id, may answer; without them every responder may. `escalation` are steps to take
    while nobody has answered. With `timeout_from="shown"` a timeout counts from when a person sees the request.
    `require_client` applies when nobody has a page open: `durable` keeps the request open, `wait` cancels it
    (`not_shown`) if nobody comes for a while, `fail_fast` cancels it immediately.

    Of this agent's requests in a thread with the same `exclusive_key` at most one is open. `on_conflict` applies when
    there is one: `supersede` cancels it, `reject` raises `Conflict`, `queue` opens the new one after it.

    `presentation` is its place in the conversation: `inline` where the agent asked, `standalone` as its own block
    at the end, `composer` in place of the box for messages while it is open.
    """

    external_id: str | None
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
    presentation: Presentation | None


class RequestContext(RequestPlace, total=False):
    """The place of a request and its `metadata`: any JSON, up to 16 KiB, that comes back unchanged."""

    metadata: Any


class TimeoutOptions(TypedDict, total=False):
    """The timeout of a request.

    `timeout_s` is in seconds; without it a form never expires. `on_timeout` is `expire`, `cancel`, `resume` (keep it
    open; the outcome becomes a resume), or for forms `default` (answer with the form's defaults). When the client no
    longer waits, the outcome is queued as a resume, unless `auto_resume` is false.
    """

    timeout_s: float | None
    on_timeout: Literal["expire", "deny", "default", "resume", "cancel"] | None
    auto_resume: bool | None


class RequestOptions(RequestContext, TimeoutOptions, total=False):
    """The context of a request and its timeout."""


class DeliveryOptions(TypedDict, total=False):
    """The option of a request that nobody waits for: `delivery="resume"` queues the outcome (see `resumes`)."""

    delivery: Literal["block", "resume"] | None


class SecretOptions(RequestPlace, TimeoutOptions, DeliveryOptions, total=False):
    """The options of `secrets.request`."""


class CreateOptions(RequestOptions, DeliveryOptions, total=False):
    """The options of `requests.create`.

    With the `validator` `requester` an answer is `resolving` until the agent accepts it or asks again (`accept`,
    `reprompt`); with another name, until the validator of the server with this name does. `question_limit`
    (`{"max", "text"}`) limits the forms of this tool in the thread. `texts` (`{"answered", "declined"}`) are sentences
    that a model reads in place of the usual ones. With `repeat` `ask` a form is asked although the person has just
    refused it.
    """

    validator: str | None
    question_limit: Mapping[str, Any] | None
    texts: Mapping[str, str] | None
    hooks: Sequence[Literal["decline", "timeout"]] | None
    repeat: Literal["refuse", "ask"] | None


SHORTEST_UNIQUE_ID = 12
"""Characters from which the id of a tool call is taken as unique in its thread; many providers count `call_0`."""


def call_key(thread_id: str, context: Mapping[str, Any]) -> str | None:
    """Return the idempotency key of a tool call, `THREAD:RUN:TOOL_CALL_ID`, or None if its id may not be unique.

    Without a run, the id must have at least `SHORTEST_UNIQUE_ID` characters. Parts that would make the key ambiguous or
    too long for a header are hashed.
    """
    run_id, call_id = context.get("run_id") or "", context.get("tool_call_id") or ""
    if not call_id or (not run_id and len(call_id) < SHORTEST_UNIQUE_ID):
        return None
    parts = (thread_id, run_id, call_id)
    key = ":".join(parts)
    if key.count(":") == len(parts) - 1 and len(key) <= MAX_KEY and key.isascii() and key.isprintable():
        return key
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def dump_options(options: Mapping[str, Any], errors: Errors | None = None) -> dict[str, Any]:
    """Return options as they are sent, without those that are None, with the errors of a form."""
    dumped_options = {name: _dump(value) for name, value in options.items() if value is not None}
    return dumped_options if errors is None else dumped_options | dump_errors(errors)


def dump_errors(errors: Errors, *, location: str = "values") -> dict[str, Any]:
    """Return errors as they are sent."""
    if isinstance(errors, str):
        return {"error_summary": errors}
    return {
        "field_errors": [{"path": join(location, name), "message": text} for name, text in errors.items()]
    }


def _dump(value: Any) -> Any:
    if isinstance(value, str | bytes):
        return value
    if isinstance(value, Agent | EscalationStep):
        return value.model_dump(exclude_defaults=True)
    if not isinstance(value, Sequence):
        return value
    return [_dump(item) for item in cast("Sequence[Any]", value)]
