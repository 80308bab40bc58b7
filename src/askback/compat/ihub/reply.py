"""The people's side: a message of the chat, which is the answer to a question, or a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from askback.compat.ihub.clarification import field_of, open_questions
from askback.compat.ihub.question import FIELD
from askback.compat.keys import key_of
from askback.domain.faults import Fault, Faults, rename_path, require
from askback.domain.lifecycle import Status
from askback.domain.model import Model
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.messages import translate
from askback.ports.systems import Answer, Api, Call, Json

_ANSWER_PATHS = ((r"reason", "skipped"), (r"values(\.answer)?", "value"))
_TEXT_PATHS = ((r"id|Idempotency-Key", "messageId"), (r"content\[0\]\.text", "content"), ("", ""))


class Response(Model):
    """The answer to a question: options, own words beside or in place of them, or neither of them."""

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
            require(value is None and other is None, "skipped", "contradiction.skipped")
            return None
        if other is None:
            require(value is not None, "value", "missing_required")
            require(value != [] or not field.get("required"), "value", "too_few.choices", min=1)
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
    """What may have the answer to a question."""

    answer: dict[str, Any] | None = Field(default=None, alias="clarificationResponse")


class Message(Parameters, extra="ignore"):
    """The last message, without its text."""

    role: Literal["user"] = "user"


class Sent(Parameters, extra="ignore"):
    """What a page sends; the answer is in the last message, in the parameters, or beside the messages."""

    messages: list[dict[str, Any]]
    params: Parameters = Parameters()


async def send(call: Call) -> Answer:
    """Take the last message of `{messages, params?}`."""
    api, chat, sent = call.api, call.path["chat"], parse(Sent, call.json())
    require(sent.messages, "messages", "empty.list")
    at, message = f"messages[{len(sent.messages) - 1}]", sent.messages[-1]
    try:
        places = (parse(Message, message), sent.params, sent)
        answer = next((each.answer for each in places if each.answer is not None), None)
        if answer is None:
            await _write(api, chat, message)
    except Faults as found:
        raise found.with_paths([(pattern, f"{at}.{name}") for pattern, name in _TEXT_PATHS]) from None
    if answer is not None:
        id_ = message.get("messageId")
        key = key_of("ihub", chat, id_) if isinstance(id_, str) else None
        await _answer(api, chat, parse(Response, answer), key=key)
    return Answer({"status": "streaming", "chatId": chat})


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
        raise Faults([replace(each, path=_place(each, answer)) for each in found.faults]) from None


def _place(found: Fault, answer: Response) -> str:
    """Return the place in an answer of a fault of a native one."""
    if answer.value is None and answer.other is not None:
        return "other"
    if found.code == "duplicate_selection":
        return "value"
    return rename_path(found.path, _ANSWER_PATHS)


async def _find(api: Api, chat: str, question_id: str) -> Json:
    """Return the question with our id or that of the tool call; of several calls with one id, the open or newest."""
    named = (await api.call("list_requests", thread_id=chat, tool_call_id=question_id))["requests"]
    if not named:
        request = await api.call("get_request", request_id=question_id)
        named = [request] if request["thread_id"] == chat else []
    found = sorted(filter(field_of, named), key=lambda each: each["status"] != Status.PENDING)
    if not found:
        raise NotFound("There is no such question in this chat.")
    return found[0]
