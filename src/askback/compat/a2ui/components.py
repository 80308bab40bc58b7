"""The component of a field, its value in the data model, and its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from askback.compat.a2ui.paths import pointer
from askback.domain.date_times import read_moment
from askback.domain.faults import fault
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    Multiselect,
    Number,
    Radio,
    Select,
    Text,
    Textarea,
    Time,
    shown_options,
)
from askback.domain.options import value_text
from askback.domain.patterns import browser_pattern
from askback.messages import render
from askback.messages.languages import choose

FILTERED = 10
"""A list of more options has a filter."""

Json = dict[str, Any]
Drawable = (
    Text | Textarea | Number | Boolean | Checkbox | Select | Radio | Multiselect | Date | Time | Datetime
)


class DrawnField(NamedTuple):
    """A component without its id, its first value, and the rules that it does not apply."""

    component: Json
    value: Any
    losses: Sequence[str]


def draw_field(field: Drawable, label: str, initial: Any, *, required: bool, locale: str) -> DrawnField:
    """Return the component of the basic catalog for a field."""
    drawing = _Drawing(field, required=required, locale=locale)
    component: Json
    match field:
        case Text() | Textarea():
            variant = "longText" if field.type == "textarea" else "shortText"
            component, value = {"component": "TextField", "variant": variant}, initial or ""
            drawing.check_text(field)
        case Number():
            component, value = {"component": "TextField", "variant": "number"}, _number_text(initial)
            drawing.check_number(field)
        case Boolean() | Checkbox():
            component, value = {"component": "CheckBox"}, initial is True
            drawing.check_box(field)
        case Select() | Radio() | Multiselect():
            component, value = _picker(field, locale), _chosen_texts(initial)
            drawing.check_choices(field)
        case Date() | Time() | Datetime():
            component, value = drawing.date_time(field), initial or ""
            drawing.check_required()
    component |= {"label": label, "value": {"path": pointer("values", field.id)}}
    if drawing.checks and field.validate_on_client:
        component["checks"] = drawing.checks
    return DrawnField(component, value, drawing.losses)


class _Drawing:
    """The checks of one field, and the rules that they cannot express."""

    def __init__(self, field: AnyField, *, required: bool, locale: str) -> None:
        self.bound = {"path": pointer("values", field.id)}
        self.required = required
        self.locale = locale
        self.checks: list[Json] = []
        self.losses: list[str] = []

    def check_required(self) -> None:
        """Check that there is a value."""
        if self.required:
            self.add(_call("required", value=self.bound), "required_missing")

    def check_text(self, field: Text | Textarea) -> None:
        """Check the length and the pattern."""
        self.check_required()
        if field.min_length is not None:
            self.rule(
                _call("length", value=self.bound, min=field.min_length), "too_short", min=field.min_length
            )
        if field.max_length is not None:
            self.rule(
                _call("length", value=self.bound, max=field.max_length), "too_long", max=field.max_length
            )
        if field.pattern is None:
            return
        pattern = browser_pattern(field.pattern)
        if pattern is None:
            self.losses.append(
                "The pattern is checked when the answer is sent: a renderer might run it for too long."
            )
        elif field.pattern_message is None:
            self.rule(_call("regex", value=self.bound, pattern=pattern), "pattern_mismatch")
        else:
            key = "pattern_mismatch.custom"
            self.rule(
                _call("regex", value=self.bound, pattern=pattern),
                key,
                message=choose(field.pattern_message, [self.locale]),
            )

    def check_number(self, field: Number) -> None:
        """Check the bounds."""
        self.check_required()
        if field.min is not None:
            self.rule(_call("numeric", value=self.bound, min=field.min), "below_min", min=field.min)
        if field.max is not None:
            self.rule(_call("numeric", value=self.bound, max=field.max), "above_max", max=field.max)
        if field.step is not None:
            self.losses.append("A2UI has no steps.")

    def check_box(self, field: Boolean | Checkbox) -> None:
        """Check that a required box is ticked."""
        if field.required and self.required:
            self.add(self.bound, "required_missing")

    def check_choices(self, field: Select | Radio | Multiselect) -> None:
        """Check that something is chosen, unless a text of one's own would do."""
        if not field.allow_other:
            self.check_required()
        elif self.required:
            self.losses.append("It is not marked as required; the answer is refused without it.")
        if isinstance(field, Multiselect) and (
            field.min_choices is not None or field.max_choices is not None
        ):
            self.losses.append("A2UI does not count choices.")
        if any(option.description for option in field.options):
            self.losses.append("A2UI does not describe options.")

    def date_time(self, field: Date | Time | Datetime) -> Json:
        """Return the input, with those bounds that A2UI can write."""
        component: Json = {"component": "DateTimeInput"}
        component |= {"enableDate": field.type != "time", "enableTime": field.type != "date"}
        for name, bound in (("min", field.min), ("max", field.max)):
            if bound is None:
                continue
            if field.type == "date" or (field.type == "datetime" and _is_rfc3339(bound)):
                component[name] = bound
            else:
                self.losses.append(f"A2UI has no {name} without an offset.")
        if isinstance(field, Datetime) and not field.floating:
            self.losses.append("A renderer may leave the zone out: give one to `read_action`.")
        return component

    def rule(self, condition: Json, key: str, **params: Any) -> None:
        """Add a check that an empty field passes, unless it is required."""
        if not self.required:
            empty = _call("not", value=_call("required", value=self.bound))
            condition = _call("or", values=[empty, condition])
        self.add(condition, key, **params)

    def add(self, condition: Json, key: str, **params: Any) -> None:
        """Add a check with its message."""
        self.checks.append({"condition": condition, "message": render(fault("", key, **params), self.locale)})


def _call(function: str, **args: Any) -> Json:
    return {"call": function, "args": args, "returnType": "boolean"}


def _picker(field: Select | Radio | Multiselect, locale: str) -> Json:
    options = shown_options(field)
    component: Json = {
        "component": "ChoicePicker",
        "variant": "multipleSelection" if field.type == "multiselect" else "mutuallyExclusive",
        "options": [
            {"label": choose(option.label, [locale]), "value": value_text(option.value)} for option in options
        ],
    }
    component |= {"displayStyle": "chips"} if getattr(field, "widget", None) in ("chips", "buttons") else {}
    return component | ({"filterable": True} if len(options) > FILTERED else {})


def _chosen_texts(initial_value: Any) -> list[str]:
    """Return the chosen values as texts: A2UI has a list of texts for every picker."""
    if initial_value is None:
        return []
    return [
        value_text(item)
        for item in cast("list[Any]", initial_value if isinstance(initial_value, list) else [initial_value])
    ]


def _number_text(initial_value: Any) -> str:
    return "" if initial_value is None else value_text(initial_value)


def _is_rfc3339(bound: str) -> bool:
    return (
        read_moment(bound) is not None
        and "[" not in bound
        and bound.count(":") >= 2 + (bound[-1] not in "Zz")
    )
