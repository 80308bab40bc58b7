"""A question and its answer in the words that the agent and the person used, for a model to read.

A model that goes on in a new turn may have several requests open and has not seen the form again, so field ids and
option values are not enough (N17). Everything that an agent or a person wrote is a JSON string on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, cast

from askback.domain.fields import AnyField, Multiselect, Radio, Select
from askback.domain.request import Answer, InputRequest

LONGEST = 2_000
"""Characters of one quoted text or input; the rest is left out, and the text says how much that is."""

_HIDDEN = re.compile("[\x7f-\x9f\xad\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
"""What JSON leaves as it is although it ends a line, turns the reading order round, or is not seen at all."""


def quoted(value: object) -> str:
    """Return a value as JSON on one line, with hidden characters escaped."""
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], json.dumps(value, ensure_ascii=False))


def shortened(text: str) -> str:
    """Cut a text behind `LONGEST` characters and say how many are missing."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters)"


def question(request: InputRequest) -> str:
    """Return what a form asked: its title, else the labels of its fields."""
    form = request.form
    if form is None:
        return "(unknown)"
    if form.title:
        return shortened(quoted(form.title))
    return shortened(", ".join(quoted(field.label) for field in form.all_fields))


def call_input(request: InputRequest) -> str:
    """Return the input of the tool call that an approval asked about."""
    return shortened(quoted(request.approval.input if request.approval else {}))


def plan(request: InputRequest) -> str:
    """Return what a plan is called: its title, else its first line."""
    shown = request.approval
    text = shown.title or shown.plan if shown else None
    first = next((line.strip("# ") for line in (text or "").splitlines() if line.strip("# ")), "")
    return shortened(quoted(first))


def answers(request: InputRequest, answer: Answer) -> str:
    """Return the answer of a form: the value alone for a single question, else `"label" (id): value; …`.

    An option is its label with its value behind it where the two differ. Values without a field stand under their id.
    """
    fields = request.form.all_fields if request.form else []
    known = {field.id for field in fields}
    unknown = {name: value for name, value in answer.values.items() if name not in known}
    if request.form and not request.form.title and len(fields) == 1 and not unknown:
        return _value(fields[0], answer)
    if not fields:
        return quoted(answer.values)
    said = [f"{quoted(field.label)} ({field.id}): {_value(field, answer)}" for field in fields]
    said += [f"{quoted(name)}: {quoted(value)}" for name, value in unknown.items()]
    return "; ".join(said)


def _value(field: AnyField, answer: Answer) -> str:
    if field.id not in answer.values:
        return "no answer"
    value: Any = answer.values[field.id]
    if not isinstance(field, Select | Radio | Multiselect):
        return quoted(value)
    labels = {option.value: option.label for option in field.options}
    chosen = cast("Iterable[Any]", value) if isinstance(value, list) else (value,)
    return ", ".join(_choice(one, labels) for one in chosen) or "nothing chosen"


def _choice(value: object, labels: dict[str, str]) -> str:
    label = labels.get(value) if isinstance(value, str) else None
    if label is None:
        return f"{quoted(value)} (their own words)"
    return quoted(value) if label == value else f"{quoted(label)} ({quoted(value)})"
