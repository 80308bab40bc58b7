"""The people's side: questions as `clarification`, in the shape of iHub's document or of today's client; answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Literal, cast

from pydantic import Field

from askback.compat.ihub.calls import FIELD, TYPES
from askback.compat.keys import key_of
from askback.domain.faults import Fault, Faults, rename_path, require
from askback.domain.lifecycle import Status
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.messages import DEFAULT_LOCALE, number_text, translate
from askback.messages.languages import choose
from askback.ports.systems import Api, ApiCall, Json, JsonReply

KeyStyle = Literal["snake", "camel"]
SKIPPED = translate("message.skipped", DEFAULT_LOCALE)
_TYPES = {**{item: item for item in TYPES}, "textarea": "text", "radio": "select"}
_CAMEL = {
    "input_type": "inputType", "allow_skip": "allowSkip", "allow_other": "allowOther",
    "select": "single_select", "confirm": "single_select", "multiselect": "multi_select",
}  # fmt: skip
_ANSWERED = ("answered", "declined")
_RULE = re.compile(r"(pattern|min|max)(_length|_choices)?")
_ANSWER_PATHS = ((r"reason", "skipped"), (r"values(\.answer)?", "value"))
_TEXT_PATHS = ((r"id|Idempotency-Key", "messageId"), (r"content\[0\]\.text", "content"), ("", ""))


def field_of(request: Mapping[str, Any]) -> Json | None:
    """Return the field of a request that iHub can show: the only one, called `answer`, of a type that iHub has."""
    form: Json = request.get("form") or {}
    fields: Sequence[Json] = form.get("fields") or ()
    if len(fields) != 1 or fields[0]["id"] != FIELD or fields[0]["type"] not in _TYPES:
        return None
    return None if fields[0].get("sensitive") or fields[0].get("options_from") else fields[0]


async def open_questions(api: Api, chat: str) -> Sequence[Json]:
    """Return the questions of a chat that are open, the oldest first."""
    return [request for request in await api.open_requests(thread_id=chat, kind="form") if field_of(request)]


def clarification(request: Mapping[str, Any], *, style: KeyStyle, locale: str) -> Json | None:
    """Return the data of a question's event, without the names of the event and the chat; None for another request."""
    if (field := field_of(request)) is None:
        return None

    def text(of: Any) -> str:
        return choose(of, (locale,))

    form, options = request["form"], field.get("options", ())
    type_ = "confirm" if field.get("widget") == "confirm" else _TYPES[field["type"]]
    rules = {match[1]: value for name, value in field.items() if (match := _RULE.fullmatch(name))}
    if messages := field.get("messages"):
        rules["message"] = text(next(iter(messages.values())))
    question, id_ = text(form.get("title") or field.get("label")), request.get("tool_call_id")
    members: Json = {"toolCallId": id_, "question": question, "allow_skip": form.get("allow_skip", False)}
    members |= {"input_type": type_ if style == "snake" else _CAMEL.get(type_, type_)}
    members |= {"clarificationNumber": request.get("ordinal"), "maxClarifications": request.get("of")}
    extras = {"placeholder": text(field.get("placeholder")), "context": text(form.get("description"))}
    extras |= {"options": [{"label": text(option["label"]), "value": option["value"]} for option in options]}
    members |= {name: member for name, member in {**extras, "validation": rules}.items() if member}
    if style == "camel" or field.get("allow_other"):
        members["allow_other"] = field.get("allow_other", False)
    members["timestamp"] = request["created_at"]
    if style == "snake":
        return members
    return {"questionId": request["id"], **{_CAMEL.get(name, name): value for name, value in members.items()}}


def user_messages(thread: Mapping[str, Any]) -> Sequence[Json]:
    """Return what people wrote and answered in a thread, in its order, as iHub's chat has it.

    The answer to a question is known by its message too, where the thread has answers as messages.
    """
    requests = [item for item in thread["requests"] if item["status"] in _ANSWERED and field_of(item)]
    messages = [(request["settled_at"], _answer_message(request)) for request in requests]
    ids = {request["id"] for request in requests}
    for entry in thread["messages"]:
        if entry["role"] == "user" and entry.get("request_id") not in ids:
            text = {"role": "user", "content": text_of(entry, "\n"), "messageId": entry["id"]}
            messages.append((entry["at"], text))
    return [message for _, message in sorted(messages, key=itemgetter(0))]


def _answer_message(request: Mapping[str, Any]) -> Json:
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


