"""Write a question and its answer for a model, in the words of the agent and the person.

A model that continues in a new turn may have several requests open and has not seen the form again, so field ids and
option values are not enough (N17). Everything that an agent or a person wrote is a JSON string on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast

from askback.domain.fields import AnyField, File, Form, Multiselect, Radio, Row, Rows, Select
from askback.domain.options import OptionValue, value_text
from askback.domain.request import Answer, InputRequest
from askback.domain.rows import ACCEPT
from askback.domain.validation.visibility import hidden_fields
from askback.messages.languages import choose

MAX_LENGTH = 2_000
"""The maximum length of a quoted text or input; the text says how many characters are left out."""

_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
"""Characters that JSON does not escape although they end a line, reverse the reading order, or are invisible."""


_encode = json.JSONEncoder(ensure_ascii=False).encode


def quote(value: object) -> str:
    """Return a value as JSON on one line, with hidden characters escaped."""
    return escape_hidden(_encode(value))


def escape_hidden(text: str) -> str:
    """Return JSON with its hidden characters escaped, so that it cannot steer a terminal; it means the same."""
    return _HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], text)


def shorten(text: str) -> str:
    """Cut a text after `MAX_LENGTH` characters and say how many are missing."""
    return (
        text
        if len(text) <= MAX_LENGTH
        else f"{text[:MAX_LENGTH]}… ({len(text) - MAX_LENGTH} more characters)"
    )


def question_text(request: InputRequest) -> str:
    """Return the question of a form, in its language: its title, else the names of its fields."""
    return shorten(", ".join(map(quote, _names(request)))) or "(unknown)"


def form_title(request: InputRequest) -> str:
    """Return the same as plain text, for programs."""
    return shorten(", ".join(_names(request)))


def _names(request: InputRequest) -> list[str]:
    form = request.form
    if form is None:
        return []
    names = [form.title] if form.title else form.names.values()
    return [*dict.fromkeys(choose(name, languages_of(form)) for name in names)]


def call_text(request: InputRequest) -> str:
    """Return the input of the tool call that an approval asked about."""
    return shorten(quote(request.approval.input if request.approval else {}))


def plan_title(request: InputRequest) -> str:
    """Return the name of a plan: its title, else its first line."""
    approval = request.approval
    text = choose(approval.title or approval.plan) if approval else None
    first = next((line.strip("# ") for line in (text or "").splitlines() if line.strip("# ")), "")
    return shorten(quote(first))


def action_title(request: InputRequest) -> str:
    """Return the title of an action."""
    return shorten(quote(choose(request.action.title if request.action else None)))


def answer_text(request: InputRequest, answer: Answer) -> str:
    """Return the answer of a form: the value alone for a single question, else `"label" (id): value; …`.

    An option is written as its label, followed by its value if the two differ. Values without a field are
    listed under their id.
    """
    fields = request.form.all_fields if request.form else []
    form_ids = {field.id for field in fields}
    other_values = {name: value for name, value in answer.values.items() if name not in form_ids}
    if request.form and not request.form.title and len(fields) == 1 and not other_values:
        return _value(fields[0], answer, languages_of(request.form))
    if not fields:
        return quote(answer.values)
    languages = languages_of(request.form)
    hidden = hidden_fields(request.form, answer.values, answer.skipped) if request.form else ()
    parts = [
        f"{_label(field, languages)}: {_value(field, answer, languages)}"
        for field in fields
        if field.id not in hidden
    ]
    parts += [f"{quote(name)}: {quote(value)}" for name, value in other_values.items()]
    return "; ".join(parts)


def chosen_labels(request: InputRequest, answer: Answer) -> str:
    """Return the labels of the options that a person chose; their own text is quoted."""
    form, parts = request.form, list[str]()
    for field in form.all_fields if form else ():
        value: Any = answer.values.get(field.id)
        if isinstance(field, Select | Radio | Multiselect) and value is not None and not field.sensitive:
            labels, choices = _labels_and_choices(field, value, answer, languages_of(form))
            parts += [labels.get(choice) or quote(choice) for choice in choices]
    return ", ".join(parts)


def languages_of(form: Form | None) -> list[str]:
    """Return the languages in which a model reads the texts of a form: that of the form, if it has one."""
    return [form.locale] if form and form.locale else []


def _label(field: AnyField, languages: Sequence[str]) -> str:
    return field.id if field.label is None else f"{quote(choose(field.label, languages))} ({field.id})"


def _value(field: AnyField, answer: Answer, languages: Sequence[str]) -> str:
    if field.id not in answer.values:
        return "skipped" if field.id in answer.skipped else "no answer"
    value: Any = answer.values[field.id]
    if isinstance(field, File):
        return ", ".join(
            _file(item) for item in cast("list[Any]", value if isinstance(value, list) else [value])
        )
    if isinstance(field, Rows):
        return ", ".join(_row(row, value[row.id], languages) for row in field.rows if row.id in value)
    if field.sensitive or not isinstance(field, Select | Radio | Multiselect):
        return quote(value)
    labels, choices = _labels_and_choices(field, value, answer, languages)
    return ", ".join(_choice(choice, labels) for choice in choices) or "nothing chosen"


def _labels_and_choices(
    field: Select | Radio | Multiselect, value: Any, answer: Answer, languages: Sequence[str]
) -> tuple[dict[OptionValue, str], Sequence[Any]]:
    labels = {option.value: choose(option.label, languages) for option in field.options}
    choices = cast("Sequence[Any]", value) if isinstance(value, list) else (value,)
    if field.options_from is not None and answer.shown is not None:
        labels |= zip(choices, answer.shown.options.get(field.id, ()), strict=False)
    return labels, choices


def _row(row: Row, decided: Any, languages: Sequence[str]) -> str:
    """Return the decision about a row, and the values of an accepted one."""
    decision = "accepted" if decided["decision"] == ACCEPT else "declined"
    parts = f"{quote(choose(row.label, languages))} ({row.id}): {decision}"
    answer = Answer(values=decided.get("values", {}))
    values = [f"{_label(field, languages)}: {_value(field, answer, languages)}" for field in row.fields or ()]
    return f"{parts} [{'; '.join(values)}]" if values and answer.values else parts


def _file(value: Any) -> str:
    """Return the name of a file, and how to read it."""
    return (
        f"{quote(value.get('name'))} ({value.get('type')}, {value.get('size')} bytes, file {value.get('id')})"
    )


def _choice(value: OptionValue, labels: dict[OptionValue, str]) -> str:
    label = labels.get(value)
    if label is None:
        return f"{quote(value)} (their own words)"
    return quote(value) if label == value_text(value) else f"{quote(label)} ({quote(value)})"
