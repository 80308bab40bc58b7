"""Refusals in the shape of Feathers: `{name, message, code, errors?, data?}`."""

from __future__ import annotations

from askback.ports.systems import Json, Problem

UNKNOWN_TYPE = (
    "Widget type '{type}' is not registered on this daemon. Update the daemon or use a known widget type."
)
NOT_ALLOWED = (
    "You need to be the session creator, a worktree owner, or have 'prompt' permission on the worktree "
    "to resolve this widget."
)
MISSING = "Required value or saved global value selection missing"

_NAMES = {
    401: "NotAuthenticated", 403: "Forbidden", 404: "NotFound", 405: "MethodNotAllowed", 409: "Conflict",
    413: "PayloadTooLarge", 422: "Unprocessable", 429: "TooManyRequests", 503: "Unavailable",
}  # fmt: skip


def refuse(problem: Problem) -> tuple[int, Json]:
    """Return the status and the body of a refusal; a widget that has expired is settled.

    `errors` has a sentence for each name, and so has `data.field_errors`, where Agor's page looks for it;
    `data.issues` has the place of each in the body and its code.
    """
    status = 409 if problem.status == 410 else problem.status
    message = "Authentication required to resolve a widget" if status == 401 else problem.message
    body: Json = {"name": _NAMES.get(status, "GeneralError"), "message": message, "code": status}
    own = {"secret_missing": MISSING}
    found = [{**each, "message": own.get(each["code"], each["message"])} for each in problem.field_errors]
    if found:
        said = [(each["path"].removeprefix("values."), each["message"]) for each in found]
        body["message"] = "; ".join(f"{name or '(body)'}: {text}" for name, text in said[:3])
        first = dict(reversed(said))
        body |= {"errors": first, "data": {"field_errors": first, "issues": found}}
    return status, body
