"""Reads a JSON Schema as a form: a property is a field, an object within is a section."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from askback.compat.json_schema.fields import FieldReader, ReadField
from askback.compat.json_schema.form_check import form_problems
from askback.compat.json_schema.hints import Hints
from askback.compat.json_schema.keywords import Schema
from askback.compat.json_schema.resolver import ResolvedSchema, RootSchema, resolve
from askback.compat.json_schema.result import ABSENT, AskedProperty, Constant, Group, SchemaForm
from askback.compat.json_schema.unsupported import UnsupportedKeyword
from askback.compat.translation import Loss, NoFormFor, Problem, Steps, path_of, words
from askback.domain.fields import AnyField, Form, Section

_UNSUPPORTED = (
    "not", "if", "dependentSchemas", "dependencies", "patternProperties", "propertyNames", "minProperties",
    "maxProperties", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
_INVALID_SCHEMA = "It is not a valid JSON Schema."
_NOT_A_SCHEMA = (TypeError, ValueError, AttributeError, KeyError, ArithmeticError, RecursionError)
"""What reading a schema with values of wrong types raises, beyond the types that `keywords.py` checks."""


def read_schema(
    schema: Mapping[str, Any], ui: Mapping[str, Any] | None = None, *, locale: str = "en"
) -> SchemaForm:
    """Return the form for a JSON Schema of an object, whose hints are within it or in `ui` (RJSF's uiSchema).

    `locale` is the language of the few words that the form adds, such as "One entry per line."

    Raises `NoFormFor` with the path of each part that a form cannot ask for.
    """
    reader = _Reader(schema, locale)
    schema_form = reader.read_whole(ui)
    problems = reader.problems or [*form_problems(schema_form.form, reader.places, locale)]
    if problems:
        raise NoFormFor(problems)
    return schema_form


class _Property(NamedTuple):
    """A property that is being read: its name, schema, hints and location."""

    name: str
    resolved: ResolvedSchema
    hints: Hints
    ui: Any
    steps: Steps
    field_id: str
    required: bool
    default: Any

    @property
    def label(self) -> str:
        """Return its label."""
        return self.hints.get("title") or self.resolved.schema.get("title") or words(self.name)


class _Reader:
    """One schema being read."""

    def __init__(self, root: Schema, locale: str) -> None:
        self.root = RootSchema(root)
        self.problems: list[Problem] = []
        self.losses: list[Loss] = []
        self._fields = FieldReader(self.root, locale)
        self.places: dict[str, Steps] = {}

    def read_whole(self, ui: Any) -> SchemaForm:
        """Read everything; the problems are in `problems`, and with any of them the form is empty."""
        try:
            return self._read(ui)
        except UnsupportedKeyword as error:
            self.problems.append(Problem(error.steps, error.reason))
        except _NOT_A_SCHEMA:
            self.problems.append(Problem((), _INVALID_SCHEMA))
        return SchemaForm(Form(), (), Group())

    def _read(self, ui: Any) -> SchemaForm:
        resolved = resolve(self.root.schema, self.root)
        schema, hints = resolved.schema, Hints(resolved.schema, ui)
        if schema.get("type", "object") != "object" or not isinstance(schema.get("properties"), Mapping):
            raise UnsupportedKeyword(
                'A form needs an object with properties: {"type": "object", "properties": {…}}.'
            )
        group = Group()
        items = self._object(resolved, ui, (), "", group, defaults=schema.get("default"))
        if not items and not self.problems:
            raise UnsupportedKeyword(
                "Nothing in it has to be entered: every property has only one possible value.", "properties"
            )
        buttons: Any = hints.get("submitButtonOptions")
        data: dict[str, Any] = {
            "title": hints.get("title") or schema.get("title"),
            "description": hints.get("description") or schema.get("description"),
            "submit_label": cast("Schema", buttons).get("submitText")
            if isinstance(buttons, Mapping)
            else None,
            **_parts(items),
        }
        if self.problems:
            return SchemaForm(Form(), (), group)
        return SchemaForm(self._form({**data, **hints.own}), tuple(self.losses), group)

    def _form(self, data: dict[str, Any]) -> Form:
        """Make the form; sections among the hints name their fields by id."""
        if isinstance(sections := data.get("sections"), list) and data.get("fields"):
            fields = {field.id: field for field in data.pop("fields")}
            data["sections"] = [
                {**section, "fields": [fields[id_] for id_ in section["fields"]]}
                for section in cast("list[dict[str, Any]]", sections)
            ]
        try:
            return Form.model_validate(data)
        except ValidationError as error:
            raise UnsupportedKeyword(f"The form is not valid: {error.errors()[0]['msg']}.") from None

    def _object(
        self, resolved: ResolvedSchema, ui: Any, steps: Steps, prefix: str, group: Group, *, defaults: Any
    ) -> list[AnyField | Section]:
        """Read the properties of an object into `group`; returns its fields, and a section for each object within."""
        schema, members = resolved.schema, cast("list[AnyField | Section]", [])
        hints = Hints(schema, ui)
        for keyword in _UNSUPPORTED:
            if keyword in schema:
                self.problems.append(Problem((*steps, keyword), f"A form has no rule `{keyword}`."))
        properties = cast("Mapping[str, Any]", schema["properties"])
        required = schema.get("required", [])
        for name in required:
            if name not in properties:
                self.problems.append(
                    Problem((*steps, "required"), f"`{name}` is required and has no schema.")
                )
        if "dependentRequired" in schema and "sections" not in hints.own:
            self.losses.append(Loss(path_of((*steps, "dependentRequired")), "A form does not check this."))
        default_values = cast("Mapping[str, Any]", defaults if isinstance(defaults, Mapping) else {})
        for name in hints.ordered(list(properties)):
            property_steps = (*steps, "properties", name)
            try:
                inner = resolve(properties[name], self.root, resolved.references)
                property_ = _Property(
                    name, inner, Hints(inner.schema, hints.below(name)), hints.below(name), property_steps,
                    f"{prefix}{name}",
                    name in required, default_values.get(name, inner.schema.get("default")),
                )  # fmt: skip
                members += self._property(property_, group)
            except UnsupportedKeyword as error:
                self.problems.append(Problem((*property_steps, *error.steps), error.reason))
            except _NOT_A_SCHEMA:
                self.problems.append(Problem(property_steps, _INVALID_SCHEMA))
        return members

    def _property(self, property_: _Property, group: Group) -> list[AnyField | Section]:
        schema, default = property_.resolved.schema, property_.default
        self.places[property_.field_id] = property_.steps
        constant = _constant(property_)
        if constant is not ABSENT:
            if property_.required or default is not None:
                group.members[property_.name] = Constant(constant)
            return []
        if isinstance(schema.get("properties"), Mapping) and "type" not in property_.hints.own:
            return self._section(property_, group)
        read = self._fields.read(
            property_.field_id,
            property_.label,
            schema,
            property_.hints,
            required=property_.required and not property_.resolved.nullable,
            default=default,
        )
        self.losses += [Loss(path_of((*property_.steps, *steps)), reason) for steps, reason in read.losses]
        group.members[property_.name] = _asked_property(property_, read)
        return [read.field]

    def _section(self, property_: _Property, group: Group) -> list[AnyField | Section]:
        """Read an object within: its own fields are a section, and each object in it is another one."""
        optional = not property_.required or property_.resolved.nullable
        absent_value = None if property_.required and property_.resolved.nullable else ABSENT
        inner_group = group.members[property_.name] = Group(optional=optional, absent=absent_value)
        items = self._object(
            property_.resolved,
            property_.ui,
            property_.steps,
            f"{property_.field_id}.",
            inner_group,
            defaults=property_.default,
        )
        fields = [item for item in items if not isinstance(item, Section)]
        nested_sections = [item for item in items if isinstance(item, Section)]
        if optional and nested_sections:
            raise UnsupportedKeyword(
                "An optional object cannot contain another object: a form has one level of sections. "
                "Make it required, or move the inner properties up."
            )
        nested_sections = [
            item.model_copy(update={"title": f"{property_.label} – {item.title}"}) for item in nested_sections
        ]
        if not fields:
            return list(nested_sections)
        if optional and property_.default is None:
            # A default would make the section count as filled in, and then its required fields must be.
            fields = [field.model_copy(update={"default": None}) for field in fields]
        description = property_.hints.get("description") or property_.resolved.schema.get("description")
        section = Section(
            id=property_.field_id,
            title=property_.label,
            description=description,
            optional=optional,
            fields=fields,
        )
        return [section, *nested_sections]


def _constant(property_: _Property) -> Any:
    """Return the only value that a property can have; `ABSENT` if there are several."""
    schema = property_.resolved.schema
    if "const" in schema and schema["const"] is not True and not property_.resolved.nullable:
        return schema["const"]
    if property_.hints.get("widget") == "hidden" or (
        schema.get("readOnly") is True and property_.default is None
    ):
        if property_.default is None and property_.required and not property_.hints.own:
            raise UnsupportedKeyword("It is hidden or read-only, required, and has no default.")
        return property_.default
    return ABSENT


def _asked_property(property_: _Property, read_field: ReadField) -> AskedProperty:
    absent_value = read_field.absent if property_.required and not read_field.field.required else ABSENT
    absent_value = None if property_.required and property_.resolved.nullable else absent_value
    is_moment = read_field.field.type == "datetime" and not read_field.field.floating
    return AskedProperty(read_field.field.id, read_field.reader, absent_value, is_moment)


def _parts(items: list[AnyField | Section]) -> dict[str, Any]:
    """Return fields, or sections; then fields between two sections are a section without a title."""
    if not any(isinstance(item, Section) for item in items):
        return {"fields": items}
    sections: list[Section] = []
    for is_section, run in groupby(items, lambda item: isinstance(item, Section)):
        members = list(run)
        if is_section:
            sections += cast("list[Section]", members)
        else:
            fields = cast("list[AnyField]", members)
            sections.append(Section(id=f"{fields[0].id}…", fields=fields))
    return {"sections": sections}
