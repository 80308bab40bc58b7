"""Refusals in the shape of Feathers: `{name, message, code, errors?, data?}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askback.compat.system import Api, Json, Problem
from askback.domain.faults import Faults, rename_path
from askback.errors import Conflict, Forbidden, NotFound

AUTHENTICATE = "Authentication required to resolve a widget"
NOT_FOUND = "Widget {id} not found"
NO_WIDGET = "Message {id} is not a widget request"
UNKNOWN_TYPE = (
    "Widget type '{type}' is not registered on this daemon. Update the daemon or use a known widget type."
)
NOT_ALLOWED = (
    "You need to be the session creator, a worktree owner, or have 'prompt' permission on the worktree "
    "to resolve this widget."
)
SETTLED = "Widget {id} is already {status}; cannot {action} again."
OTHER_ACTION = "Widget type '{type}' is resolved by '{needed}', not '{action}'."
NOT_CONNECTED = "The account at '{provider}' is not connected yet."
INVALID = "Invalid submit payload: {errors}"
MISSING = "Required value or saved global value selection missing"

_NAMES = {
    400: "BadRequest",
    401: "NotAuthenticated",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    413: "PayloadTooLarge",
    422: "Unprocessable",
    429: "TooManyRequests",
    503: "Unavailable",
}
_VALUE_PATHS = ((r"(secrets|values)\.", ""), (r"secrets", "values"))


def refuse(problem: Problem) -> tuple[int, Json]:
    """Return the status and the body of a refusal; a widget that has expired is settled."""
    status = 409 if problem.status == 410 else problem.status
    body: Json = {"name": _NAMES.get(status, "GeneralError"), "message": problem.message, "code": status}
    if status == 401:
        body["message"] = AUTHENTICATE
    if problem.field_errors:
        body["message"] = _sentence(problem.field_errors)
        body |= _errors(problem.field_errors)
    return status, body


def refuse_submit(api: Api, error: Faults) -> tuple[int, Json]:
    """Return the refusal of a submit: a sentence for each name, and never a value."""
    found: list[dict[str, str]] = []
    for each in api.explain(error.with_paths(lambda path: rename_path(path, _VALUE_PATHS))).field_errors:
        text = MISSING if each["code"] == "secret_missing" else each["message"]
        found.append({**each, "message": text})
    message = INVALID.format(errors=_sentence(found))
    return 422, {"name": _NAMES[422], "message": message, "code": 422, **_errors(found)}


def settled(widget: str, status: str, action: str) -> Conflict:
    """Return the error for a widget that has ended."""
    return Conflict(SETTLED.format(id=widget, status=status, action=action))


def not_found(widget: str) -> NotFound:
    """Return the error for a widget that is not there."""
    return NotFound(NOT_FOUND.format(id=widget))


def not_allowed() -> Forbidden:
    """Return the error for a person who may see a widget and not resolve it."""
    return Forbidden(NOT_ALLOWED)


def _sentence(found: Sequence[Mapping[str, str]]) -> str:
    return "; ".join(f"{each['path'] or '(body)'}: {each['message']}" for each in found[:3])


def _errors(found: Sequence[Mapping[str, str]]) -> Json:
    errors: Json = {}
    for each in found:
        errors.setdefault(each["path"], each["message"])
    return {"errors": errors, "data": {"field_errors": list(found)}}
