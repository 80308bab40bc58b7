"""Requests as Agor's widgets: their type, parameters, state and result, and the message that has all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.compat.system import Json
from askback.domain.fields import Multiselect, Radio, Select
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.messages.languages import choose

CHOICES = {"option_id": "confirmation", "server_ids": "mcp_servers", "files": "files"}
"""The types that are forms with one choice, by the id of their field, which is the member of an answer."""
NEEDED = {"oauth": "oauth_callback"}
"""What resolves a widget, if not `submit`."""
_STATES = {Status.PENDING: "pending", Status.RESOLVING: "resolving", Status.ANSWERED: "submitted"}
_UNKNOWN = {"approval", "form", "action"}


def widget_type(request: InputRequest) -> str | None:
    """Return the type of a widget; None for what is none, and the kind itself for one that Agor has no type for."""
    if request.secret is not None:
        return "env_vars"
    if request.action is not None and request.action.provider is not None:
        return "oauth"
    if _choice(request) is not None:
        return CHOICES[field_id(request)]
    return None if request.kind in _UNKNOWN else request.kind


def is_known(type_: str | None) -> bool:
    """Whether Agor has this type of widgets."""
    return type_ in ("env_vars", "oauth", *CHOICES.values())


def field_id(request: InputRequest) -> str:
    """Return the id of the first field of a form; empty for anything else."""
    fields = request.form.all_fields if request.form else []
    return fields[0].id if fields else ""


def state(request: InputRequest) -> str:
    """Return the state of a widget; one that nobody answered counts as dismissed."""
    if request.status is Status.ANSWERED and request.source == "existing":
        return "already_present"
    return _STATES.get(request.status, "dismissed")


def is_resumed(request: InputRequest) -> bool:
    """Whether the agent gets a message about the end of it."""
    return request.settled and request.delivery == "resume" and request.auto_resume


def widget(request: InputRequest) -> Json:
    """Return a widget as its message has it: no value of a secret, as no request has any."""
    shown: Json = {
        "widget_id": request.id,
        "widget_type": widget_type(request),
        "schema_version": 1,
        "params": _params(request),
        "status": state(request),
        "requested_at": _time(request.created_at),
        "auto_resume": request.auto_resume,
    }
    if request.attempt is not None:
        failed = {"failed_at": _time(request.attempt.at), "error_code": request.attempt.code or "failed"}
        shown["resolution_failure"] = failed
    return shown | _end(request)


def message(request: InputRequest) -> Json:
    """Return the message of a widget."""
    shown = widget(request)
    text = _content(request, shown["params"])
    return {
        "message_id": request.id,
        "session_id": request.thread_id,
        "type": "widget_request",
        "role": "system",
        "content": text,
        "content_preview": text[:200],
        "timestamp": shown["requested_at"],
        "metadata": {"widget": shown},
    }


def resolved(request: InputRequest) -> Json:
    """Return what `widget:resolved` says."""
    said = {"widget_id": request.id, "session_id": request.thread_id, "status": state(request)}
    return said | _end(request)


def _end(request: InputRequest) -> Json:
    if not request.settled:
        return {}
    end: Json = {"resolved_at": _time(request.settled_at or request.created_at)}
    if request.settled_by is not None:
        end["submitted_by"] = request.settled_by.user or request.settled_by.id
    if state(request) == "submitted":
        end["result_meta"] = _result(request)
    return end


def _result(request: InputRequest) -> Json:
    """Return names, scopes and choices: what an agent and everybody in the session may read."""
    assert request.answer is not None
    if request.secret is not None:
        hidden = request.secret.hide_names and not request.secret.names
        return {"names_submitted": [] if hidden else request.answer.names, "scope": request.answer.scope}
    if request.action is not None:
        return {"provider": request.action.provider, "outcome": request.answer.outcome}
    id_ = field_id(request)
    value = request.answer.values.get(id_)
    return {id_: value if id_ == "option_id" or isinstance(value, list) else [value]}


def _params(request: InputRequest) -> Json:
    if request.secret is not None:
        asked = request.secret
        params: Json = {
            "names": asked.names,
            "reason": choose(asked.reason),
            "default_scope": asked.default_scope,
        }
        if asked.instructions is not None:
            params["instructions"] = choose(asked.instructions)
        return params
    if request.action is not None:
        return {
            "provider": request.action.provider,
            "reason": choose(request.action.description) or choose(request.action.title),
            "scopes": request.action.scopes or [],
        }
    field = _choice(request)
    return dict(request.data or {}) if field is None else _choice_params(request, field)


def _choice_params(request: InputRequest, field: Select | Radio | Multiselect) -> Json:
    assert request.form is not None
    if field.id == "option_id":
        return {
            "title": choose(request.form.title),
            "body": choose(request.form.description),
            "options": [
                {"id": each.value, "label": choose(each.label)}
                | ({"style": each.style} if each.style else {})
                for each in field.options
            ],
        }
    shown: Mapping[str, Any] = {"reason": choose(field.label), "multiple": isinstance(field, Multiselect)}
    if field.id == "files":
        return {**shown, "files": [each.value for each in field.options]}
    return {**shown, "servers": [{"id": each.value, "name": choose(each.label)} for each in field.options]}


def _choice(request: InputRequest) -> Select | Radio | Multiselect | None:
    fields = request.form.all_fields if request.form else []
    first = fields[0] if len(fields) == 1 else None
    if isinstance(first, Select | Radio | Multiselect) and first.id in CHOICES:
        return first
    return None


def _content(request: InputRequest, params: Json) -> str:
    if request.secret is not None:
        return f"Please provide {', '.join(params['names'])}: {params['reason']}"
    if request.action is not None:
        return f'Connect "{params["provider"]}": {params["reason"]}'
    return params.get("title") or params.get("reason") or request.summary or request.kind


def _time(at: Any) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
