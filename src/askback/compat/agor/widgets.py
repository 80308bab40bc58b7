"""Requests as Agor's widgets: their type, parameters, state and result, and the message that has all of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from askback.compat.system import Json
from askback.domain.fields import Multiselect, Radio, Select
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.secrets.request import SecretHelp
from askback.messages.languages import choose

CHOICES = {"option_id": "confirmation", "server_ids": "mcp_servers", "files": "files"}
"""The types that are forms with one choice, by the id of their field, which is the member of an answer."""
ChoiceField = Select | Radio | Multiselect
_STATES = {Status.PENDING: "pending", Status.RESOLVING: "resolving", Status.ANSWERED: "submitted"}


def widget_type(request: InputRequest) -> str | None:
    """Return the type of a widget; None for what is none, and the kind itself for one that Agor has no type for."""
    if request.secret is not None:
        return "env_vars"
    if request.action is not None and request.action.provider is not None:
        return "oauth"
    if (field := choice_of(request)) is not None:
        return CHOICES[field.id]
    return None if request.kind in ("approval", "form", "action") else request.kind


def choice_of(request: InputRequest) -> ChoiceField | None:
    """Return the field of a form that is a choice of Agor's."""
    match request.form.all_fields if request.form else []:
        case [Select() | Radio() | Multiselect() as field] if field.id in CHOICES:
            return field
        case _:
            return None


def state(request: InputRequest) -> str:
    """Return the state of a widget; one that nobody answered counts as dismissed."""
    if request.status is Status.ANSWERED and request.source == "existing":
        return "already_present"
    return _STATES.get(request.status, "dismissed")


def message(request: InputRequest) -> Json:
    """Return the message of a widget: no value of a secret, as no request has any."""
    params, at, attempt = _params(request), _time(request.created_at), request.attempt
    content = _content(request, params)
    widget: Json = {
        "widget_id": request.id,
        "widget_type": widget_type(request),
        "schema_version": 1,
        "params": params,
        "status": state(request),
        "requested_at": at,
        "auto_resume": request.auto_resume,
        **_end(request),
    }
    if attempt is not None:
        failed = {"failed_at": _time(attempt.at), "error_code": attempt.code or "failed"}
        widget["resolution_failure"] = failed
    return {
        "message_id": request.id,
        "session_id": request.thread_id,
        "type": "widget_request",
        "role": "system",
        "content": content,
        "content_preview": content[:200],
        "timestamp": at,
        "metadata": {"widget": widget},
    }


def resolved(request: InputRequest) -> Json:
    """Return what `widget:resolved` says."""
    said = {"widget_id": request.id, "session_id": request.thread_id, "status": state(request)}
    return said | _end(request)


def _end(request: InputRequest) -> Json:
    if not request.settled:
        return {}
    by = request.settled_by
    return _present(
        resolved_at=_time(request.settled_at or request.created_at),
        submitted_by=by and (by.user or by.id),
        result_meta=_result(request) if state(request) == "submitted" else None,
    )


def _result(request: InputRequest) -> Json:
    """Return names, scopes and choices: what an agent and everybody in the session may read."""
    answer, field = request.answer, choice_of(request)
    assert answer is not None
    if request.secret is not None:
        hidden = request.secret.hide_names and not request.secret.names
        return {"names_submitted": [] if hidden else answer.names, "scope": answer.scope}
    if request.action is not None:
        return {"provider": request.action.provider, "outcome": answer.outcome}
    if field is None:
        return {}
    value = answer.values.get(field.id)
    return {field.id: value if field.id == "option_id" or isinstance(value, list) else [value]}


def _params(request: InputRequest) -> Json:
    """Return the arguments of the tool."""
    if (secret := request.secret) is not None:
        return _present(
            names=secret.names,
            reason=choose(secret.reason),
            default_scope=secret.default_scope,
            instructions=choose(secret.instructions) or None,
            variable_metadata=_help(secret.metadata) or None,
        )
    if (action := request.action) is not None:
        reason = choose(action.description) or choose(action.title)
        return {"provider": action.provider, "reason": reason, "scopes": action.scopes or []}
    if request.form is None or (field := choice_of(request)) is None:
        return dict(request.data or {})
    if field.id == "option_id":
        heading = {"title": choose(request.form.title), "body": choose(request.form.description)}
        return {**heading, "options": _options(field, "label")}
    picker = {"reason": choose(field.label), "multiple": isinstance(field, Multiselect)}
    if field.id == "files":
        return {**picker, "files": [each.value for each in field.options]}
    return {**picker, "servers": _options(field, "name")}


def _help(metadata: Mapping[str, SecretHelp]) -> Json:
    return {
        name: {"input_type" if key == "input" else key: choose(text) for key, text in each if text}
        for name, each in metadata.items()
    }


def _options(field: ChoiceField, label: str) -> list[Json]:
    return [
        _present(id=each.value, style=each.style, **{label: choose(each.label)}) for each in field.options
    ]


def _present(**members: object) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _content(request: InputRequest, params: Json) -> str:
    if request.secret is not None:
        return f"Please provide {', '.join(params['names'])}: {params['reason']}"
    if request.action is not None:
        return f'Connect "{params["provider"]}": {params["reason"]}'
    return params.get("title") or params.get("reason") or request.summary or request.kind


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
