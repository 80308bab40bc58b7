"""Which fields of a form are hidden by `visible_if`, for the values so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from askback.domain.condition import Condition, Scalar
from askback.domain.fields import AnyField, Boolean, Form
from askback.domain.validation.value import fixed_value, is_provided

_NO_IDS: frozenset[str] = frozenset()


def has_conditions(form: Form) -> bool:
    """Return whether any field or section of a form has a condition."""
    if form.sections is None:
        return any(field.visible_if is not None for field in form.fields or ())
    return any(
        section.visible_if is not None or any(field.visible_if is not None for field in section.fields)
        for section in form.sections
    )


def hidden_fields(
    form: Form, raw_values: Mapping[str, Any], skipped: Collection[str] = ()
) -> Collection[str]:
    """Return the ids of the hidden fields for these values, which need not be valid."""
    if not has_conditions(form):
        return _NO_IDS
    visible_fields = _VisibleFields(form, raw_values, skipped)
    for section in form.sections or ():
        visible_fields.read(
            section.fields, is_shown=section.visible_if is None or visible_fields.holds(section.visible_if)
        )
    visible_fields.read(form.fields or (), is_shown=True)
    return visible_fields.hidden


class _VisibleFields:
    """The values of the fields so far, in the order of the form; a hidden one has none."""

    def __init__(self, form: Form, raw_values: Mapping[str, Any], skipped: Collection[str]) -> None:
        self.initial = form.initial_values or {}
        self.raw_values = raw_values
        self.skipped = skipped
        self.values: dict[str, Any] = {}
        self.provided: set[str] = set()
        self.hidden: set[str] = set()

    def read(self, fields: Collection[AnyField], *, is_shown: bool) -> None:
        for field in fields:
            if is_shown and (field.visible_if is None or self.holds(field.visible_if)):
                value = self.values[field.id] = self.value_of(field)
                if value is not None and not (value is False and is_box(field)):
                    self.provided.add(field.id)
            else:
                self.hidden.add(field.id)

    def value_of(self, field: AnyField) -> Any:
        if field.readonly:
            return fixed_value(field, self.initial)
        raw = self.raw_values.get(field.id)
        if is_box(field):
            return raw is True
        return raw if field.id not in self.skipped and is_provided(field, raw) else None

    def holds(self, condition: Condition) -> bool:
        if condition.all is not None:
            return all(self.holds(item) for item in condition.all)
        if condition.any is not None:
            return any(self.holds(item) for item in condition.any)
        value = self.values.get(condition.field or "")
        if condition.provided is not None:
            return (condition.field in self.provided) == condition.provided
        if condition.is_ is not None:
            return _equals(value, condition.is_)
        if condition.is_not is not None:
            return not _equals(value, condition.is_not)
        return any(_equals(value, item) for item in condition.in_ or ())


def is_box(field: AnyField) -> bool:
    """Return whether a field is a box or a switch, which is off by default."""
    return field.type == "checkbox" or (isinstance(field, Boolean) and field.widget != "confirm")


def _equals(value: Any, expected: Scalar) -> bool:
    """Return whether a value equals the wanted one, or contains it; `True` is not 1."""
    if isinstance(value, list):
        return any(_equals(item, expected) for item in cast("list[Any]", value))
    return isinstance(value, bool) == isinstance(expected, bool) and bool(value == expected)
