"""A request as iHub's `clarification`, in the shape of its document or of today's client; answers as messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, cast

from askback.compat.ihub.question import FIELD, TYPES
from askback.messages import DEFAULT_LOCALE, number_text, translate
from askback.messages.languages import choose
from askback.ports.systems import Api, Json

Style = Literal["snake", "camel"]
SKIPPED = translate("message.skipped", DEFAULT_LOCALE)
_TYPES = {**{each: each for each in TYPES}, "textarea": "text", "radio": "select"}
_CAMEL = {
    "input_type": "inputType", "allow_skip": "allowSkip", "allow_other": "allowOther",
    "select": "single_select", "confirm": "single_select", "multiselect": "multi_select",
}  # fmt: skip
_ANSWERED = ("answered", "declined")
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
    return [each for each in await api.open_requests(thread_id=chat, kind="form") if field_of(each)]


def clarification(request: Mapping[str, Any], *, style: Style, locale: str) -> Json | None:
    """Return the data of a question's event, without the names of the event and the chat; None for another request."""
    if (field := field_of(request)) is None:
        return None

    def text(of: Any) -> str:
        return choose(of, (locale,))

    form, options = request["form"], field.get("options", ())
    type_ = "confirm" if field.get("widget") == "confirm" else _TYPES[field["type"]]
    rules = {found[1]: value for name, value in field.items() if (found := _RULE.fullmatch(name))}
    if messages := field.get("messages"):
        rules["message"] = text(next(iter(messages.values())))
    question, own = text(form.get("title") or field.get("label")), request.get("tool_call_id")
    said: Json = {"toolCallId": own, "question": question, "allow_skip": form.get("allow_skip", False)}
    said |= {"input_type": type_ if style == "snake" else _CAMEL.get(type_, type_)}
    said |= {"clarificationNumber": request.get("ordinal"), "maxClarifications": request.get("of")}
    more = {"placeholder": text(field.get("placeholder")), "context": text(form.get("description"))}
    more |= {"options": [{"label": text(each["label"]), "value": each["value"]} for each in options]}
    said |= {name: each for name, each in {**more, "validation": rules}.items() if each}
    if style == "camel" or field.get("allow_other"):
        said["allow_other"] = field.get("allow_other", False)
    said["timestamp"] = request["created_at"]
    if style == "snake":
        return said
    return {"questionId": request["id"], **{_CAMEL.get(name, name): value for name, value in said.items()}}


def user_messages(thread: Mapping[str, Any]) -> Sequence[Json]:
    """Return what people wrote and answered in a thread, in its order, as iHub's chat has it.

    The answer to a question is known by its message too, where the thread has answers as messages.
    """
    answered = [each for each in thread["requests"] if each["status"] in _ANSWERED and field_of(each)]
    said = [(each["settled_at"], _answer(each)) for each in answered]
    ids = {each["id"] for each in answered}
    for each in thread["messages"]:
        if each["role"] == "user" and each.get("request_id") not in ids:
            text = {"role": "user", "content": text_of(each, "\n"), "messageId": each["id"]}
            said.append((each["at"], text))
    return [message for _, message in sorted(said, key=itemgetter(0))]


def _answer(request: Mapping[str, Any]) -> Json:
    skipped, id_ = request["status"] == "declined", request.get("tool_call_id") or request["id"]
    value = None if skipped else request["answer"]["values"].get(FIELD)
    content = SKIPPED if skipped else _javascript_text(value)
    response = {"questionId": id_, "value": value, "skipped": skipped}
    return {"role": "user", "content": content, "clarificationResponse": response}


def text_of(message: Mapping[str, Any], separator: str) -> str:
    """Return the text of a message, with a separator between its parts."""
    return separator.join(part["text"] for part in message["content"] if part["type"] == "text")


def _javascript_text(value: object) -> str:
    """Return `String(value)` of JavaScript."""
    if isinstance(value, list):
        return ",".join(map(_javascript_text, cast("list[object]", value)))
    return number_text(value) if isinstance(value, int | float) else str(value)
