"""Write calls as the text of frames, without the id, which the session adds."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from askback.client.tracing import current_trace
from askback.domain.action import ActionAsk
from askback.domain.approval import Approval
from askback.domain.fields import Form
from askback.domain.limits import MAX_KEY
from askback.domain.model import Model, without_none
from askback.domain.secrets.request import SecretAsk
from askback.domain.tracing import HEADER
from askback.errors import Invalid


def frame(op: str, **args: Any) -> str:
    """Write an operation with its arguments, without those that are None.

    Raises `Invalid` if an argument cannot be written as JSON.
    """
    members = {"op": op, **without_none(**args)}
    try:
        return _dump_json(members)[1:-1]
    except _NOT_JSON:
        raise _not_json(cast("Mapping[str, Any]", members.get("body") or members)) from None


def idempotency_key(key: str | None) -> str:
    """Return the caller's key, or a random one; raises `Invalid` for a key that a header cannot carry."""
    if key is None:
        return secrets.token_urlsafe(16)
    if not 1 <= len(key) <= MAX_KEY or not key.isascii() or not key.isprintable():
        text = f"Must be 1 to {MAX_KEY} printable ASCII characters."
        fault = {"path": "Idempotency-Key", "code": "invalid_key", "message": text}
        raise Invalid("The idempotency key cannot be used.", field_errors=[fault])
    return key


def dump_set_fields(model: BaseModel) -> dict[str, Any]:
    """Return the fields of a form, an approval or a request for secrets that differ from their defaults."""
    values = vars(model)
    return {
        alias: _dump(value)
        for name, alias, default in _members(type(model))
        if (
            ((value := values[name]) is not None and (value != default or name == "type"))
            or (value is None and name == "input" and name in model.model_fields_set)  # a call with null
        )
    }


@cache
def _members(model: type[BaseModel]) -> tuple[tuple[str, str, Any], ...]:
    return tuple(
        (name, info.serialization_alias or info.alias or name, info.default)
        for name, info in model.model_fields.items()
    )


def _dump(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return dump_set_fields(value)
    return [_dump(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _encode(head: dict[str, Any], member: str, content: Model | Mapping[str, Any]) -> str:
    """Write the body of a request: its head, and the content as a member."""
    if isinstance(content, Model):
        # Half of a surrogate pair fails here; escaped, it reaches the server, which names its place.
        with suppress(PydanticSerializationError):
            text = to_json(dump_set_fields(content)).decode()
            return f'{_dump_json(head)[:-1]},"{member}":{text}}}'
    return _dump_json({**head, member: content})


def _dump_model(value: object) -> dict[str, Any]:
    if not isinstance(value, Model):
        raise TypeError
    return dump_set_fields(value)


_dump_json = json.JSONEncoder(separators=(",", ":"), default=_dump_model).encode
_NOT_JSON = (TypeError, ValueError, RecursionError)


def _not_json(members: Mapping[str, Any]) -> Invalid:
    """Return the error that names each member that cannot be written as JSON."""
    faults = [
        {"path": name, "code": "not_json", "message": "Must be made of what JSON can hold."}
        for name, value in members.items()
        if not _is_json(value)
    ]
    return Invalid("This cannot be sent as JSON.", field_errors=faults)


def _is_json(value: Any) -> bool:
    try:
        _dump_json(value)
    except _NOT_JSON:
        return False
    return True


def create_request(
    content: Form | Approval | SecretAsk | ActionAsk | Mapping[str, Any],
    *,
    thread_id: str,
    options: Mapping[str, Any],
    key: str | None,
    kind: str = "form",
    member: str | None = None,
) -> str:
    """Write the operation `create_request`.

    `content` is the form, approval, secret or action to ask for. If it is a mapping, `kind` says which of these it is.
    `member` is its name in the body, by default the kind. `key` is the idempotency key, by default a random one, so
    that the operation can be sent again after a lost connection. Raises `Invalid` if a value cannot be written as JSON.
    """
    if isinstance(content, Approval | SecretAsk | ActionAsk):
        kind = (
            "approval"
            if isinstance(content, Approval)
            else "secret"
            if isinstance(content, SecretAsk)
            else "action"
        )
    head = {"kind": kind, "thread_id": thread_id, **options}
    try:
        body = _encode(head, member or kind, content)
    except _NOT_JSON:
        raise _not_json({**head, member or kind: content}) from None
    # Outside the body: a request with another trace is still the same request.
    trace = f'"{HEADER}":"{traceparent}",' if (traceparent := current_trace()) else ""
    return f'"op":"create_request",{trace}"key":{_dump_json(idempotency_key(key))},"body":{body}'


def get_request(request_id: str) -> str:
    """Write a `get_request`."""
    return frame("get_request", request_id=request_id)
