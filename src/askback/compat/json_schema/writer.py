"""Writes a form as a JSON Schema of its answers, and as hints for everything else."""

from __future__ import annotations

from typing import Any

from askback.compat.json_schema.field_schema import field_hints, field_schema
from askback.compat.json_schema.fields import FieldReader
from askback.compat.json_schema.hints import OWN_KEY, Hints
from askback.compat.json_schema.resolver import RootSchema, resolve
from askback.compat.json_schema.result import WrittenSchema
from askback.compat.translation import Loss, language_losses, path_of
from askback.domain.fields import AnyField, Form, Section
from askback.messages import DEFAULT_LOCALE
from askback.messages.languages import choose

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def write_schema(form: Form) -> WrittenSchema:
    """Return the JSON Schema of `answer.values`, whose hints make it the same form again when it is read."""
    schema: dict[str, Any] = {"$schema": DIALECT, "type": "object"}
    locale = form.locale or DEFAULT_LOCALE
    prompt = {"title": choose(form.title, [locale]), "description": choose(form.description, [locale])}
    schema |= {name: text for name, text in prompt.items() if text}
    schema |= {"properties": {}, "additionalProperties": False}
    ui: dict[str, Any] = {}
    losses = [*language_losses(form)]
    optional = [section for section in form.sections or () if section.optional]
    required = _required(form)
    conditional = {f.id for s in form.sections or () if s.visible_if is not None for f in s.fields}
    for field in form.all_fields:
        schema_of_field, lost = field_schema(field, locale)
        if field.visible_if is not None or field.id in conditional:
            lost.append("A schema does not know `visible_if`: the value may be missing, and may be there.")
        hints = field_hints(field, locale)
        hints_of_field = _differences(field, schema_of_field, hints, required=field.id in required)
        if hints_of_field:
            hints["ui:options"] = {
                OWN_KEY: {**hints.get("ui:options", {}).get(OWN_KEY, {}), **hints_of_field}
            }
        schema["properties"][field.id] = schema_of_field
        ui |= {field.id: hints} if hints else {}
        losses += [Loss(path_of(("properties", field.id)), reason) for reason in lost]
    if required:
        schema["required"] = required
    if dependent := _dependent(optional):
        schema["dependentRequired"] = dependent
    return WrittenSchema(schema, {**_form_hints(form, locale), **ui}, tuple(losses))


def _required(form: Form) -> list[str]:
    """Return the fields without which no answer is accepted."""
    optional_ids = {
        field.id
        for section in form.sections or ()
        if section.optional or section.visible_if is not None
        for field in section.fields
    }
    return [
        field.id
        for field in form.all_fields
        if field.required
        and not field.allow_skip
        and field.visible_if is None
        and field.id not in optional_ids
    ]


def _dependent(optional: list[Section]) -> dict[str, list[str]]:
    """Return the fields that an optional section requires once one of them has a value."""
    dependencies: dict[str, list[str]] = {}
    for section in optional:
        required = [f.id for f in section.fields if f.required and not f.allow_skip and f.visible_if is None]
        for field in section.fields:
            if other_ids := [id_ for id_ in required if id_ != field.id]:
                dependencies[field.id] = other_ids
    return dependencies


def _differences(
    field: AnyField, written: dict[str, Any], hints: dict[str, Any], *, required: bool
) -> dict[str, Any]:
    """Return the members of a field that reading its schema would not bring back."""
    root = RootSchema(written)
    reader = FieldReader(root, "en")
    schema = resolve(written, root).schema
    label, default = schema.get("title", field.id), schema.get("default")
    read = reader.read(field.id, label, schema, Hints(schema, hints), required=required, default=default)
    field_members, read_members = _members(field), _members(read.field)
    return {
        name: field_members.get(name)
        for name in field_members | read_members
        if field_members.get(name) != read_members.get(name)
    }


def _form_hints(form: Form, locale: str) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    if form.submit_label is not None:
        hints["ui:submitButtonOptions"] = {"submitText": choose(form.submit_label, [locale])}
    form_members = _members(form)
    for name in ("title", "description", "submit_label", "fields"):
        if not isinstance(form_members.get(name), dict):
            form_members.pop(name, None)
    if form.sections is not None:
        form_members["sections"] = [
            {**_members(section), "fields": [field.id for field in section.fields]}
            for section in form.sections
        ]
    return hints | ({"ui:options": {OWN_KEY: form_members}} if form_members else {})


def _members(model: Any) -> dict[str, Any]:
    model_data = model.model_dump(mode="json", exclude_defaults=True)
    return {**model_data, "type": model.type} if hasattr(model, "type") else model_data
