"""Nebo's agent tool, `agent(resource: message, action: ask, …)`: its JSON Schema, and a function that runs it."""

from __future__ import annotations

from typing import Any, Literal

from askback.compat.nebo.frames import NO_UI, end_text, refusal_text
from askback.compat.nebo.widgets import FIELDS, Ask, read_ask, write_value
from askback.compat.system import Json
from askback.domain.faults import Faults
from askback.domain.validation.structure import parse
from askback.errors import Invalid, NotAnswered
from askback.messages import DEFAULT_LOCALE, render

_TEXT = {"type": "string"}
_WIDGET = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": [*FIELDS]},
        "label": _TEXT,
        "options": {
            "type": "array",
            "items": _TEXT,
            "description": "Needed for all types but confirm, which has Yes and No. In a checkbox, without commas.",
        },
        "default": {**_TEXT, "description": "The option that is selected at first."},
    },
    "required": ["type"],
    "additionalProperties": False,
}
AGENT_TOOL: Json = {
    "name": "agent",
    "description": (
        "Ask the user a question and wait for the answer. Without widgets the user chooses Yes or No. "
        "With several widgets the first one that the user submits answers."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "resource": {"const": "message"},
            "action": {"const": "ask"},
            "prompt": {**_TEXT, "description": "The question."},
            "text": {**_TEXT, "description": "The same as prompt."},
            "widgets": {"type": "array", "items": _WIDGET},
        },
        "required": ["resource", "action"],
        "anyOf": [{"required": ["prompt"]}, {"required": ["text"]}],
        "additionalProperties": False,
    },
}


async def agent(
    client: Any,
    *,
    resource: str = "message",
    action: str = "ask",
    thread_id: str | None = None,
    require_client: Literal["durable", "wait", "fail_fast"] = "durable",
    **arguments: Any,
) -> str:
    """Run the tool over an `AsyncClient` with what a model sent, and return its result for the model.

    An error is a text that begins with `Error`. `arguments` are `prompt` or `text`, and `widgets`. Without a client,
    and with `require_client="fail_fast"` where nobody has a page open, it is an error at once.
    """
    if (resource, action) != ("message", "ask"):
        return f"Error: unknown action: {resource[:100]} {action[:100]}"
    if client is None:
        return f"Error: {NO_UI}"
    try:
        form = read_ask(parse(Ask, arguments))
        answer = await client.form(form, thread_id=thread_id, repeat="ask", require_client=require_client)
    except Faults as refused:
        found = [
            {"path": f.path, "code": f.code, "message": render(f, DEFAULT_LOCALE)} for f in refused.faults
        ]
        return f"Error: {refusal_text({'field_errors': found})}"
    except Invalid as refused:
        return f"Error: {refusal_text({'field_errors': refused.field_errors, 'message': refused.message})}"
    except NotAnswered as ended:
        why = end_text({"status": str(ended.request.status), "reason": ended.request.reason})
        return f"Error: {why}" if why == NO_UI else f"Error waiting for user response: {why}"
    return write_value([{"id": each["id"]} for each in form["fields"]], answer.values)
