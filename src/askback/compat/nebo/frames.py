"""The frames of Nebo's hub: what people send and get, and the ids of runs and requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from askback.compat.nebo.widgets import SKIP, write_ask, write_value
from askback.domain.faults import rename_path
from askback.ports.systems import Api, Json

NO_UI = "Interactive prompts require the web UI"
NO_AGENT = "No agent connected. Make sure nebo is running."
CANCELED = "context canceled"
DEADLINE = "context deadline exceeded"

_PLACES = (
    (r"form\.(title|description)(?=$|\.)", "prompt"),
    (r"form\.fields(?=$|\[)", "widgets"),
    (r"approval\.(?=tool|input)", ""),
    (r"(values\.\w+(\[\d+\])?|reason)$", "value"),
    (r"external_id$", "id"),
    (r"message_id$", "run_id"),
    (r"thread_id$", "session_id"),
    (r"scope$", "always"),
)
"""Places in our bodies, and where they are in Nebo's frames."""
_RUN = re.compile(r"chat-[0-9a-f]{32}-(.+)", re.DOTALL)


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
    if (asked := request.get("approval")) is not None:
        return message("approval_request", request_id=shown_as, tool=asked["tool"], input=asked["input"])
    ask = write_ask(request)
    return None if ask is None else message("ask_request", request_id=shown_as, **ask)


def response(request: Json, *, skipped: str = SKIP) -> tuple[str, Json] | None:
    """Return the type and the content of the frame that has an answer; None for an end without one."""
    if request["kind"] == "form" and request.get("reason") == "skipped":
        return "ask_response", {"value": skipped}
    if request["status"] != "answered":
        return None
    answer = request["answer"]
    if request["kind"] == "form":
        return "ask_response", {"value": write_value(request["form"]["fields"], answer["values"])}
    approved = answer["decision"] == "approve"
    return "approval_response", {"approved": approved, "always": approved and answer.get("scope") == "always"}


def session_of(run: str) -> str | None:
    """Return the session of a run with an id of ours."""
    return found[1] if (found := _RUN.fullmatch(run)) else None


async def public_id(api: Api, request: Json) -> str:
    """Return the id under which people see a request: the agent's own, unless another request had it first."""
    own = request.get("external_id")
    return own if own and (await first_with(api, own))["id"] == request["id"] else request["id"]


async def first_with(api: Api, named: str) -> Json:
    """Return the oldest request with an id that its agent chose, else the one with this id."""
    found = await api.requests(external_id=named) if named else []
    return found[0] if found else await api.call("get_request", request_id=named)


def refusal_text(error: Mapping[str, Any]) -> str:
    """Return a refusal of the native API as one text, with the place in the frame and the code of each fault."""
    texts = {
        f"{rename_path(each['path'], _PLACES)}: {each['message']} [{each['code']}]".removeprefix(": "): None
        for each in error.get("field_errors", ())
    }
    return "; ".join(texts) or error["message"]


def end_text(request: Json) -> str:
    """Return the error for a request that ended without an answer."""
    if request.get("reason") == "not_shown":
        return NO_UI
    return DEADLINE if request["status"] == "expired" else CANCELED
