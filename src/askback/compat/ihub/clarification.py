"""A request as iHub's `clarification`, in the shape of its document or of today's client; answers as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from askback.compat.ihub.question import FIELD
from askback.compat.system import Json
from askback.messages import DEFAULT_LOCALE, number_text, translate
from askback.messages.languages import choose

Style = Literal["snake", "camel"]
SKIPPED = translate("message.skipped", DEFAULT_LOCALE)
_TYPES = {
    "text": "text", "textarea": "text", "number": "number", "date": "date",
    "select": "select", "radio": "select", "multiselect": "multiselect",
}  # fmt: skip
_CAMEL = {
    "input_type": "inputType", "allow_skip": "allowSkip", "allow_other": "allowOther",
    "select": "single_select", "confirm": "single_select", "multiselect": "multi_select",
}  # fmt: skip
_BOUNDS = ("", "_length", "_choices")


def is_question(request: Mapping[str, Any]) -> bool:
    """Whether iHub can show a request: a form with one field called `answer`, of a type that it has."""
    return _field(request) is not None


def clarification(request: Mapping[str, Any], *, style: Style, locale: str) -> Json:
    """Return the data of the event of a request that `is_question`, without the names of the event and the chat."""
    form, field = request["form"], _field(request)
    assert field is not None
    said: Json = {
        "toolCallId": request.get("tool_call_id"),
        "question": choose(form.get("title") or field.get("label"), (locale,)),
        "input_type": "confirm" if field.get("widget") == "confirm" else _TYPES[field["type"]],
        "allow_skip": form.get("allow_skip", False),
        "clarificationNumber": request.get("ordinal"),
        "maxClarifications": request.get("of"),
        "timestamp": request["created_at"],
    }
    if style == "camel" or field.get("allow_other"):
        said["allow_other"] = field.get("allow_other", False)
    if "options" in field:
        said["options"] = [
            {"label": choose(each["label"], (locale,)), "value": each["value"]} for each in field["options"]
        ]
    for name, holder, native in (("placeholder", field, "placeholder"), ("context", form, "description")):
        if native in holder:
            said[name] = choose(holder[native], (locale,))
    if rules := _validation(field, locale):
        said["validation"] = rules
    if style == "snake":
        return said
    said["input_type"] = _CAMEL.get(said["input_type"], said["input_type"])
    return {"questionId": request["id"], **{_CAMEL.get(name, name): value for name, value in said.items()}}


def user_messages(thread: Mapping[str, Any]) -> Sequence[Json]:
    """Return what people wrote and answered in a thread, in its order, as iHub's chat has it.

    The answer to a question is known by its message too, where the thread has answers as messages.
    """
    answers = {request["id"]: answer for request in thread["requests"] if (answer := _answer(request))}
    texts = [
        _text(each)
        for each in thread["messages"]
        if each["role"] == "user" and each.get("request_id") not in answers
    ]
    return [message for _, message in sorted([*answers.values(), *texts], key=lambda each: each[0])]


def _field(request: Mapping[str, Any]) -> Json | None:
    form: Json = request.get("form") or {}
    fields: Sequence[Json] = form.get("fields") or ()
    if len(fields) != 1 or fields[0]["id"] != FIELD or fields[0].get("sensitive"):
        return None
    return fields[0] if fields[0]["type"] in _TYPES else None


def _validation(field: Json, locale: str) -> Json:
    names = ("pattern", *(f"{name}{bound}" for name in ("min", "max") for bound in _BOUNDS))
    rules = {name.partition("_")[0]: field[name] for name in names if field.get(name) is not None}
    if messages := field.get("messages"):
        rules["message"] = choose(next(iter(messages.values())), (locale,))
    return rules


def _answer(request: Mapping[str, Any]) -> tuple[str, Json] | None:
    if not is_question(request) or request["status"] not in ("answered", "declined"):
        return None
    skipped = request["status"] == "declined"
    value = None if skipped else request["answer"]["values"].get(FIELD)
    said = {"questionId": request.get("tool_call_id") or request["id"], "value": value, "skipped": skipped}
    content = SKIPPED if skipped else _javascript_text(value)
    return request["settled_at"], {"role": "user", "content": content, "clarificationResponse": said}


def _text(message: Mapping[str, Any]) -> tuple[str, Json]:
    content = text_of(message, "\n")
    return message["at"], {"role": "user", "content": content, "messageId": message["id"]}


def text_of(message: Mapping[str, Any], separator: str) -> str:
    """Return the text of a message, with a separator between its parts."""
    return separator.join(part["text"] for part in message["content"] if part["type"] == "text")


def _javascript_text(value: object) -> str:
    """Return `String(value)` of JavaScript."""
    if isinstance(value, list):
        return ",".join(map(_javascript_text, cast("list[object]", value)))
    return number_text(value) if isinstance(value, int | float) else str(value)
