"""Checks the conditions of a form: one comparison each, of an earlier field, with a value that it can have."""

from __future__ import annotations

from collections.abc import Mapping

from askback.domain.condition import Condition, Scalar
from askback.domain.faults import join
from askback.domain.fields import AnyField, Datetime, Form, Multiselect, Radio, Rows, Select
from askback.domain.validation.parts import InvalidField
from askback.domain.validation.report import Report

_COMPARISONS = ("is_", "is_not", "in_", "provided")


class ConditionRules:
    """Checks the conditions of one form in order; `earlier` are the fields so far, None where one is not sound."""

    def __init__(self, report: Report, limit: int, sound: Mapping[str, AnyField | None]) -> None:
        """`sound` has each field by its id, None where it has a fault; a list has at most `limit` members."""
        self.report = report
        self.limit = limit
        self.sound = sound
        self.earlier: dict[str, AnyField | None] = {}

    def check_form(self, form: Form, path: str) -> None:
        """Check every condition of the form at `path`."""
        for index, section in enumerate(form.sections or ()):
            item_path = f"{path}.sections[{index}]"
            if section.visible_if is not None:
                self.check(f"{item_path}.visible_if", section.visible_if)
            self.check_fields(section.fields, f"{item_path}.fields")
        self.check_fields(form.fields, f"{path}.fields")

    def check_fields(self, fields: list[AnyField] | list[AnyField | InvalidField] | None, path: str) -> None:
        """Check the conditions of fields; each may name those before it."""
        for index, field in enumerate(fields or ()):
            if isinstance(field, InvalidField):
                self.earlier[field.id or ""] = None
                continue
            if field.visible_if is not None:
                self.check(f"{path}[{index}].visible_if", field.visible_if)
            self.earlier[field.id] = self.sound.get(field.id)

    def check(self, path: str, condition: Condition, *, inner: bool = False) -> None:
        """Check one condition; one inside `all` or `any` has no such list itself."""
        comparisons = [name for name in _COMPARISONS if getattr(condition, name) is not None]
        lists = [name for name in ("all", "any") if getattr(condition, name) is not None]
        if condition.field is not None and len(comparisons) == 1 and not lists:
            self.check_comparison(path, condition, condition.field)
        elif len(lists) == 1 and condition.field is None and not comparisons and not inner:
            parts: list[Condition] = getattr(condition, lists[0])
            self.check_length(join(path, lists[0]), len(parts))
            for index, part in enumerate(parts[: self.limit]):
                self.check(f"{path}.{lists[0]}[{index}]", part, inner=True)
        else:
            self.report.add(path, "invalid_condition.inner" if inner else "invalid_condition")

    def check_length(self, path: str, length: int) -> None:
        """Check that a list has members, and not too many."""
        if not length:
            self.report.add(path, "empty.list")
        elif length > self.limit:
            self.report.add(path, "too_many", max=self.limit)

    def check_comparison(self, path: str, condition: Condition, id_: str) -> None:
        """Check that the field comes earlier and can have the value."""
        if id_ not in self.earlier:
            is_known = id_ in self.sound
            self.report.add(join(path, "field"), "condition_order" if is_known else "unknown_field")
            return
        field = self.earlier[id_]
        if field is not None and field.sensitive:
            self.report.add(join(path, "field"), "condition_on_sensitive")
        if isinstance(field, Rows):
            self.report.add(join(path, "field"), "condition_on_rows")
            return
        if condition.in_ is not None:
            self.check_length(join(path, "in"), len(condition.in_))
        for name, value in (("is", condition.is_), ("is_not", condition.is_not)):
            if field is not None and value is not None and not _can_be(field, value):
                self.report.add(join(path, name), "impossible_condition")
        for index, value in enumerate((condition.in_ or ())[: self.limit]):
            if field is not None and not _can_be(field, value):
                self.report.add(f"{path}.in[{index}]", "impossible_condition")


def _can_be(field: AnyField, value: Scalar) -> bool:
    """Return whether a field may have a value; a time with a zone has many spellings, so it cannot be compared."""
    if field.type in ("boolean", "checkbox"):
        return isinstance(value, bool)
    if isinstance(value, bool) or (isinstance(field, Datetime) and not field.floating):
        return False
    if isinstance(field, Select | Radio | Multiselect):
        is_own_text = field.allow_other and isinstance(value, str)
        return (
            is_own_text
            or field.options_from is not None
            or any(option.value == value for option in field.options)
        )
    return isinstance(value, str) != (field.type == "number")
