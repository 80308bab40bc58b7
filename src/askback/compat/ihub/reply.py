"""A message of a person in iHub's chat: the answer to a question, or a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from pydantic import Field

from askback.compat.ihub.question import FIELD
from askback.compat.system import Json
from askback.domain.faults import Faults, fault
from askback.domain.model import Model
from askback.domain.validation.structure import parse

_YES_NO = {True: "Yes", False: "No"}


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
        if self.skipped:
            if self.value is not None or self.other is not None:
                raise Faults([fault("skipped", "contradiction.skipped")])
            return None
        if self.other is not None:
            return {FIELD: self._own_words(self.other, field)}
        if self.value is None:
            raise Faults([fault("value", "missing_required")])
        is_switch = field.get("widget") == "confirm" and isinstance(self.value, bool)
        return {FIELD: _YES_NO[self.value] if is_switch else self.value}

    def _own_words(self, other: str, field: Mapping[str, Any]) -> object:
        if not field.get("allow_other"):
            raise Faults([fault("other", "other_not_allowed")])
        if not other.strip():
            raise Faults([fault("other", "empty.other")])
        if field["type"] != "multiselect":
            if self.value is not None:
                raise Faults([fault("other", "contradiction.other")])
            return other
        chosen: object = [] if self.value is None else self.value
        if not isinstance(chosen, list):
            raise Faults([fault("value", "wrong_type.answer_options")])
        return [*cast("list[object]", chosen), other]


class Parameters(Model, extra="ignore"):
    """What may have the answer to a question."""

    answer: dict[str, Any] | None = Field(default=None, alias="clarificationResponse")


class Message(Parameters, extra="ignore"):
    """The last message, without its text."""

    role: Literal["user"] = "user"


class Sent(Parameters, extra="ignore"):
    """What a page sends; the answer is in the last message, in the parameters, or beside the messages."""

    messages: list[dict[str, Any]]
    params: Parameters | None = None


def last_message(body: object) -> tuple[Json, Json | None, str]:
    """Return the last message of `{messages, params?}`, the answer to a question, and the path of the message.

    Raises `Faults`.
    """
    sent = parse(Sent, body)
    if not sent.messages:
        raise Faults([fault("messages", "empty.list")])
    path, message = f"messages[{len(sent.messages) - 1}]", sent.messages[-1]
    try:
        answer = parse(Message, message).answer
    except Faults as found:
        raise Faults([replace(each, path=f"{path}.{each.path}") for each in found.faults]) from None
    if answer is None:
        answer = (sent.params.answer if sent.params else None) or sent.answer
    return message, answer, path


def text_message(message: Mapping[str, Any]) -> Json:
    """Return a text as the body of a native message."""
    text = {"text": message["content"]} if message.get("content") is not None else {}
    return {"id": message.get("messageId"), "content": [{"type": "text", **text}]}


def in_message(found: Faults, path: str) -> Faults:
    """Return the faults of a native message as faults of iHub's, which is at a path."""
    names = {"id": "messageId", "content[0].text": "content"}
    return Faults([replace(each, path=f"{path}.{names.get(each.path, each.path)}") for each in found.faults])


def in_answer(found: Faults, answer: Response) -> Faults:
    """Return the faults of a native answer as faults of iHub's."""
    return Faults([replace(each, **_place(each.path, each.code, answer)) for each in found.faults])


def _place(path: str, code: str, answer: Response) -> Json:
    if code == "skip_not_allowed":
        return {"path": "skipped"}
    if answer.value is None and answer.other is not None:
        return {"path": "other"}
    if path == "values":  # there is one question: the empty answer is its value
        return {"path": "value"}
    if code == "required_missing" and answer.value == []:
        return {"path": "value", "code": "too_few", "key": "too_few.choices", "params": {"min": 1}}
    place = path.replace(f"values.{FIELD}", "value", 1)
    return {"path": "value" if code == "duplicate_selection" else place}
