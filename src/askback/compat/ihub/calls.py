"""The agent's side: the tool calls of a turn. The first question that can be asked waits, and nothing else runs."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from askback.compat.ihub.question import TOOL, in_words, read_question, repeated
from askback.compat.keys import key_of
from askback.domain import jsontext
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import RateLimited
from askback.ports.systems import Answer, Call, Json

MAX_CLARIFICATIONS = 10
LIMIT_TEXT = (
    f"Maximum clarification limit ({MAX_CLARIFICATIONS}) reached for this conversation. "
    "Please proceed with the available information or make reasonable assumptions."
)
AWAITING = "Clarification request sent to user. Waiting for response."
NOT_RUN = "not run: waiting for user"
NOT_HERE = "not run: only tools that require user input run here"
_PLACES = {"tool_call_id": "id", "thread_id": "chat", "agent.name": "app"}
"""Where the members of a request are here that are no arguments of a question."""


class Function(Model, extra="ignore"):
    """What a model calls; its arguments are JSON, or a text of JSON."""

    name: str
    arguments: Any = Field(default_factory=dict[str, Any])


class ToolCall(Model, extra="ignore"):
    """One call of a model."""

    id: str = Field(min_length=1)
    function: Function


class Tool(Model, extra="ignore"):
    """The record of a tool."""

    id: str
    asks: Any = Field(default=False, alias="requiresUserInput")


class Batch(Model, extra="ignore"):
    """The calls of a turn; `tools` has records of the tools that the model has."""

    tool_calls: list[ToolCall] = Field(max_length=100)
    tools: list[Tool] | None = None


async def tool_calls(call: Call) -> Answer:
    """Ask the first question that can be asked; answer with a result for each call, and the faults of questions."""
    batch = _read_batch(call.json())
    asking = {TOOL, *(each.id for each in batch.tools or () if each.asks is True)}
    results, faults, other = dict[str, Json](), list[Json](), NOT_HERE
    for n, each in enumerate(batch.tool_calls):
        if each.function.name in asking and other != NOT_RUN:
            results[each.id] = await _ask(call, each, f"tool_calls[{n}].id", faults)
            other = NOT_HERE if "error" in results[each.id] else NOT_RUN
    rest = {"status": "not_run", "message": other}
    messages = [_message(each, results.get(each.id, rest)) for each in batch.tool_calls]
    return Answer({"messages": messages, **({"field_errors": faults} if faults else {})})


def _message(call: ToolCall, result: Json) -> Json:
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return {"role": "tool", "tool_call_id": call.id, "name": call.function.name, "content": text}


def _read_batch(body: object) -> Batch:
    batch, report = parse(Batch, body), Report()
    if not batch.tool_calls:
        report.add("tool_calls", "empty.list")
    for n in repeated([each.id for each in batch.tool_calls]):
        report.add(f"tool_calls[{n}].id", "duplicate_id")
    report.finish()
    return batch


async def _ask(call: Call, asking: ToolCall, id_path: str, faults: list[Json]) -> Json:
    """Ask a question and return the result of its call; `faults` gets what is wrong with it."""
    api, app, chat = call.api, call.path["app"], call.path["chat"]
    function, arguments = asking.function, asking.function.arguments
    try:
        arguments = jsontext.parse(arguments) if isinstance(arguments, str) else arguments
        form = read_question(arguments, truncate=call.query.get("truncate") == "true")
        terms = {"delivery": "resume", "repeat": "ask", "agent": {"name": app, "tool": TOOL}}
        terms |= {"question_limit": {"max": MAX_CLARIFICATIONS, "text": LIMIT_TEXT}}
        request = {"kind": "form", "form": form, "thread_id": chat, "tool_call_id": asking.id, **terms}
        # The same call is the same question; many models count their calls anew.
        key = key_of("ihub", chat, asking.id, function.name, form)
        asked = await api.call("create_request", request, key=key)
    except Faults as found:
        if any(each.path in _PLACES for each in found.faults):
            raise found.with_paths([("tool_call_id", id_path), *_PLACES.items()]) from None
        invalid = in_words(found, arguments)
        said = api.explain(invalid).field_errors
        faults += [{"tool_call_id": asking.id, **each} for each in said]
        place = "" if "message" in invalid.faults[0].params else f"{said[0]['path']}: "
        message = f"Invalid clarification request: {place}{said[0]['message']}"
        return {"error": True, "code": "INVALID_CLARIFICATION_PARAMS", "message": message}
    except RateLimited as refused:
        if refused.code != "too_many_questions":
            raise
        return {"error": True, "code": "CLARIFICATION_LIMIT_REACHED", "message": refused.message}
    number = asked.get("ordinal")
    if number == 1:
        await api.call("update_thread", {"answers_as_messages": True}, thread_id=chat)
    return {"status": "awaiting_user_response", "message": AWAITING, "clarificationNumber": number}
