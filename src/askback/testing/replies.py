"""The replies of a scripted person, sent as a responder over the public client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askback.client.async_client import AsyncClient
from askback.domain.approval import Scope
from askback.domain.fields import Boolean, Checkbox, Form, Radio, Select
from askback.domain.request import InputRequest

YES_NO = {True: "Yes", False: "No"}
"""The values of the question that `confirm` asks."""


class Unsuitable(Exception):
    """A reply that does not answer this kind of request; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Approve a tool call or a plan; `input` replaces the input, if the request allows edits."""

    input: Any = None
    note: str | None = None
    scope: Scope = "once"


@dataclass(frozen=True, slots=True)
class Deny:
    """Deny a tool call or a plan, with a note to the agent."""

    note: str | None = None


@dataclass(frozen=True, slots=True)
class Decline:
    """Decline any request: `dismissed`, `refused`, or `skipped` if the form allows it."""

    reason: str = "dismissed"
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    """Report that an action failed, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeaveOpen:
    """Do not answer."""


Reply = (
    Approve | Deny | Decline | Fail | LeaveOpen | bool | str | int | float | Sequence[Any] | Mapping[str, Any]
)
"""True approves, or says yes or done, and False the opposite.

A mapping answers a form by field id, and a request for secrets by name. Any other value answers a form with one field.
"""


async def send(person: AsyncClient, request: InputRequest, reply: Reply) -> InputRequest:
    """Send a reply and return the updated request. Raises `Unsuitable` and the client's errors."""
    if isinstance(reply, LeaveOpen):
        return request
    if isinstance(reply, Decline):
        return await person.requests.decline(request, reason=reply.reason, note=reply.note)
    if request.approval is not None:
        return await _decide(person, request, reply)
    if request.action is not None:
        return await _finish(person, request, reply)
    if isinstance(reply, Approve | Deny | Fail):
        raise Unsuitable(f"{reply} does not answer a request of the kind {request.kind}.")
    if request.form is not None:
        values = _values(request.form, reply)
        return await person.requests.answer(request, values, revision=request.revision)
    if not isinstance(reply, Mapping):
        raise Unsuitable(f"A request of the kind {request.kind} needs a mapping.")
    if request.secret is not None:
        return await person.requests.submit(request, reply)
    return await person.requests.answer_data(request, dict(reply), revision=request.revision)


async def _decide(person: AsyncClient, request: InputRequest, reply: Reply) -> InputRequest:
    reply = {True: Approve(), False: Deny()}[reply] if isinstance(reply, bool) else reply
    if isinstance(reply, Deny):
        return await person.requests.decide(request, "deny", note=reply.note, revision=request.revision)
    if not isinstance(reply, Approve):
        raise Unsuitable("An approval needs True, False, Approve(…), Deny(…), Decline(…) or LeaveOpen().")
    return await person.requests.decide(
        request,
        "approve",
        scope=reply.scope,
        note=reply.note,
        edited_input=reply.input,
        revision=request.revision,
    )


async def _finish(person: AsyncClient, request: InputRequest, reply: Reply) -> InputRequest:
    if reply is True:
        return await person.requests.finish(request, "done", revision=request.revision)
    if not isinstance(reply, Fail):
        raise Unsuitable("An action needs True, Fail(…), Decline(…) or LeaveOpen().")
    return await person.requests.finish(request, "failed", reason=reply.reason, revision=request.revision)


def _values(form: Form, reply: Reply) -> Mapping[str, Any]:
    if isinstance(reply, Mapping):
        return reply
    if len(form.all_fields) != 1:
        names = ", ".join(field.id for field in form.all_fields)
        raise Unsuitable(f"The form has the fields {names}: reply with a mapping.")
    field = form.all_fields[0]
    if (
        isinstance(reply, bool)
        and isinstance(field, Select | Radio)
        and not isinstance(field, Boolean | Checkbox)
    ):
        return {field.id: YES_NO[reply]}
    return {field.id: reply}
