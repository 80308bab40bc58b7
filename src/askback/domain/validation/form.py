"""Checks the rules of a form about sizes and comparisons: texts, lists, ids, initial values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain.faults import Faults, join
from askback.domain.fields import AnyField, CompletedView, Form, Rows
from askback.domain.limits import Limits
from askback.domain.validation.answer import check_answer
from askback.domain.validation.condition import ConditionRules
from askback.domain.validation.field import FieldRules, Raw
from askback.domain.validation.parts import InvalidField
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.text_check import TextCheck
from askback.domain.validation.texts import LANGUAGE_TAG, is_blank
from askback.domain.validation.value import fixed_value, is_provided, read_value
from askback.messages.languages import LocalText, spellings


class FormRules:
    """Checks one form, whole or as `SoundParts` left it, and reports every fault."""

    def __init__(
        self, report: Report, text_check: TextCheck, limits: Limits, path: str, *, known: bool = False
    ) -> None:
        """`known` fields were checked before (`KnownFields`), and nothing was wrong with them."""
        self.known = known
        self.report = report
        self.text_check = text_check
        self.limits = limits
        self.path = path
        self.field_rules = FieldRules(report, text_check, limits)
        self.ids: dict[str, AnyField | None] = {}
        self.section_ids: set[str] = set()
        self.initial: Mapping[str, Any] = {}

    def check(self, form: Form, raw: Mapping[str, Any], *, shape_known: bool = True) -> None:
        """Check everything; `shape_known` is false if `fields` or `sections` has a wrong type."""
        path, limits, line = self.path, self.limits, self.text_check.line
        line(path, "title", form.title, limits.title, lines=True)
        self.text_check.lines(path, "description", form.description, limits.description)
        line(path, "submit_label", form.submit_label, limits.button_label)
        line(path, "cancel_label", form.cancel_label, limits.button_label)
        if form.locale is not None and LANGUAGE_TAG.fullmatch(form.locale) is None:
            self.report.add(join(path, "locale"), "invalid_locale")
        if shape_known:
            self.check_shape(form)
        self.initial = form.initial_values or {}
        if self.known:
            self.keep_known(form.fields or ())
        else:
            self.check_fields(
                f"{path}.fields", form.fields, raw.get("fields"), (form.title, form.description)
            )
        self.check_sections(form, raw.get("sections"))
        if form.layout != "page" or form.submit != "form":
            self.check_layout(form)
        if not (self.known and form.sections is None):
            self.check_conditions(form)
        if form.initial_values:
            self.check_initial_values(form.initial_values)
        if form.completed_view is not None:
            self.check_completed_view(form.completed_view)

    def check_shape(self, form: Form) -> None:
        """Check that there are either fields or sections, and the number of them."""
        if form.fields is not None and form.sections is not None:
            self.report.add(self.path, "fields_and_sections")
        elif form.fields is None and form.sections is None:
            self.report.add(self.path, "no_fields")
        if form.sections is not None and len(form.sections) > self.limits.sections:
            self.report.add(f"{self.path}.sections", "too_many", max=self.limits.sections)
        field_count = sum(len(section.fields or ()) for section in form.sections or ())
        if field_count > self.limits.fields:
            self.report.add(f"{self.path}.sections", "too_many", max=self.limits.fields)
        if len(form.fields or ()) > self.limits.fields:
            self.report.add(f"{self.path}.fields", "too_many", max=self.limits.fields)
        if form.sections is not None and not form.sections:
            self.report.add(f"{self.path}.sections", "no_fields")

    def check_fields(
        self,
        path: str,
        fields: Sequence[AnyField] | None,
        raw: Raw,
        surrounding_texts: Sequence[LocalText | None],
    ) -> None:
        """Check the fields of the form or of a section; None if the list itself is missing or wrong.

        The texts `around` them name a field without a label.
        """
        if fields is None:
            return
        if not fields:
            self.report.add(path, "no_fields")
        for index, field in enumerate(cast("Sequence[AnyField | InvalidField]", fields)):
            item_path = f"{path}[{index}]"
            if field.id is not None:
                if field.id in self.ids:
                    self.report.add(f"{item_path}.id", "duplicate_id")
                else:
                    self.ids[field.id] = None
            if field.label is None and not _is_name(*surrounding_texts):
                self.report.add(f"{item_path}.label", "missing_required.label")
            if isinstance(field, InvalidField):
                continue
            if self.field_rules.check(item_path, field, raw, index):
                self.ids[field.id] = field
            if field.readonly:
                self.check_readonly(item_path, field)

    def keep_known(self, fields: Sequence[AnyField]) -> None:
        """Accept the known fields, except for checks that depend on the rest of the form."""
        for index, field in enumerate(fields):
            self.ids[field.id] = field
            if field.readonly:
                self.check_readonly(f"{self.path}.fields[{index}]", field)

    def check_readonly(self, path: str, field: AnyField) -> None:
        """Check that there is a value to show."""
        if not is_provided(field, fixed_value(field, self.initial)):
            self.report.add(f"{path}.default", "default_required")

    def check_sections(self, form: Form, raw: Raw) -> None:
        """Check each section and its fields."""
        for index, section in enumerate(form.sections or ()):
            item_path = f"{self.path}.sections[{index}]"
            id_ = cast("str | None", section.id)  # None if its structure is wrong
            if id_ is not None:
                self.text_check.line(item_path, "id", id_, self.limits.field_id)
                if id_ in self.section_ids:
                    self.report.add(f"{item_path}.id", "duplicate_id")
                self.section_ids.add(id_)
            self.text_check.line(item_path, "title", section.title, self.limits.title, lines=True)
            self.text_check.lines(item_path, "description", section.description, self.limits.description)
            self.text_check.line(item_path, "submit_label", section.submit_label, self.limits.button_label)
            surrounding_texts = (section.title, section.description, form.title, form.description)
            self.check_fields(
                f"{item_path}.fields", section.fields, _members(raw, index).get("fields"), surrounding_texts
            )

    def check_layout(self, form: Form) -> None:
        """Check that steps have sections, and that a form answered by one control has no steps, conditions or rows."""
        if form.layout == "steps" and form.sections is None:
            self.report.add(f"{self.path}.layout", "steps_without_sections")
        conditions = [item.visible_if for item in (*self.ids.values(), *(form.sections or ())) if item]
        rows = any(isinstance(field, Rows) for field in self.ids.values())
        if form.submit != "form" and (form.layout == "steps" or any(conditions) or rows):
            self.report.add(f"{self.path}.submit", "submit_alone")

    def check_conditions(self, form: Form) -> None:
        """Check the conditions, which name other fields."""
        rules = ConditionRules(self.report, self.limits.conditions, self.ids)
        rules.check_form(form, self.path)

    def check_initial_values(self, values: Mapping[str, Any]) -> None:
        """Check that each initial value is a valid value of an existing field."""
        for id_, value in values.items():
            if id_ not in self.ids:
                self.report.add(self.initial_path(id_), "unknown_field")
                continue
            field = self.ids[id_]
            if field is not None and field.sensitive and value is not None:
                self.report.add(self.initial_path(id_), "default_of_sensitive")
                continue
            if self.text_check.suspicious:
                lines = field is not None and field.type == "textarea"
                if not self.text_check.value(self.initial_path(id_), value, lines=lines):
                    continue
            if field is None or not is_provided(field, value):
                continue
            if not self.is_valid(field, value):
                self.report.add(self.initial_path(id_), "invalid_initial_value")

    def is_valid(self, field: AnyField, value: object) -> bool:
        """Return whether a value is one of the field; not all rows need a decision."""
        if not isinstance(field, Rows):
            return not read_value(field, value, limits=self.limits, required=False).faults
        single_field = field.model_copy(update={"required": False, "visible_if": None})
        try:
            check_answer(Form(fields=[single_field]), {field.id: value}, limits=self.limits)
        except Faults as error:
            return all(fault.code == "required_missing" for fault in error.faults)
        return True

    def initial_path(self, id_: str) -> str:
        """Return the path of an initial value."""
        return join_key(f"{self.path}.initial_values", id_)

    def check_completed_view(self, view: CompletedView) -> None:
        """Check the summary; a placeholder that names no field is replaced by nothing."""
        path = f"{self.path}.completed_view"
        self.text_check.lines(path, "summary_template", view.summary_template, self.limits.summary_template)


def _is_name(*texts: LocalText | None) -> bool:
    """Return whether one of the texts can name a field."""
    return any(not is_blank(item) for text in texts for _, item in spellings(text))


def _members(raw: Raw, index: int) -> Mapping[str, Any]:
    items = cast("Sequence[object]", raw) if isinstance(raw, (list, tuple)) else ()
    item = items[index] if index < len(items) else None
    return cast("Mapping[str, Any]", item) if isinstance(item, Mapping) else {}
