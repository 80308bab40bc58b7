"""The rules of a form that depend on sizes and comparisons: texts, lists, ids, initial values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain.faults import join
from askback.domain.fields import AnyField, CompletedView, Form, Section
from askback.domain.limits import Limits
from askback.domain.validation.field import FieldRules, Raw
from askback.domain.validation.parts import Broken
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.value import is_provided, read_value

_LOCALE = re.compile(
    r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?"
)
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


class FormRules:
    """Checks one form, whole or what `Parts` has left of it, and reports every fault."""

    def __init__(self, report: Report, prose: Prose, limits: Limits, path: str) -> None:
        self.report = report
        self.prose = prose
        self.limits = limits
        self.path = path
        self.field_rules = FieldRules(report, prose, limits)
        self.ids: dict[str, AnyField | None] = {}
        self.section_ids: set[str] = set()

    def check(self, form: Form, raw: Mapping[str, Any], *, shape_known: bool = True) -> None:
        """Check everything; `shape_known` is false when `fields` or `sections` is of a wrong type."""
        path, limits, line = self.path, self.limits, self.prose.line
        line(path, "title", form.title, limits.title)
        self.prose.lines(path, "description", form.description, limits.description)
        line(path, "submit_label", form.submit_label, limits.button_label)
        line(path, "cancel_label", form.cancel_label, limits.button_label)
        if form.locale is not None and _LOCALE.fullmatch(form.locale) is None:
            self.report.add(join(path, "locale"), "invalid_locale")
        if shape_known:
            self.check_shape(form)
        self.check_fields(f"{path}.fields", form.fields, raw.get("fields"))
        self.check_sections(form.sections, raw.get("sections"))
        if form.initial_values:
            self.check_initial_values(form.initial_values)
        if form.completed_view is not None:
            self.check_completed_view(form.completed_view)

    def check_shape(self, form: Form) -> None:
        """Fields or sections, one of them, not empty and not too many."""
        if form.fields is not None and form.sections is not None:
            self.report.add(self.path, "fields_and_sections")
        elif form.fields is None and form.sections is None:
            self.report.add(self.path, "no_fields")
        if form.sections is not None and len(form.sections) > self.limits.sections:
            self.report.add(f"{self.path}.sections", "too_many", max=self.limits.sections)
        grouped = sum(len(section.fields or ()) for section in form.sections or ())
        if grouped > self.limits.fields:
            self.report.add(f"{self.path}.sections", "too_many", max=self.limits.fields)
        if len(form.fields or ()) > self.limits.fields:
            self.report.add(f"{self.path}.fields", "too_many", max=self.limits.fields)
        if form.sections is not None and not form.sections:
            self.report.add(f"{self.path}.sections", "no_fields")

    def check_fields(self, path: str, fields: Sequence[AnyField] | None, raw: Raw) -> None:
        """Check the fields of the form or of a section; None when the list itself is missing or wrong."""
        if fields is None:
            return
        if not fields:
            self.report.add(path, "no_fields")
        for index, field in enumerate(cast("Sequence[AnyField | Broken]", fields)):
            at = f"{path}[{index}]"
            if field.id is not None:
                if field.id in self.ids:
                    self.report.add(f"{at}.id", "duplicate_id")
                else:
                    self.ids[field.id] = None
            if not isinstance(field, Broken) and self.field_rules.check(at, field, raw, index):
                self.ids[field.id] = field

    def check_sections(self, sections: Sequence[Section] | None, raw: Raw) -> None:
        """Check each section and its fields."""
        for index, section in enumerate(sections or ()):
            at = f"{self.path}.sections[{index}]"
            id_ = cast("str | None", section.id)  # None where its structure is wrong
            if id_ is not None:
                self.prose.line(at, "id", id_, self.limits.field_id)
                if id_ in self.section_ids:
                    self.report.add(f"{at}.id", "duplicate_id")
                self.section_ids.add(id_)
            self.prose.line(at, "title", section.title, self.limits.title)
            self.prose.lines(at, "description", section.description, self.limits.description)
            self.prose.line(at, "submit_label", section.submit_label, self.limits.button_label)
            self.check_fields(f"{at}.fields", section.fields, _members(raw, index).get("fields"))

    def check_initial_values(self, values: Mapping[str, Any]) -> None:
        """Each is for a field, and one that the field would take; required or not does not matter here."""
        for id_, value in values.items():
            if id_ not in self.ids:
                self.report.add(self.initial_path(id_), "unknown_field")
                continue
            field = self.ids[id_]
            if field is not None and field.sensitive and value is not None:
                self.report.add(self.initial_path(id_), "default_of_sensitive")
                continue
            if self.prose.suspicious:
                lines = field is not None and field.type == "textarea"
                if not self.prose.value(self.initial_path(id_), value, lines=lines):
                    continue
            if field is None or not is_provided(field, value):
                continue
            if read_value(field, value, limits=self.limits, required=False).faults:
                self.report.add(self.initial_path(id_), "invalid_initial_value")

    def initial_path(self, id_: str) -> str:
        """Return the path of an initial value."""
        return join_key(f"{self.path}.initial_values", id_)

    def check_completed_view(self, view: CompletedView) -> None:
        """The summary names only fields that there are."""
        path, template = f"{self.path}.completed_view", view.summary_template
        self.prose.lines(path, "summary_template", template, self.limits.summary_template)
        if template and any(name not in self.ids for name in _PLACEHOLDER.findall(template)):
            self.report.add(f"{path}.summary_template", "unknown_placeholder")


def _members(raw: Raw, index: int) -> Mapping[str, Any]:
    items = cast("Sequence[object]", raw) if isinstance(raw, (list, tuple)) else ()
    item = items[index] if index < len(items) else None
    return cast("Mapping[str, Any]", item) if isinstance(item, Mapping) else {}
