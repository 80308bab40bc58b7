"""Fields of type `rows` as plain fields: a decision for each row, and its fields, which are shown if it is accepted.

Answers are asked for and checked by these plain fields, so that the usual rules apply. Their ids are the
steps to the value, one on each line: an agent's own ids never have several lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any, cast

from askback.domain.condition import Condition
from askback.domain.faults import join
from askback.domain.fields import AnyField, Form, Radio, Row, Rows
from askback.domain.options import Option

ACCEPT, DECLINE = "accept", "decline"
DECISION, VALUES = "decision", "values"


def has_rows(form: Form) -> bool:
    """Return whether a form has a field of type `rows`."""
    return any(field.type == "rows" for field in form.all_fields)


def value_path(id_: str) -> str:
    """Return the path of the value of a field, including a field of a row."""
    return reduce(join, id_.split("\n"), "values") if "\n" in id_ else join("values", id_)


def decision_id(field: Rows, row: Row) -> str:
    """Return the id of the plain field that decides about a row."""
    return f"{field.id}\n{row.id}\n{DECISION}"


def field_id(field: Rows, row: Row, id_: str) -> str:
    """Return the id of the plain field for a field of a row."""
    return f"{field.id}\n{row.id}\n{VALUES}\n{id_}"


def flat_form(form: Form) -> Form:
    """Return the form with plain fields in place of its rows."""
    if not has_rows(form):
        return form
    sections = form.sections and [
        section.model_copy(update={"fields": list(_flatten(section.fields))}) for section in form.sections
    ]
    initial_values = form.initial_values and flat_values(form, form.initial_values)
    fields = None if form.fields is None else list(_flatten(form.fields))
    return form.model_copy(update={"fields": fields, "sections": sections, "initial_values": initial_values})


def _flatten(fields: list[AnyField]) -> Iterator[AnyField]:
    for field in fields:
        if not isinstance(field, Rows):
            yield field
            continue
        for row in field.rows:
            decision = Radio(
                id=decision_id(field, row),
                label=row.label,
                description=row.description,
                required=field.required,
                messages=field.messages,
                validate_on_client=field.validate_on_client,
                visible_if=field.visible_if,
                options=[
                    Option(value=ACCEPT, label=field.accept_label or "Accept"),
                    Option(value=DECLINE, label=field.decline_label or "Decline"),
                ],
            )
            yield decision
            accepted = Condition.model_validate({"field": decision.id, "is": ACCEPT})
            for item in row.fields or ():
                update = {
                    "id": field_id(field, row, item.id),
                    "label": item.label or row.label,
                    "visible_if": accepted,
                }
                yield item.model_copy(update=update)


def flat_values(form: Form, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the ids of the plain fields; `values` have the structure of an answer."""
    rows = {field.id: field for field in form.all_fields if isinstance(field, Rows)}
    flattened = {id_: value for id_, value in values.items() if id_ not in rows}
    for id_, field in rows.items():
        decisions = cast("Mapping[str, Mapping[str, Any]]", values.get(id_) or {})
        for row in field.rows:
            decided = decisions.get(row.id, {})
            if DECISION in decided:
                flattened[decision_id(field, row)] = decided[DECISION]
            flattened |= {
                field_id(field, row, name): value for name, value in decided.get(VALUES, {}).items()
            }
    return flattened


def fold_values(form: Form, flattened: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of the plain fields as the answer to `form`, in its order."""
    values: dict[str, Any] = {}
    for field in form.all_fields:
        if not isinstance(field, Rows):
            if field.id in flattened:
                values[field.id] = flattened[field.id]
        elif decided := {
            row.id: row_values for row in field.rows if (row_values := _fold_row(field, row, flattened))
        }:
            values[field.id] = decided
    return values


def _fold_row(field: Rows, row: Row, flattened: Mapping[str, Any]) -> dict[str, Any]:
    decision = flattened.get(decision_id(field, row))
    ids = {item.id: field_id(field, row, item.id) for item in row.fields or ()}
    values = {id_: flattened[name] for id_, name in ids.items() if name in flattened}
    return ({} if decision is None else {DECISION: decision}) | ({VALUES: values} if values else {})
