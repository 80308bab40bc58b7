"""The tool calls of a turn: the first question that can be asked waits for its answer, and nothing else runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from askback.compat.ihub.question import (
    LIMIT_TEXT,
    MAX_CLARIFICATIONS,
    TOOL,
    in_arguments,
    read_question,
    sentence,
    unreadable,
)
from askback.compat.system import Api, Json
from askback.domain import jsontext
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.errors import RateLimited

MAX_CALLS = 100
AWAITING = "Clarification request sent to user. Waiting for response."
NOT_RUN = "not run: waiting for user"
NOT_HERE = "not run: only tools that require user input run here"


class Function(Model, extra="ignore"):
    """What a model calls; its arguments are JSON, or a text of JSON."""

    name: str
    arguments: Any = Field(default_factory=dict[str, Any])


class ToolCall(Model, extra="ignore"):
    """One call of a model."""

    id: str
    function: Function

    def result(self, content: Json) -> Json:
        """Return the message with the result of this call."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return {"role": "tool", "tool_call_id": self.id, "name": self.function.name, "content": text}


class Tool(Model, extra="ignore"):
    """The record of a tool."""

    id: str
    asks: Any = Field(default=False, alias="requiresUserInput")


class Batch(Model, extra="ignore"):
    """The calls of a turn; `tools` has records of the tools that the model has."""

    tool_calls: list[ToolCall]
    tools: list[Tool] | None = None


def read_batch(body: object) -> Batch:
    """Return the calls of a turn; raises `Faults`."""
    batch, report = parse(Batch, body), Report()
    if not batch.tool_calls:
        report.add("tool_calls", "empty.list")
    if len(batch.tool_calls) > MAX_CALLS:
        report.add("tool_calls", "too_many", max=MAX_CALLS)
    ids = [each.id for each in batch.tool_calls] if not report.faults else []
    for n, id_ in enumerate(ids):
        if not id_ or id_ in ids[:n]:
            report.add(f"tool_calls[{n}].id", "duplicate_id" if id_ else "empty")
    report.finish()
    return batch


async def run_calls(
    api: Api, body: object, *, app: str, chat: str, truncate: bool
) -> tuple[Sequence[Json], Sequence[Json]]:
    """Ask the first question that can be asked; return a result for each call, and the faults of questions."""
    batch = read_batch(body)
    asking = {TOOL, *(each.id for each in batch.tools or () if each.asks is True)}
    results: dict[str, Json] = {}
    faults: list[Json] = []
    for call in batch.tool_calls:
        if call.function.name not in asking:
            continue
        results[call.id] = content = await _ask(api, call, faults, app=app, chat=chat, truncate=truncate)
        if "error" not in content:
            break
    waits = any("error" not in each for each in results.values())
    other = {"status": "not_run", "message": NOT_RUN if waits else NOT_HERE}
    return [call.result(results.get(call.id, other)) for call in batch.tool_calls], faults


async def _ask(api: Api, call: ToolCall, faults: list[Json], *, app: str, chat: str, truncate: bool) -> Json:
    arguments = call.function.arguments
    try:
        arguments = _json(arguments) if isinstance(arguments, str) else arguments
        form = read_question(arguments, truncate=truncate)
    except Faults as found:
        return _invalid(api, call, found, faults)
    try:
        # The same call is the same question; many models count their calls anew.
        key = key_of(chat, call.id, call.function.name, arguments)
        asked = await api.call("create_request", _request(call, form, app=app, chat=chat), key=key)
    except Faults as found:
        if not all(each.path.startswith("form") for each in found.faults):
            raise
        return _invalid(api, call, in_arguments(found), faults)
    except RateLimited as refused:
        if refused.code != "too_many_questions":
            raise
        return {"error": True, "code": "CLARIFICATION_LIMIT_REACHED", "message": refused.message}
    number = asked.get("ordinal")
    if number == 1:
        await api.call("update_thread", {"answers_as_messages": True}, thread_id=chat)
    return {"status": "awaiting_user_response", "message": AWAITING, "clarificationNumber": number}


def _json(text: str) -> Any:
    try:
        return jsontext.parse(text)
    except Faults as found:
        raise unreadable(found) from None


def key_of(*parts: object) -> str:
    """Return the idempotency key for what a client sent."""
    return f"ihub:{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"


def _request(call: ToolCall, form: Json, *, app: str, chat: str) -> Json:
    return {
        "kind": "form",
        "thread_id": chat,
        "tool_call_id": call.id,
        "agent": {"name": app, "tool": TOOL},
        "delivery": "resume",
        "repeat": "ask",
        "question_limit": {"max": MAX_CLARIFICATIONS, "text": LIMIT_TEXT},
        "form": form,
    }


def _invalid(api: Api, call: ToolCall, found: Faults, faults: list[Json]) -> Json:
    said = api.explain(found).field_errors
    faults += [{"tool_call_id": call.id, **each} for each in said]
    text = sentence(found.faults[0], said[0]["message"])
    message = f"Invalid clarification request: {text}"
    return {"error": True, "code": "INVALID_CLARIFICATION_PARAMS", "message": message}
