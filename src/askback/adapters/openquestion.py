"""Questions of programs: a form for any value, or for a value of a JSON Schema, and its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import to_jsonable_python

from askback.client.forms import answer_or_raise, outcome_of
from askback.client.modelform import ModelForm, model_form
from askback.domain.fields import Form, Number, Radio, Text, Textarea
from askback.domain.request import InputRequest

FIELD = "answer"
LABEL, DETAILS = 500, 20_000
"""The maximum length of a question and of its description."""

QUESTION_KEYS = ("question", "message", "prompt", "instruction", "task", "description", "title", "query")
OPEN_QUESTION = re.compile(
    r"(what|which|who|whom|whose|how|when|where|why)\b"
    r"|(please )?(enter|provide|type|describe|write|give|tell|list|specify|explain|name)\b",
    re.IGNORECASE,
)
"""The beginning of a question that cannot be answered by Yes or No."""
NUMBER_QUESTION = re.compile(
    r"^how (many|old)\b|\b(your|their|his|her|its) age\b|\ba ((positive|whole|valid|natural) )?number\b",
    re.IGNORECASE,
)
"""A question whose program expects a number."""
EDIT = re.compile(r"(^|[^a-z])(edit|revise|rewrite|correct|improve)($|[^a-z])", re.IGNORECASE)
"""The wish that a text is changed."""

_YES, _NO = "Yes", "No"


def open_form(value: Any, *, title: str | None = None, yes_no: bool = True) -> Form:
    """Return the form for a value without a schema.

    With `yes_no` its program may want Yes or No, or any text, unless the question asks for a number, for a changed
    text or cannot be answered by Yes or No. With a `title` the whole value is shown below it.
    """
    label, details = title_and_details(value) if title is None else (title, describe_value(value))
    text = text_to_edit(value)
    if yes_no and text is not None:
        field: Text | Textarea | Number | Radio = Textarea(id=FIELD, label=label, required=True, default=text)
        details = None
    elif yes_no and NUMBER_QUESTION.search(label):
        field = Number(id=FIELD, label=label, required=True)
    elif not yes_no or OPEN_QUESTION.match(label):
        field = Text(id=FIELD, label=label, required=True)
    else:
        field = Radio(id=FIELD, label=label, options=[_YES, _NO], allow_other=True, required=True)
    return Form(description=details, format="plain", fields=[field])


def members_of(value: object) -> Mapping[str, Any]:
    """Return a JSON object unchanged, and an empty one for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def text_to_edit(value: Any) -> str | None:
    """Return the text that a person edits: the only other text, if the instruction asks for a change."""
    members = members_of(value)
    question_key = next((key for key in QUESTION_KEYS if isinstance(members.get(key), str)), None)
    texts = {key: item for key, item in members.items() if key != question_key}
    if len(texts) != 1:
        return None
    [(key, text)] = texts.items()
    wish = key if question_key is None else str(members[question_key])
    return text if isinstance(text, str) and len(text) <= DETAILS and EDIT.search(wish) else None


def typed_form(value: Any, schema: Mapping[str, Any]) -> ModelForm:
    """Return the form for a value of a JSON Schema, with `value` as its question; raises `NoFormFor`."""
    is_wrapped = schema.get("type") != "object" and "properties" not in schema
    form_of_schema = model_form(_as_object(schema) if is_wrapped else schema)
    title, details = title_and_details(value)
    form = form_of_schema.form.model_copy(
        update={"title": title, **({"description": details} if details else {})}
    )

    def instance(values: Mapping[str, Any]) -> Any:
        typed_instance = form_of_schema.instance(values)
        return typed_instance[FIELD] if is_wrapped else typed_instance

    return ModelForm(form, instance)


def _as_object(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    object_schema = {"type": "object", "properties": {FIELD: inner}, "required": [FIELD]}
    return {**object_schema, "$defs": schema["$defs"]} if "$defs" in schema else object_schema


def title_and_details(value: Any) -> tuple[str, str | None]:
    """Return the question of an interrupt in one line, and everything else that it says."""
    if isinstance(value, str):
        heading, _, details = value.strip().partition("\n")
        return (
            (heading[:LABEL] or "?", details.strip() or None)
            if len(heading) <= LABEL
            else (heading[:LABEL], value)
        )
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        key = next(
            (key for key in QUESTION_KEYS if isinstance(members.get(key), str) and members[key].strip()), None
        )
        if key is not None:
            title, details = title_and_details(members[key])
            other_members = {name: item for name, item in members.items() if name != key}
            return title, "\n\n".join(
                part for part in (details, describe_value(other_members) if other_members else None) if part
            ) or None
    return "The agent needs an answer", describe_value(value)


def describe_value(value: Any) -> str:
    """Return any value as a person can read it, cut where it is too long to be shown."""
    return json.dumps(to_jsonable_python(value, fallback=str), indent=2, ensure_ascii=False)[:DETAILS]


def open_answer(request: InputRequest) -> Any:
    """Return the answer of an open question: True for Yes, False for No, else what the person typed."""
    answer = answer_or_raise(outcome_of(request))
    value = answer.values[FIELD]
    if request.form is None or request.form.all_fields[0].type != "radio" or answer.other.get(FIELD):
        return value
    return value == _YES
