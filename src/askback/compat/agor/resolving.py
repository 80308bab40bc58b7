"""What a person does with a widget: submit it, or dismiss it. A value of a secret goes to the store unread."""

from __future__ import annotations

import json
from typing import Any, cast

from askback.compat.agor import errors
from askback.compat.agor.widgets import (
    NEEDED,
    field_id,
    is_known,
    is_resumed,
    state,
    widget_type,
)
from askback.compat.system import Answer, Api, Call, Json
from askback.domain import jsontext
from askback.domain.faults import Faults, fault
from askback.domain.request import InputRequest
from askback.domain.secrets.secret import RawBody
from askback.errors import Conflict, Forbidden, Gone, NotFound

SUBMIT, DISMISS, OAUTH = "submit", "dismiss", "oauth_callback"
_MEMBERS = {"values": "secrets", "use_existing": "use_existing", "scope": "scope"}


async def submit(call: Call) -> Answer:
    """`POST /widgets/{widget}/submit`."""
    request = await _open(call, SUBMIT)
    type_ = widget_type(request)
    if not is_known(type_):
        raise NotFound(errors.UNKNOWN_TYPE.format(type=type_))
    if type_ in NEEDED:
        raise Conflict(errors.OTHER_ACTION.format(type=type_, needed=NEEDED[type_], action=SUBMIT))
    try:
        if request.secret is not None:
            body: object = call.body().read(lambda text: _submission(text, request.revision))
        else:
            body = {"revision": request.revision, "values": _choice(call.json(), request)}
        return await _resolve(call.api, request, SUBMIT, "answer_request", body)
    except Faults as refused:
        status, told = errors.refuse_submit(call.api, refused)
        return Answer(told, status=status)


async def dismiss(call: Call) -> Answer:
    """`POST /widgets/{widget}/dismiss`."""
    request = await _open(call, DISMISS)
    return await _resolve(call.api, request, DISMISS, "decline_request", {"reason": "dismissed"})


async def oauth_start(call: Call) -> Answer:
    """`POST /widgets/{widget}/oauth-start`: the address at which the person connects the account."""
    request = _of_oauth(await _open(call, OAUTH))
    return await call.start_oauth(request.id)


async def oauth_resolve(call: Call) -> Answer:
    """`POST /widgets/{widget}/oauth-resolve`: says what became of it; only the provider's grant resolves it."""
    request = _of_oauth(await find(call.api, call.path["widget"]))
    if state(request) == "pending":
        raise Conflict(errors.NOT_CONNECTED.format(provider=request.action and request.action.provider))
    if state(request) != "submitted":
        raise errors.settled(request.id, state(request), OAUTH)
    return Answer(outcome(request))


def _of_oauth(request: InputRequest) -> InputRequest:
    type_ = widget_type(request)
    if type_ not in NEEDED:
        raise Conflict(errors.OTHER_ACTION.format(type=type_, needed=SUBMIT, action=OAUTH))
    return request


async def find(api: Api, widget: str) -> InputRequest:
    """Return the request of a widget; raises `NotFound`."""
    try:
        request = InputRequest.model_validate(await api.call("get_request", request_id=widget))
    except NotFound:
        raise errors.not_found(widget) from None
    if widget_type(request) is None:
        raise NotFound(errors.NO_WIDGET.format(id=widget))
    return request


async def _open(call: Call, action: str) -> InputRequest:
    request = await find(call.api, call.path["widget"])
    if state(request) != "pending":
        raise errors.settled(request.id, state(request), action)
    return request


async def _resolve(api: Api, request: InputRequest, action: str, operation: str, body: object) -> Answer:
    try:
        ended = InputRequest.model_validate(await api.call(operation, body, request_id=request.id))
    except Forbidden:
        raise errors.not_allowed() from None
    except (Conflict, Gone) as refused:
        now = await find(api, request.id)
        if state(now) == "pending":
            raise
        raise errors.settled(request.id, state(now), action) from refused
    return Answer(outcome(ended))


def outcome(request: InputRequest) -> Json:
    """Return what resolving a widget returns."""
    queued = is_resumed(request)
    return {"widget_id": request.id, "status": state(request), "auto_resume_queued": queued}


def _submission(text: bytes, revision: int) -> RawBody:
    """Return the native body for `{values, use_existing?, scope?}`, without looking at a value."""
    sent = _object(jsontext.parse(text))
    if sent.keys() - _MEMBERS.keys():
        raise Faults([fault("", "unknown_field.key")])
    native = {_MEMBERS[name]: value for name, value in sent.items()}
    return RawBody(json.dumps({**native, "revision": revision}).encode())


def _choice(body: object, request: InputRequest) -> Json:
    """Return the values of a form; one choice of a picker without `multiple` is a list with one item."""
    sent, id_ = _object(body), field_id(request)
    chosen: Any = sent.get(id_)
    if chosen is None:
        raise Faults([fault(f"values.{id_}", "missing_required")])
    if id_ == "option_id" or _is_multiple(request):
        return sent
    if not isinstance(chosen, list):
        raise Faults([fault(f"values.{id_}", "wrong_type.list")])
    items = cast("list[Any]", chosen)
    if len(items) > 1:
        raise Faults([fault(f"values.{id_}", "too_many", max=1)])
    return {**sent, id_: items[0] if items else None}


def _is_multiple(request: InputRequest) -> bool:
    return request.form is not None and request.form.all_fields[0].type == "multiselect"


def _object(body: object) -> Json:
    if not isinstance(body, dict):
        raise Faults([fault("", "wrong_type.object")])
    return cast("Json", body)
