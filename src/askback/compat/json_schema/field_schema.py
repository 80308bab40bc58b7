"""The JSON Schema of one field's value, and its hints for RJSF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.compat.json_schema.hints import OWN_KEY
from askback.compat.json_schema.numbers import write_bounds
from askback.compat.json_schema.patterns import FLOATING, FORMATS, TIME, write_pattern
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    File,
    Multiselect,
    Number,
    Radio,
    Rows,
    Select,
    Text,
    Textarea,
    Time,
    shown_options,
)
from askback.domain.model import without_none
from askback.domain.options import Option, OptionsFrom, value_text
from askback.messages.languages import choose

Losses = list[str]


def field_schema(field: AnyField, locale: str) -> tuple[dict[str, Any], Losses]:
    """Return the schema of a field's value in an answer, and the rules that the schema does not check."""
    losses: Losses = []
    match field:
        case Select() | Radio() | Multiselect() if field.options_from is not None:
            schema = _sourced_schema(field, losses)
        case Text() | Textarea():
            schema = _text(field, losses)
        case Number():
            schema, is_exact = write_bounds(field.min, field.max, field.step)
            if not is_exact:
                losses.append(
                    f"The step of {field.step} counts from {field.min}, and in a schema it counts from 0."
                )
        case Boolean() | Checkbox():
            schema = {"type": "boolean"} | ({"const": True} if field.required else {})
        case Select() | Radio():
            schema = _choice(shown_options(field), locale, allow_other=field.allow_other)
        case Multiselect():
            schema = _array_schema(field, _choice(field.options, locale, allow_other=field.allow_other))
        case Date() | Time() | Datetime():
            schema = _moment(field, losses)
        case File():
            schema = _files(field, losses)
        case Rows():
            schema = {"type": "object"}
            losses.append("The schema does not check what was decided about rows.")
    if field.sensitive:
        losses.append("An answer has a reference to a sensitive value, which no rule of the schema is about.")
        schema = {"type": "string", "writeOnly": True}
    texts = without_none(
        title=choose(field.label, [locale]) or None,
        description=choose(field.description, [locale]) or None,
        default=field.default,
        readOnly=field.readonly or None,
    )
    return {**schema, **texts}, losses


def field_hints(field: AnyField, locale: str) -> dict[str, Any]:
    """Return the hints that RJSF knows."""
    widgets: dict[str, str | None] = {
        "textarea": "textarea",
        "radio": "radio",
        "multiselect": "checkboxes",
        "checkbox": "checkbox",
        "time": "time",
    }
    hints = without_none(
        **{
            "ui:widget": widgets.get(field.type),
            "ui:placeholder": choose(field.placeholder, [locale]) or None,
        }
    )
    if field.type == "file":
        hints["ui:options"] = {OWN_KEY: {"type": "file"}}
    source: OptionsFrom | None = getattr(field, "options_from", None)
    if source is not None:
        field_members = {"type": field.type, "options_from": source.model_dump(exclude_defaults=True)}
        hints["ui:options"] = {OWN_KEY: field_members}
    secret = {"ui:widget": "password", "ui:options": {OWN_KEY: {"sensitive": True}}}
    return {**hints, **secret} if field.sensitive else hints


def _text(field: Text | Textarea, losses: Losses) -> dict[str, Any]:
    minimum = max(field.min_length or 0, int(field.required)) or None
    schema: dict[str, Any] = {"type": "string", **without_none(minLength=minimum, maxLength=field.max_length)}
    formats = [name for name, pattern in FORMATS.items() if pattern == field.pattern]
    if formats:
        schema["format"] = formats[0]
    elif field.pattern is not None:
        portable = write_pattern(field.pattern)
        schema |= without_none(pattern=portable)
        if portable is None:
            losses.append(
                "The pattern is one of RE2, which other engines may read differently: it is left out."
            )
    return schema


def _array_schema(field: Multiselect, items: dict[str, Any]) -> dict[str, Any]:
    minimum = max(field.min_choices or 0, int(field.required)) or None
    schema = {"type": "array", "items": items, "uniqueItems": True}
    return schema | without_none(minItems=minimum, maxItems=field.max_choices)


def _sourced_schema(field: Select | Radio | Multiselect, losses: Losses) -> dict[str, Any]:
    losses.append("The options come from a source on the server: the schema takes every text and number.")
    value = {"type": ["string", "number"]}
    return _array_schema(field, value) if isinstance(field, Multiselect) else value


def _choice(options: Sequence[Option], locale: str, *, allow_other: bool) -> dict[str, Any]:
    if all(option.label == value_text(option.value) and option.description is None for option in options):
        schema: dict[str, Any] = {"enum": [option.value for option in options]}
    else:
        schema = {
            "oneOf": [
                {
                    "const": option.value,
                    "title": choose(option.label, [locale]),
                    **without_none(description=choose(option.description, [locale]) or None),
                }
                for option in options
            ]
        }
    texts = all(isinstance(option.value, str) for option in options)
    kind: dict[str, Any] = {"type": "string"} if texts else {}
    return {**kind, "anyOf": [schema, {"type": "string"}]} if allow_other else {**kind, **schema}


def _moment(field: Date | Time | Datetime, losses: Losses) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    is_floating = isinstance(field, Datetime) and field.floating
    if field.type == "time" or is_floating:
        schema["pattern"] = FLOATING if is_floating else TIME
    else:
        schema["format"] = "date" if field.type == "date" else "date-time"
    schema |= without_none(formatMinimum=field.min, formatMaximum=field.max)
    if field.min is not None or field.max is not None:
        losses.append("`formatMinimum` and `formatMaximum` are checked only by validators that know them.")
    if field.type == "datetime" and not is_floating:
        losses.append(
            "An answer may have seconds left out and a named zone (RFC 9557), unlike the format `date-time`."
        )
    return schema


def _files(field: File, losses: Losses) -> dict[str, Any]:
    names = ("id", "name", "type", "sha256")
    properties: dict[str, Any] = {name: {"type": "string"} for name in names} | {"size": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    losses.append("A schema describes the record of an uploaded file, and not how to upload it.")
    if field.max_files in (None, 1):
        return schema
    return {
        "type": "array",
        "items": schema,
        "maxItems": field.max_files,
        **without_none(minItems=int(field.required) or None),
    }
