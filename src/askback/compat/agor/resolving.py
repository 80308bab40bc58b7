"""What a person does with a widget: submit it, or dismiss it. A value of a secret goes to the store unread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from askback.compat.agor.asking import TOOLS
from askback.compat.agor.errors import NOT_ALLOWED, UNKNOWN_TYPE, refuse
from askback.compat.agor.widgets import choice_of, state, widget_type
from askback.compat.system import Answer, Api, Call, Json
from askback.domain import jsontext
from askback.domain.faults import Faults, fault, rename_path
from askback.domain.fields import Multiselect
from askback.domain.request import InputRequest
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.secret import RawBody
from askback.domain.validation.report import Report
from askback.errors import Conflict, Forbidden, Gone, NotFound

SUBMIT, DISMISS, OAUTH = "submit", "dismiss", "oauth_callback"
RESOLVED_BY = {"oauth": OAUTH}
"""What resolves a type of widget, if not `submit`."""
_PATHS = [("secrets", "values"), (r"values\.", "")]


async def submit(call: Call) -> Answer:
    """`POST /widgets/{widget}/submit`."""
    request = await _open(call, SUBMIT)
    try:
        if (secret := request.secret) is not None:
            body: object = call.body().read(lambda text: _submission(text, request.revision, secret.names))
        else:
            body = {"revision": request.revision, "values": _values(call.json(), request)}
        return await _resolve(call, request, SUBMIT, "answer_request", body)
    except Faults as refused:
        found = refused.with_paths(lambda path: rename_path(path, _PATHS))
        status, said = refuse(call.api.explain(found))
        return Answer({**said, "message": f"Invalid submit payload: {said['message']}"}, status=status)


async def dismiss(call: Call) -> Answer:
    """`POST /widgets/{widget}/dismiss`."""
    request = await _open(call, DISMISS)
    return await _resolve(call, request, DISMISS, "decline_request", {"reason": "dismissed"})


async def oauth_start(call: Call) -> Answer:
    """`POST /widgets/{widget}/oauth-start`: the address at which the person connects the account."""
    request = await _open(call, OAUTH)
    return await call.start_oauth(request.id)


async def oauth_resolve(call: Call) -> Answer:
    """`POST /widgets/{widget}/oauth-resolve`: says what became of it; only the provider's grant resolves it."""
    request = await find(call.api, call.path["widget"])
    _require_action(request, OAUTH)
    if state(request) == "submitted":
        return Answer(_outcome(request))
    if state(request) == "pending":
        provider = request.action and request.action.provider
        raise Conflict(f"The account at '{provider}' is not connected yet.")
    raise _settled(request, OAUTH)


async def find(api: Api, widget: str) -> InputRequest:
    """Return the request of a widget; raises `NotFound`."""
    try:
        request = InputRequest.model_validate(await api.call("get_request", request_id=widget))
    except NotFound:
        raise NotFound(f"Widget {widget} not found") from None
    if widget_type(request) is None:
        raise NotFound(f"Message {widget} is not a widget request")
    return request


async def _open(call: Call, action: str) -> InputRequest:
    """Return the request of a widget that this action can still resolve."""
    request = await find(call.api, call.path["widget"])
    if state(request) != "pending":
        raise _settled(request, action)
    if action != DISMISS:
        _require_action(request, action)
    return request


def _require_action(request: InputRequest, action: str) -> None:
    type_ = widget_type(request) or ""
    if type_ not in TOOLS:
        raise NotFound(UNKNOWN_TYPE.format(type=type_))
    if (needed := RESOLVED_BY.get(type_, SUBMIT)) != action:
        raise Conflict(f"Widget type '{type_}' is resolved by '{needed}', not '{action}'.")


def _settled(request: InputRequest, action: str) -> Conflict:
    return Conflict(f"Widget {request.id} is already {state(request)}; cannot {action} again.")


async def _resolve(call: Call, request: InputRequest, action: str, operation: str, body: object) -> Answer:
    try:
        ended = await call.api.call(operation, body, request_id=request.id)
    except Forbidden:
        raise Forbidden(NOT_ALLOWED) from None
    except (Conflict, Gone):
        await _open(call, action)  # says so if it has ended meanwhile
        raise
    return Answer(_outcome(InputRequest.model_validate(ended)))


def _outcome(request: InputRequest) -> Json:
    queued = request.settled and request.delivery == "resume" and request.auto_resume
    return {"widget_id": request.id, "status": state(request), "auto_resume_queued": queued}


def _submission(text: bytes, revision: int, names: Sequence[str]) -> RawBody:
    """Return the native body for `{values, use_existing?, scope?}`, without looking at a value."""
    sent = _object(jsontext.parse(text))
    if sent.keys() - {"values", "use_existing", "scope"}:
        raise Faults([fault("", "unknown_field.key")])
    values = sent.pop("values", None)
    report = Report()
    for name in cast("Json", values) if isinstance(values, dict) else ():
        # Agor says which name nobody asked for; what does not look like one may be a value in the wrong place.
        if name not in names and is_well_formed(name):
            report.add(
                f"secrets.{name}", "secret_blocked" if blocked_reason(name) else "secret_not_requested"
            )
    report.finish()
    return RawBody(json.dumps({**sent, "secrets": values, "revision": revision}).encode())


def _values(body: object, request: InputRequest) -> Json:
    """Return the values of a form; one choice of a picker without `multiple` is a list with one item."""
    field = choice_of(request)
    assert field is not None
    values: Json = {field.id: None, **_object(body)}
    if field.id == "option_id" or isinstance(field, Multiselect):
        return values
    match values[field.id]:
        case None | []:
            return values
        case [one]:
            return {**values, field.id: one}
        case [*_]:
            raise Faults([fault(f"values.{field.id}", "too_many", max=1)])
        case _:
            raise Faults([fault(f"values.{field.id}", "wrong_type.list")])


def _object(body: object) -> Json:
    if not isinstance(body, dict):
        raise Faults([fault("", "wrong_type.object")])
    return cast("Json", body)
