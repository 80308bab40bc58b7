"""Requests as Agor's widgets: their type, arguments, state and result; and refusals in the shape of Feathers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from askback.compat.package_data import read_data
from askback.domain.fields import Form, Multiselect, Radio, Select
from askback.domain.kinds import BUILT_IN
from askback.domain.lifecycle import Status
from askback.domain.model import without_none
from askback.domain.request import Answer, InputRequest
from askback.domain.secrets.request import SecretHelp
from askback.messages.languages import choose
from askback.ports.systems import Json, Problem

TEXTS = read_data(__file__)
Choice = Select | Radio | Multiselect
CHOICES = {"option_id", "server_ids", "files"}
"""The ids of the fields of confirmations and pickers, which are also the members of an answer."""
_STATES = {Status.PENDING: "pending", Status.RESOLVING: "resolving", Status.ANSWERED: "submitted"}


@dataclass(frozen=True, slots=True)
class Widget:
    """A request as a widget: the arguments of its tool, its text, and what everybody may read of its answer.

    None of them has a value of a secret, as no request has any. The type is the kind for one that Agor does not have,
    and empty for a request that is no widget.
    """

    request: InputRequest
    type: str
    params: Json
    content: str
    result: Json

    @property
    def state(self) -> str:
        """The state; one that nobody answered counts as dismissed."""
        if self.request.status is Status.ANSWERED and self.request.source == "existing":
            return "already_present"
        return _STATES.get(self.request.status, "dismissed")

    def message(self) -> Json:
        """Return its message."""
        request, created_at, attempt = self.request, _time(self.request.created_at), self.request.attempt
        content: Json = {"widget_id": request.id, "widget_type": self.type, "schema_version": 1}
        content |= {"params": self.params, "status": self.state, "requested_at": created_at}
        content |= {"auto_resume": request.auto_resume, **self._end()}
        if attempt is not None:
            failure = {"failed_at": _time(attempt.at), "error_code": attempt.code or "failed"}
            content["resolution_failure"] = failure
        members = {"content": self.content, "content_preview": self.content[:200], "timestamp": created_at}
        about = {"message_id": request.id, "session_id": request.thread_id, "type": "widget_request"}
        return {**about, "role": "system", **members, "metadata": {"widget": content}}

    def resolved(self) -> Json:
        """Return what `widget:resolved` says."""
        members = {"widget_id": self.request.id, "session_id": self.request.thread_id, "status": self.state}
        return members | self._end()

    def outcome(self) -> Json:
        """Return what resolving it returns."""
        request = self.request
        queued = request.settled and request.delivery == "resume" and request.auto_resume
        return {"widget_id": request.id, "status": self.state, "auto_resume_queued": queued}

    def _end(self) -> Json:
        request, by = self.request, self.request.settled_by
        if not request.settled:
            return {}
        result = self.result if self.state == "submitted" else None
        ended_at = _time(request.settled_at or request.created_at)
        return without_none(resolved_at=ended_at, submitted_by=by and (by.user or by.id), result_meta=result)


def read_widget(raw: Mapping[str, Any]) -> Widget:
    """Return a request of the native API as a widget."""
    request = InputRequest.model_validate(raw)
    answer = request.answer or Answer()
    if (secret := request.secret) is not None:
        hints = {"instructions": choose(secret.instructions), "variable_metadata": _help(secret.metadata)}
        params: Json = {"names": secret.names, "reason": choose(secret.reason)}
        params |= {"default_scope": secret.default_scope} | {key: item for key, item in hints.items() if item}
        hidden = secret.hide_names and not secret.names
        result = {"names_submitted": [] if hidden else answer.names, "scope": answer.scope}
        content = f"Please provide {', '.join(secret.names)}: {params['reason']}"
        return Widget(request, "env_vars", params, content, result)
    if (action := request.action) is not None and action.provider is not None:
        reason = choose(action.description) or choose(action.title)
        params = {"provider": action.provider, "reason": reason, "scopes": action.scopes or []}
        result = {"provider": action.provider, "outcome": answer.outcome}
        return Widget(request, "oauth", params, f'Connect "{action.provider}": {reason}', result)
    if (form := request.form) is not None and len(form.all_fields) == 1:
        (field,) = form.all_fields
        if isinstance(field, Choice) and field.id in CHOICES:
            return _choice(request, form, field, answer.values.get(field.id))
    type_ = "" if request.kind in BUILT_IN else request.kind
    return Widget(request, type_, dict(request.data or {}), request.summary or request.kind, {})


def _choice(request: InputRequest, form: Form, field: Choice, value: Any) -> Widget:
    if field.id == "option_id":
        title = choose(form.title)
        params = {"title": title, "body": choose(form.description), "options": _options(field, "label")}
        return Widget(request, "confirmation", params, title, {"option_id": value})
    reason = choose(field.label)
    params: Json = {"reason": reason, "multiple": isinstance(field, Multiselect)}
    result: Json = {field.id: value if isinstance(value, list) else [value]}
    if field.id == "files":
        params["files"] = [option.value for option in field.options]
        return Widget(request, "files", params, reason, result)
    params["servers"] = _options(field, "name")
    return Widget(request, "mcp_servers", params, reason, result)


def _options(field: Choice, label: str) -> list[Json]:
    return [without_none(id=o.value, style=o.style, **{label: choose(o.label)}) for o in field.options]


def _help(metadata: Mapping[str, SecretHelp]) -> Json:
    return {
        name: {"input_type" if key == "input" else key: choose(text) for key, text in item if text}
        for name, item in metadata.items()
    }


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def refuse(problem: Problem) -> tuple[int, Json]:
    """Return the status and the body of a refusal; a widget that has expired is settled.

    `errors` has a sentence for each name, and so has `data.field_errors`, where Agor's page looks for it;
    `data.issues` has the place of each in the body and its code.
    """
    status = 409 if problem.status == 410 else problem.status
    message = "Authentication required to resolve a widget" if status == 401 else problem.message
    body: Json = {"name": TEXTS["names"].get(str(status), "GeneralError"), "message": message, "code": status}
    issues = [_issue(**error) for error in problem.field_errors]
    if issues:
        errors = [(issue["path"].removeprefix("values."), issue["message"]) for issue in issues]
        body["message"] = "; ".join(f"{name or '(body)'}: {text}" for name, text in errors[:3])
        texts = dict(reversed(errors))
        body |= {"errors": texts, "data": {"field_errors": texts, "issues": issues}}
    return status, body


def _issue(path: str, code: str, message: str) -> Json:
    is_scope = code == "unknown_value" and path.endswith("scope")
    name = "invalid_scope" if is_scope else TEXTS["codes"].get(code, code)
    return {"path": path, "code": name, "message": TEXTS["missing"] if code == "secret_missing" else message}
