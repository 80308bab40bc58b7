"""Checking what a person sent against the form: cleaned values, or every fault at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from askback.domain.faults import join
from askback.domain.fields import AnyField, Form
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.value import is_provided, read_value


class Cleaned(NamedTuple):
    """What a person said to a form, as `Answer` has it: typed values by field id, and which were typed as other."""

    values: dict[str, Any]
    other: dict[str, bool]

    @property
    def answer(self) -> dict[str, Any]:
        """The answer as the state of a request keeps it."""
        return {"values": self.values, "other": self.other} if self.other else {"values": self.values}


def check_answer(form: Form, values: object, *, limits: Limits = DEFAULTS) -> Cleaned:
    """Return the cleaned answer: typed values in the order of the form, without what was not provided.

    An answer without values is one where every field is optional. Raises `Faults` with paths such as `values.email`
    and `values.topics[1]`. `form` is one that `check_form` has accepted.
    """
    report = Report()
    if not isinstance(values, Mapping):
        report.add("values", "wrong_type.answers")
    elif not values and not is_optional(form):
        report.add("values", "empty.values")
    report.finish()
    given = cast("Mapping[str, object]", values)
    answer = _Reading(given, report, limits)
    answer.read(form)
    if len(given) > answer.present:
        known = {field.id for field in form.all_fields}
        for key in given:
            if report.is_full:
                break
            if key not in known:
                report.add(join_key("values", str(key)), "unknown_field")
    report.finish()
    return Cleaned(answer.values, answer.other)


def is_optional(form: Form) -> bool:
    """Whether a form may be submitted without filling anything in: each field is optional, or its section is (N18)."""
    sections = form.sections or ()
    required = [*(form.fields or ()), *(each for one in sections if not one.optional for each in one.fields)]
    return not any(field.required for field in required)


class _Reading:
    """One answer being read."""

    __slots__ = ("given", "limits", "other", "present", "report", "values")

    def __init__(self, given: Mapping[str, object], report: Report, limits: Limits) -> None:
        self.given = given
        self.report = report
        self.limits = limits
        self.values: dict[str, Any] = {}
        self.other: dict[str, bool] = {}
        self.present = 0

    def read(self, form: Form) -> None:
        """Read every field."""
        if form.sections is None:
            self.read_fields(form.fields or ())
        else:
            for section in form.sections:
                self.read_fields(
                    section.fields, skipped=section.optional and self.is_untouched(section.fields)
                )

    def is_untouched(self, fields: Sequence[AnyField]) -> bool:
        """Whether nothing was filled in; a box that is not ticked is nothing."""
        return not any(
            is_provided(field, raw := self.given.get(field.id))
            and not (raw is False and field.type in ("boolean", "checkbox"))
            for field in fields
        )

    def read_fields(self, fields: Sequence[AnyField], *, skipped: bool = False) -> None:
        """Read the fields of a form or of one section; of a skipped one only that its keys are known."""
        for field in fields:
            if field.id in self.given:
                self.present += 1
            if not skipped:
                self.read_field(field)

    def read_field(self, field: AnyField) -> None:
        """Read one field's value, or note what is wrong with it."""
        raw = self.given.get(field.id)
        if not is_provided(field, raw):
            if field.required:
                self.report.add(join("values", field.id), "required_missing")
            return
        checked = read_value(field, raw, limits=self.limits, required=field.required)
        if checked.faults:
            path = join("values", field.id)
            for index, key, params in checked.faults:
                self.report.add(path if index is None else join(path, index), key, **params)
            return
        self.values[field.id] = checked.value
        if checked.other:
            self.other[field.id] = True
