"""The frames of Nebo's hub: what people send and get, and the ids of runs and requests."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from askback.compat.nebo.widgets import write_ask, write_value
from askback.compat.system import Api, Json
from askback.domain.lifecycle import Status

PROMPT_REQUIRED = "'prompt' (or 'text') is required for ask action"
NO_UI = "Interactive prompts require the web UI"
NO_AGENT = "No agent connected. Make sure nebo is running."
CANCELED = "context canceled"
DEADLINE = "context deadline exceeded"

_PLACES = (
    (re.compile(r"form\.(title|description)(?=$|\.)"), "prompt"),
    (re.compile(r"form\.fields(?=$|\[)"), "widgets"),
    (re.compile(r"(approval\.)(?=tool|input)"), ""),
    (re.compile(r"values\.\w+(\[\d+\])?$"), "value"),
    (re.compile(r"external_id$"), "id"),
    (re.compile(r"(thread_id|append_to)$"), "session_id"),
    (re.compile(r"scope$"), "always"),
)
OPEN = frozenset({Status.PENDING, Status.RESOLVING})
_RUN = re.compile(r"chat-[0-9a-f]{32}-(.+)", re.DOTALL)
MAX_ID = 200


def members(frame: Json) -> Json | None:
    """Return what a person sent, in any of Nebo's shapes: below `data`, below `payload` with `id`, or flat."""
    flat = {name: value for name, value in frame.items() if name not in {"type", "id", "timestamp"}}
    inner = flat.get("data", flat.get("payload", flat))
    ids = {"request_id": frame["id"]} if "id" in frame else {}
    return {**ids, **cast("Json", inner)} if isinstance(inner, dict) else None


def message(kind: str, **data: Any) -> Json:
    """Return a frame for people; one about a request has its id at the top as well."""
    ids = {"id": data["request_id"]} if "request_id" in data else {}
    content = {"data": data} if data else {}
    return {"type": kind, **ids, **content, "timestamp": datetime.now(UTC).isoformat()}


def request_frame(request: Json, shown_as: str) -> Json | None:
    """Return the frame that shows a request; None for one that Nebo's page cannot show."""
    if request["kind"] == "approval":
        call = {name: request["approval"][name] for name in ("tool", "input")}
        return message("approval_request", request_id=shown_as, **call)
    ask = write_ask(request)
    return None if ask is None else message("ask_request", request_id=shown_as, **ask)


def response(request: Json) -> tuple[str, Json]:
    """Return the type and the content of the frame that has an answer."""
    answer = request["answer"]
    if request["kind"] == "form":
        return "ask_response", {"value": write_value(request["form"]["fields"], answer["values"])}
    approved = answer["decision"] == "approve"
    always = approved and answer.get("scope") == "always"
    return "approval_response", {"approved": approved, "always": always}


def new_run(session: str) -> str:
    """Return an id for a run, with its session: an agent that comes back needs no other record of it."""
    return f"chat-{uuid.uuid4().hex}-{session}"


def session_of(run: str) -> str | None:
    """Return the session of a run with an id of ours."""
    found = _RUN.fullmatch(run)
    return None if found is None else found[1]


async def public_id(api: Api, request: Json) -> str:
    """Return the id under which people see a request: the agent's own, unless another request had it first."""
    own = request.get("external_id")
    return own if own and (await first_with(api, own))["id"] == request["id"] else request["id"]


async def first_with(api: Api, named: str) -> Json:
    """Return the oldest request with an id that its agent chose, else the one with this id."""
    found = await list_all(api, external_id=named) if 0 < len(named) <= MAX_ID else []
    return found[-1] if found else await api.call("get_request", request_id=named)


async def list_all(api: Api, **filters: Any) -> list[Json]:
    """Return the requests that the caller may see, newest first."""
    found, cursor = list[Json](), None
    while True:
        page = await api.call("list_requests", limit=200, cursor=cursor, **filters)
        found += page["requests"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def refusal_text(error: Mapping[str, Any]) -> str:
    """Return a refusal of the native API as one text, with the place in the frame and the code of each fault."""
    faults = [(_place(each["path"]), each) for each in error.get("field_errors", ())]
    if any(place == "prompt" and each["code"] in {"missing_required", "empty"} for place, each in faults):
        return PROMPT_REQUIRED
    texts = [f"{place + ': ' if place else ''}{each['message']} [{each['code']}]" for place, each in faults]
    return "; ".join(texts) or error["message"]


def end_text(request: Json) -> str:
    """Return the error for a request that ended without an answer."""
    if request.get("reason") == "not_shown":
        return NO_UI
    return DEADLINE if request["status"] == "expired" else CANCELED


def _place(path: str) -> str:
    for pattern, place in _PLACES:
        if (found := pattern.match(path)) is not None:
            return place + path[found.end() :]
    return path
