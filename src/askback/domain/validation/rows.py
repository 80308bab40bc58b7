"""Checks fields of type `rows`, and reads their values as those of plain fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from askback.domain.faults import join
from askback.domain.fields import Form, Row, RowField, Rows
from askback.domain.limits import Limits
from askback.domain.rows import DECISION, VALUES, decision_id, field_id, value_path
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.text_check import TextCheck

CheckField = Callable[[str, RowField, Any, int], object]
"""Checks a field at a path; the list that was sent and the place in it come last."""


class RowRules:
    """Checks the rows of one field."""

    def __init__(
        self, report: Report, text_check: TextCheck, limits: Limits, check_field: CheckField
    ) -> None:
        self.report = report
        self.text_check = text_check
        self.limits = limits
        self.check_field = check_field

    def check(self, path: str, field: Rows, raw: Any) -> None:
        """Check the rows of a field; `raw` is the unparsed field."""
        for key in ("sensitive", "readonly", "allow_skip"):
            if getattr(field, key):
                self.report.add(join(path, key), "constraint_not_allowed", type="rows")
        for key in ("accept_label", "decline_label"):
            self.text_check.line(path, key, getattr(field, key), self.limits.button_label)
        self.check_count(f"{path}.rows", len(field.rows), self.limits.rows)
        ids: set[str] = set()
        for index, row in enumerate(field.rows[: self.limits.rows]):
            item_path = f"{path}.rows[{index}]"
            self.check_row(item_path, row, raw["rows"][index])
            if row.id in ids:
                self.report.add(f"{item_path}.id", "duplicate_id")
            ids.add(row.id)

    def check_count(self, path: str, count: int, limit: int) -> None:
        """Check the length of a list."""
        if not count:
            self.report.add(path, "empty.list")
        elif count > limit:
            self.report.add(path, "too_many", max=limit)

    def check_row(self, path: str, row: Row, raw: Any) -> None:
        """Check a row and its fields, which are shown as soon as the row is accepted."""
        limits, text_check = self.limits, self.text_check
        text_check.line(path, "id", row.id, limits.field_id)
        text_check.line(path, "label", row.label, limits.label, lines=True)
        text_check.lines(path, "description", row.description, limits.description)
        if row.fields is None:
            return
        self.check_count(f"{path}.fields", len(row.fields), limits.row_fields)
        ids: set[str] = set()
        for index, field in enumerate(row.fields[: limits.row_fields]):
            item_path = f"{path}.fields[{index}]"
            if field.id in ids:
                self.report.add(f"{item_path}.id", "duplicate_id")
            ids.add(field.id)
            for key in ("sensitive", "readonly", "allow_skip", "visible_if", "options_from"):
                if getattr(field, key, None):
                    self.report.add(join(item_path, key), "constraint_not_allowed.row")
            self.check_field(item_path, field, raw["fields"], index)


def read_rows(form: Form, sent_values: Mapping[str, object], report: Report) -> dict[str, object]:
    """Return the values by the ids of plain fields, and report every fault of their structure."""
    rows = {field.id: field for field in form.all_fields if isinstance(field, Rows)}
    values_by_path: dict[str, object] = {}
    for id_, value in sent_values.items():
        if (field := rows.get(id_)) is not None:
            values_by_path |= _read_field(field, value, report)
        elif "\n" in id_:
            report.add(join_key("values", id_), "unknown_field")
        else:
            values_by_path[id_] = value
    return values_by_path


def _read_field(field: Rows, value: object, report: Report) -> dict[str, object]:
    path, rows = value_path(field.id), {row.id: row for row in field.rows}
    values_by_path: dict[str, object] = {}
    for row_id, decided in _members(value, path, report).items():
        item_path = join_key(path, row_id)
        if (row := rows.get(row_id)) is None:
            report.add(item_path, "unknown_field")
            continue
        members = _members(decided, item_path, report)
        for key in (member for member in members if member not in (DECISION, VALUES)):
            report.add(join_key(item_path, key), "unknown_field.key")
        values_by_path[decision_id(field, row)] = members.get(DECISION)
        field_ids = {field.id for field in row.fields or ()}
        for id_, item in _members(members.get(VALUES), join(item_path, VALUES), report).items():
            if id_ in field_ids:
                values_by_path[field_id(field, row, id_)] = item
            else:
                report.add(join_key(join(item_path, VALUES), id_), "unknown_field")
    return values_by_path


def _members(value: object, path: str, report: Report) -> Mapping[str, object]:
    """Return the members of an object, none for null; keys are texts, because it was JSON."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        report.add(path, "wrong_type.object")
        return {}
    return {str(key): member for key, member in cast("Mapping[object, object]", value).items()}
