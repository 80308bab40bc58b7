"""A request as iHub's `clarification`, in the shape of its document or of today's client; answers as messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, cast

from askback.compat.ihub.question import FIELD, TYPES
from askback.compat.open_requests import open_requests
from askback.compat.system import Api, Json
from askback.messages import DEFAULT_LOCALE, number_text, translate
from askback.messages.languages import choose

Style = Literal["snake", "camel"]
SKIPPED = translate("message.skipped", DEFAULT_LOCALE)
_TYPES = {**{each: each for each in TYPES}, "textarea": "text", "radio": "select"}
_CAMEL = {
    "input_type": "inputType", "allow_skip": "allowSkip", "allow_other": "allowOther",
    "select": "single_select", "confirm": "single_select", "multiselect": "multi_select",
}  # fmt: skip
_RULE = re.compile(r"(pattern|min|max)(_length|_choices)?")


def field_of(request: Mapping[str, Any]) -> Json | None:
    """Return the field of a request that iHub can show: the only one, called `answer`, of a type that iHub has."""
    form: Json = request.get("form") or {}
    fields: Sequence[Json] = form.get("fields") or ()
    if len(fields) != 1 or fields[0]["id"] != FIELD or fields[0]["type"] not in _TYPES:
        return None
    return None if fields[0].get("sensitive") or fields[0].get("options_from") else fields[0]


async def open_questions(api: Api, chat: str) -> Sequence[Json]:
    """Return the questions of a chat that are open, the oldest first."""
    return [each for each in await open_requests(api, thread_id=chat, kind="form") if field_of(each)]


def clarification(request: Mapping[str, Any], *, style: Style, locale: str) -> Json | None:
    """Return the data of a question's event, without the names of the event and the chat; None for another request."""
    if (field := field_of(request)) is None:
        return None

    def text(of: Any) -> str:
        return choose(of, (locale,))

    form = request["form"]
    type_ = "confirm" if field.get("widget") == "confirm" else _TYPES[field["type"]]
    said: Json = {
        "toolCallId": request.get("tool_call_id"),
        "question": text(form.get("title") or field.get("label")),
        "input_type": type_,
        "allow_skip": form.get("allow_skip", False),
        "clarificationNumber": request.get("ordinal"),
        "maxClarifications": request.get("of"),
        "timestamp": request["created_at"],
    }
    if style == "camel" or field.get("allow_other"):
        said["allow_other"] = field.get("allow_other", False)
    if "options" in field:
        said["options"] = [
            {"label": text(each["label"]), "value": each["value"]} for each in field["options"]
        ]
    for name, own in (("placeholder", field.get("placeholder")), ("context", form.get("description"))):
        if own is not None:
            said[name] = text(own)
    rules = {found[1]: value for name, value in field.items() if (found := _RULE.fullmatch(name))}
    if messages := field.get("messages"):
        rules["message"] = text(next(iter(messages.values())))
    if rules:
        said["validation"] = rules
    if style == "snake":
        return said
    said["input_type"] = _CAMEL.get(type_, type_)
    return {"questionId": request["id"], **{_CAMEL.get(name, name): value for name, value in said.items()}}


def user_messages(thread: Mapping[str, Any]) -> Sequence[Json]:
    """Return what people wrote and answered in a thread, in its order, as iHub's chat has it.

    The answer to a question is known by its message too, where the thread has answers as messages.
    """
    said: list[tuple[str, Json]] = []
    answered: set[str] = set()
    for request in thread["requests"]:
        if request["status"] in ("answered", "declined") and field_of(request):
            answered.add(request["id"])
            said.append((request["settled_at"], _answer(request)))
    for each in thread["messages"]:
        if each["role"] == "user" and each.get("request_id") not in answered:
            text = {"role": "user", "content": text_of(each, "\n"), "messageId": each["id"]}
            said.append((each["at"], text))
    return [message for _, message in sorted(said, key=itemgetter(0))]


def _answer(request: Mapping[str, Any]) -> Json:
    skipped = request["status"] == "declined"
    value = None if skipped else request["answer"]["values"].get(FIELD)
    response = {
        "questionId": request.get("tool_call_id") or request["id"],
        "value": value,
        "skipped": skipped,
    }
    content = SKIPPED if skipped else _javascript_text(value)
    return {"role": "user", "content": content, "clarificationResponse": response}


def text_of(message: Mapping[str, Any], separator: str) -> str:
    """Return the text of a message, with a separator between its parts."""
    return separator.join(part["text"] for part in message["content"] if part["type"] == "text")


def _javascript_text(value: object) -> str:
    """Return `String(value)` of JavaScript."""
    if isinstance(value, list):
        return ",".join(map(_javascript_text, cast("list[object]", value)))
    return number_text(value) if isinstance(value, int | float) else str(value)
