"""The page's view of widgets, and a person's actions on them. The value of a secret goes to the store unread."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import cast

from askback.compat.agor.asking import TOOLS
from askback.compat.agor.widgets import TEXTS, Widget, read_widget, refuse
from askback.domain import jsontext
from askback.domain.faults import Fault, Faults, require
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.secret import RawBody
from askback.domain.validation.report import MAX_FAULTS
from askback.errors import Conflict, Forbidden, Gone, NotFound
from askback.ports.systems import Api, ApiCall, EventStream, Json, JsonReply, StreamEvent

SUBMIT, DISMISS, OAUTH = "submit", "dismiss", "oauth_callback"
RESOLVED_BY = {"oauth": OAUTH}
"""What resolves a type of widget, if not `submit`."""
_PATHS = [("secrets", "values"), (r"values\.", "")]
RESOLVED = "widget:resolved"
PAGE = 200
"""The most messages of a reply: the newest ones."""


async def message(call: ApiCall) -> JsonReply:
    """`GET /messages/{widget}`."""
    return JsonReply((await find(call)).message())


async def messages(call: ApiCall) -> JsonReply:
    """`GET /messages?session_id=`: the widgets of a session, the oldest first."""
    session = call.query.get("session_id")
    require(session, "session_id", "missing_required")
    page = await call.api.call("list_requests", thread_id=session, limit=PAGE)
    widgets = map(read_widget, reversed(page["requests"]))
    return JsonReply({"data": [widget.message() for widget in widgets if widget.type]})


async def events(call: ApiCall) -> EventStream:
    """`GET /sessions/{session}/events`: each widget that ends from now on, or after `last-event-id`."""
    session = call.path["session"]
    await call.api.call("get_thread", thread_id=session)  # raises before the stream begins
    id_ = call.header("last-event-id") or ""
    after = int(id_) if id_.isascii() and id_.isdecimal() and len(id_) < 16 else None
    return EventStream(_events(call.api, session, after))


async def _events(api: Api, session: str, after: int | None) -> AsyncIterator[StreamEvent]:
    async with api.watch(session, after=after) as changes:
        async for change in changes:
            if "request" in change:
                widget = read_widget(change["request"])
                ended = change["type"] == f"request.{widget.request.status}" and widget.request.settled
                if ended and widget.type:
                    yield StreamEvent(RESOLVED, widget.resolved(), str(change["seq"]))


async def submit(call: ApiCall) -> JsonReply:
    """`POST /widgets/{widget}/submit`."""
    widget = await _open(call, SUBMIT)
    revision, secret = widget.request.revision, widget.request.secret
    try:
        if secret is not None:
            body: object = call.body().read(lambda text: _submission(text, revision, secret.names))
        else:
            body = {"revision": revision, "values": _values(call.json(), widget)}
        return await _resolve(call, SUBMIT, "answer_request", body)
    except Faults as error:
        status, reply = refuse(call.api.explain(error.with_paths(_PATHS)))
        return JsonReply({**reply, "message": f"Invalid submit payload: {reply['message']}"}, status=status)


async def dismiss(call: ApiCall) -> JsonReply:
    """`POST /widgets/{widget}/dismiss`."""
    await _open(call, DISMISS)
    return await _resolve(call, DISMISS, "decline_request", {"reason": "dismissed"})


async def oauth_start(call: ApiCall) -> JsonReply:
    """`POST /widgets/{widget}/oauth-start`: the address at which the person connects the account."""
    return await call.start_oauth((await _open(call, OAUTH)).request.id)


async def oauth_resolve(call: ApiCall) -> JsonReply:
    """`POST /widgets/{widget}/oauth-resolve`: reports the outcome; only the provider's grant resolves it."""
    widget = await find(call)
    _require_action(widget, OAUTH)
    if widget.state == "submitted":
        return JsonReply(widget.outcome())
    _require_open(widget, OAUTH)
    raise Conflict(f"The account at '{widget.params['provider']}' is not connected yet.")


async def find(call: ApiCall) -> Widget:
    """Return the widget of the path; raises `NotFound`."""
    id_ = call.path["widget"]
    try:
        widget = read_widget(await call.api.call("get_request", request_id=id_))
    except NotFound:
        raise NotFound(f"Widget {id_} not found") from None
    if not widget.type:
        raise NotFound(f"Message {id_} is not a widget request")
    return widget


async def _open(call: ApiCall, action: str) -> Widget:
    """Return the widget of the path, which this action can still resolve."""
    widget = await find(call)
    _require_open(widget, action)
    if action != DISMISS:
        _require_action(widget, action)
    return widget


def _require_action(widget: Widget, action: str) -> None:
    if widget.type not in TOOLS:
        raise NotFound(TEXTS["unknown_type"].format(type=widget.type))
    if (needed := RESOLVED_BY.get(widget.type, SUBMIT)) != action:
        raise Conflict(f"Widget type '{widget.type}' is resolved by '{needed}', not '{action}'.")


def _require_open(widget: Widget, action: str) -> None:
    if widget.state != "pending":
        raise Conflict(f"Widget {widget.request.id} is already {widget.state}; cannot {action} again.")


async def _resolve(call: ApiCall, action: str, operation: str, body: object) -> JsonReply:
    try:
        ended = await call.api.call(operation, body, request_id=call.path["widget"])
    except Forbidden:
        raise Forbidden(TEXTS["not_allowed"]) from None
    except (Conflict, Gone):
        await _open(call, action)  # says so if it has ended meanwhile
        raise
    return JsonReply(read_widget(ended).outcome())


def _submission(text: bytes, revision: int, names: Sequence[str]) -> RawBody:
    """Return the native body for `{values, use_existing?, scope?}`, without looking at a value."""
    payload = _object(jsontext.parse(text))
    require(payload.keys() <= {"values", "use_existing", "scope"}, "", "unknown_field.key")
    require("values" in payload or payload.get("use_existing"), "values", "missing_required")
    values = _object(payload.pop("values", {}), "values")
    # Agor says which name nobody asked for; what does not look like one may be a value in the wrong place.
    if unknown := [name for name in values if name not in names and is_well_formed(name)]:
        keys = ["secret_blocked" if blocked_reason(name) else "secret_not_requested" for name in unknown]
        errors = [
            Fault(f"secrets.{name}", "unknown_field", key) for name, key in zip(unknown, keys, strict=True)
        ]
        raise Faults(errors[:MAX_FAULTS])
    return RawBody(json.dumps({**payload, "secrets": values, "revision": revision}).encode())


def _values(body: object, widget: Widget) -> Json:
    """Return the values of a form; one choice of a picker without `multiple` is a list with one item."""
    (name,) = widget.result
    values: Json = {name: None, **_object(body)}
    if widget.params.get("multiple") is False and values[name] not in (None, []):
        require(isinstance(values[name], list), f"values.{name}", "wrong_type.list")
        values[name], *others = values[name]
        require(not others, f"values.{name}", "too_many", max=1)
    return values


def _object(body: object, path: str = "") -> Json:
    require(isinstance(body, dict), path, "wrong_type.object")
    return cast("Json", body)
