"""Reads a person's action on a surface as the values of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple, cast

from askback.domain.fields import AnyField, Datetime, Form, Multiselect, Number, Radio, Select, shown_options
from askback.domain.options import value_text
from askback.domain.validation.visibility import hidden_fields

SUBMIT, CANCEL = "askback.submit", "askback.cancel"
OTHER_SUFFIX = "__other"


class Action(NamedTuple):
    """A person's action: `submit` with values that are not checked yet, or `cancel`; and the context of the surface."""

    kind: Literal["submit", "cancel"]
    values: dict[str, Any]
    context: dict[str, Any]


def read_action(form: Form, message: Mapping[str, Any], *, zone: str | None = None) -> Action | None:
    """Return the action in a message of the renderer; None for an action that is not one of the form's buttons.

    `zone` is the person's time zone, for renderers that send a date and time without an offset.
    """
    action: Any = message.get("action")
    if not isinstance(action, Mapping):
        return None
    members = cast("Mapping[str, Any]", action)
    context_value = members.get("context")
    context = dict(cast("Mapping[str, Any]", context_value)) if isinstance(context_value, Mapping) else {}
    form_names = {name for field in form.all_fields for name in (field.id, f"{field.id}{OTHER_SUFFIX}")}
    other_values = {name: value for name, value in context.items() if name not in form_names}
    if members.get("name") == CANCEL:
        return Action("cancel", {}, other_values)
    if members.get("name") != SUBMIT:
        return None
    read = {field.id: _value(field, context, zone) for field in form.all_fields if not field.readonly}
    values = {id_: value for id_, value in read.items() if value not in (None, "", [])}
    hidden = hidden_fields(form, values)
    return Action("submit", {id_: value for id_, value in values.items() if id_ not in hidden}, other_values)


def _value(field: AnyField, context: Mapping[str, Any], zone: str | None) -> Any:
    value = context.get(field.id)
    match field:
        case Select() | Radio() | Multiselect():
            return _choice(field, value, context.get(f"{field.id}{OTHER_SUFFIX}"))
        case Number():
            return _number(value)
        case Datetime() if isinstance(value, str) and value and zone is not None and not field.floating:
            has_offset = value[-1:] in "Zz]" or "+" in value[10:] or "-" in value[10:]
            return value if has_offset else f"{value}[{zone}]"
        case _:
            return value


def _choice(field: Select | Radio | Multiselect, value: Any, own_text: Any) -> Any:
    """Return the chosen values; A2UI sends a list of texts for every picker."""
    values_by_text = {value_text(option.value): option.value for option in shown_options(field)}
    texts = cast("list[Any]", value) if isinstance(value, list) else [] if value is None else [value]
    values = [values_by_text.get(text, text) if isinstance(text, str) else text for text in texts]
    if field.allow_other and isinstance(own_text, str) and own_text.strip():
        values = [*values, own_text] if isinstance(field, Multiselect) else [own_text]
    if isinstance(field, Multiselect):
        return values
    return values[0] if len(values) == 1 else values


def _number(value: Any) -> Any:
    """Return the number that a text means; anything else as it is, for the form to refuse."""
    if not isinstance(value, str):
        return value
    try:
        number = int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
    except ValueError:
        return value
    return number if isfinite(number) else value