class Response(Model):
    """The answer to a question: options, free text, both, or neither."""

    question_id: str = Field(alias="questionId")
    value: Any = None
    other: str | None = None
    skipped: bool | None = None
    answered: Any = None
    text: Any = Field(default=None, alias="displayText")

    def read(self, field: Mapping[str, Any]) -> Json | None:
        """Return the values of the answer, or None where it skips the question; raises `Faults`."""
        value, other = self.value, self.other
        if self.skipped:
            require(value in (None, "", []) and not other, "skipped", "contradiction.skipped")
            return None
        if other is None:
            require(value is not None, "value", "missing_required")
            is_empty = value == [] and field["type"] == "multiselect" and field.get("required")
            require(not is_empty, "value", "too_few.choices", min=1)
            switch = isinstance(value, bool) and field.get("widget") == "confirm"
            return {FIELD: "Yes" if switch and value else "No" if switch else value}
        require(field.get("allow_other"), "other", "other_not_allowed")
        require(other.strip(), "other", "empty.other")
        if field["type"] == "multiselect":
            require(isinstance(value, list | None), "value", "wrong_type.answer_options")
            return {FIELD: [*(value or []), other]}
        require(value is None, "other", "contradiction.other")
        return {FIELD: other}


class Parameters(Model, extra="ignore"):
    """A message that may contain the answer to a question."""

    answer: dict[str, Any] | None = Field(default=None, alias="clarificationResponse")


class Message(Parameters, extra="ignore"):
    """The last message, without its text."""

    role: Literal["user"] = "user"


class PageBody(Parameters, extra="ignore"):
    """The body that a page sends; the answer is in the last message, in the parameters, or next to the messages."""

    messages: list[dict[str, Any]]
    params: Parameters = Parameters()


async def send(call: ApiCall) -> JsonReply:
    """Take the last message of `{messages, params?}`."""
    api, chat, payload = call.api, call.path["chat"], parse(PageBody, call.json())
    require(payload.messages, "messages", "empty.list")
    path, message = f"messages[{len(payload.messages) - 1}]", payload.messages[-1]
    try:
        places = (parse(Message, message), payload.params, payload)
        answer = next((item.answer for item in places if item.answer is not None), None)
        if answer is None:
            await _write(api, chat, message)
    except Faults as found:
        raise found.with_paths([(pattern, f"{path}.{name}") for pattern, name in _TEXT_PATHS]) from None
    if answer is not None:
        id_ = message.get("messageId")
        key = key_of("ihub", chat, id_) if isinstance(id_, str) else None
        await _answer(api, chat, parse(Response, answer), key=key)
    return JsonReply({"status": "streaming", "chatId": chat})


async def _write(api: Api, chat: str, message: Json) -> None:
    if await open_questions(api, chat):
        raise Conflict(translate("ui.composer.answer_first", api.locale), code="answer_first")
    text = {"text": message["content"]} if message.get("content") is not None else {}
    body = {"id": message.get("messageId"), "content": [{"type": "text", **text}]}
    await api.call("post_message", body, thread_id=chat)


async def _answer(api: Api, chat: str, answer: Response, *, key: str | None) -> None:
    request = await _find(api, chat, answer.question_id)
    try:
        values = answer.read(request["form"]["fields"][0])
        if values is None:
            await api.call("decline_request", {"reason": "skipped"}, request_id=request["id"], key=key)
        else:
            body = {"revision": request["revision"], "values": values}
            await api.call("answer_request", body, request_id=request["id"], key=key)
    except Faults as found:
        raise Faults([replace(fault, path=_answer_path(fault, answer)) for fault in found.faults]) from None


def _answer_path(fault: Fault, answer: Response) -> str:
    """Return the place in an answer of a fault of a native one."""
    if answer.value is None and answer.other is not None:
        return "other"
    if fault.code == "duplicate_selection":
        return "value"
    return rename_path(fault.path, _ANSWER_PATHS)


async def _find(api: Api, chat: str, question_id: str) -> Json:
    """Return the question with our id or that of the tool call; of several calls with one id, the open or newest."""
    named = (await api.call("list_requests", thread_id=chat, tool_call_id=question_id))["requests"]
    if not named:
        request = await api.call("get_request", request_id=question_id)
        named = [request] if request["thread_id"] == chat else []
    requests = sorted(filter(field_of, named), key=lambda request: request["status"] != Status.PENDING)
    if not requests:
        raise NotFound("There is no such question in this chat.")
    return requests[0]
