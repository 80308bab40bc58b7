"""The client's calls as the text of frames, without the id that the session gives them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Literal, cast

from pydantic_core import PydanticSerializationError, to_json

from askback.client.tracing import current_trace
from askback.domain.approval import Approval
from askback.domain.fields import Form, Model
from askback.domain.secrets.asked import SecretAsk
from askback.domain.tracing import HEADER
from askback.errors import Invalid

MAX_KEY = 255


def frame(op: str, **args: Any) -> str:
    """Write an operation with its arguments; None is left out."""
    return json.dumps({"op": op, **known(**args)}, separators=(",", ":"))[1:-1]


def known(**args: Any) -> dict[str, Any]:
    """Keep the arguments that are not None."""
    return {name: value for name, value in args.items() if value is not None}


def idempotency_key(given: str | None) -> str:
    """Return the caller's key, or a random one; raises `Invalid` for what a header cannot carry."""
    if given is None:
        return secrets.token_urlsafe(16)
    if not 1 <= len(given) <= MAX_KEY or not given.isascii() or not given.isprintable():
        text = f"Must be 1 to {MAX_KEY} printable ASCII characters."
        fault = {"path": "Idempotency-Key", "code": "invalid_key", "message": text}
        raise Invalid("The idempotency key cannot be used.", field_errors=[fault])
    return given


def said(model: Model) -> dict[str, Any]:
    """Return what a form, an approval or a request for secrets says beyond its defaults: every reader fills them in."""
    stated = vars(model)
    return {
        name: _said(value)
        for name, default in _members(type(model))
        if (value := stated[name]) is not None and (value != default or name == "type")
    }


@cache
def _members(of: type[Model]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, info.default) for name, info in of.model_fields.items())


def _said(value: Any) -> Any:
    if isinstance(value, Model):
        return said(value)
    return [_said(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _written(what: Model | Mapping[str, Any]) -> str:
    if isinstance(what, Model):
        with suppress(
            PydanticSerializationError
        ):  # half a character: escaped it reaches the server, which says where
            return to_json(said(what)).decode()
    return json.dumps(what, separators=(",", ":"), default=_stated)


def _stated(value: object) -> dict[str, Any]:
    if not isinstance(value, Model):
        raise TypeError
    return said(value)


def create(
    what: Form | Approval | SecretAsk | Mapping[str, Any],
    thread_id: str,
    context: Mapping[str, Any],
    key: str | None,
    *,
    kind: Literal["form", "approval", "secret"] = "form",
) -> str:
    """Write a `create`; `kind` says what a mapping is. Raises `Invalid` for what JSON cannot hold.

    Without a key it gets one, so that it can be sent again after a lost connection.
    """
    if isinstance(what, Approval | SecretAsk):
        kind = "approval" if isinstance(what, Approval) else "secret"
    try:
        text = _written(what)
    except (TypeError, ValueError, RecursionError):
        fault = {"path": kind, "code": "not_json", "message": "Must be made of what JSON can hold."}
        raise Invalid("This cannot be sent as JSON.", field_errors=[fault]) from None
    head = json.dumps({"kind": kind, "thread_id": thread_id, **context}, separators=(",", ":"))
    # Beside the body: another trace makes no other request of it.
    trace = f'"{HEADER}":"{found}",' if (found := current_trace()) else ""
    return (
        f'"op":"create",{trace}"key":{json.dumps(idempotency_key(key))},"body":{head[:-1]},"{kind}":{text}}}'
    )
