"""Convert a Pydantic model, dataclass, TypedDict or JSON Schema to a form, and its answer to a value of that type.

    str                         text, or textarea with json_schema_extra={"ui:widget": "textarea"}
    int, float, Decimal         number (int with step 1)
    bool                        boolean
    Literal["a", "b"], an Enum  select
    list[Literal[…]], set, …    multiselect
    list[str], list[int], …     textarea with one entry per line
    date, time, datetime        date, time, datetime
    a model within              section
    X | None, or a default      not required

Titles and descriptions become labels and descriptions; ge, le, multiple_of, min_length, max_length and pattern become
the rules. Pydantic writes the JSON Schema of a type, and `askback.compat.json_schema` reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import float_schema
from typing_extensions import is_typeddict

from askback.compat.json_schema import read_schema
from askback.compat.json_schema.patterns import FLOATING
from askback.compat.json_schema.result import read_moment_text
from askback.compat.translation import NoFormFor, Problem, words
from askback.domain.faults import join
from askback.domain.fields import Form
from askback.domain.limits import DEFAULTS
from askback.domain.verdict import AskAgain
from askback.errors import Invalid

_NUMBER_RULES = ("multiple_of", "le", "ge", "lt", "gt")
_BOUNDS = {
    "ge": "formatMinimum",
    "le": "formatMaximum",
    "gt": "formatExclusiveMinimum",
    "lt": "formatExclusiveMaximum",
}


_SAME_IN_FORM = {
    "model", "model-fields", "model-field", "dataclass", "dataclass-args", "dataclass-field",
    "typed-dict", "typed-dict-field", "definitions", "definition-ref", "default", "nullable", "none",
    "str", "int", "float", "decimal", "bool", "uuid", "literal", "enum", "list", "set", "frozenset",
    "date", "time", "datetime",
}  # fmt: skip
"""The parts of a type whose rules are those of the fields; any other may refuse what the form accepts."""
_OWN_RULES = {"post_init", "custom_init", "now_op", "max_digits", "decimal_places", "version"}
"""The members of such a part with which it has rules of its own all the same."""
_NO_PARTS = {"metadata", "serialization", "default", "computed_fields"}
"""The members of such a part that check nothing."""


@dataclass(frozen=True, slots=True)
class ModelForm:
    """The form of a type, and `read`, which makes a value of the type from the values of an answer.

    `read` raises Pydantic's error where the type refuses what the form accepts, which it may if it `has_own_rules`.
    """

    form: Form
    read: Callable[[Mapping[str, Any]], Any]
    has_own_rules: bool = False

    def refusal(self, values: Mapping[str, Any]) -> AskAgain | None:
        """Return why the type refuses the values of an answer, by field; None if it does not."""
        try:
            self.read(values)
        except ValidationError as error:
            return self._refusal(error)
        return None

    def instance(self, values: Mapping[str, Any]) -> Any:
        """Return the value of the type; raises `Invalid` where the type refuses the values."""
        try:
            return self.read(values)
        except ValidationError as error:
            refusal = self._refusal(error)
        faults = [
            {"path": join("values", id_), "code": "refused_by_type", "message": text}
            for id_, text in (refusal.field_errors or {}).items()
        ]
        text = refusal.error_summary or "The answer was accepted, but its type refuses it."
        raise Invalid(text, code="refused_by_type", field_errors=faults)

    def _refusal(self, error: ValidationError) -> AskAgain:
        ids = {field.id for field in self.form.all_fields}
        by_field: dict[str, str] = {}
        others: list[str] = []
        for item in error.errors(include_url=False, include_input=False):
            text = str(item.get("ctx", {}).get("error") or item["msg"])
            field_id = _field_id(item["loc"], ids)
            if field_id is None:
                others.append(text)
            else:
                by_field.setdefault(field_id, _line(text))
        return AskAgain(by_field or None, _line(" ".join(others)) if others else None)


def _field_id(location: Sequence[int | str], ids: set[str]) -> str | None:
    """Return the field that an error is about; None for the whole of it."""
    names = [str(step) for step in location]
    paths = (".".join(names[:length]) for length in range(len(names), 0, -1))
    return next((path for path in paths if path in ids), None)


def _line(text: str) -> str:
    """Return a text as one line that fits beside a field."""
    return " ".join(text.split())[: DEFAULTS.title] or "?"


def model_form(model: object) -> ModelForm:
    """Derive the form of a type or a JSON Schema; raises `NoFormFor` with the parts that a form cannot ask for."""
    if isinstance(model, Mapping):
        read = read_schema(cast("Mapping[str, Any]", model))
        return ModelForm(read.form, read.instance)
    cls = cast("type[Any] | None", model if isinstance(model, type) else None)
    if cls is not None and (issubclass(cls, BaseModel) or is_dataclass(cls) or is_typeddict(cls)):
        return _derive_form(cls)
    name = f"A {type(model).__name__}" if cls is None else cls.__name__
    reason = (
        "pass a Pydantic model class, such as `class Report(BaseModel)`, a dataclass, a TypedDict or a JSON Schema, "
        "or ask a `Form` with `form(…)`."
    )
    raise NoFormFor([Problem((), f"{name} cannot be asked for: {reason}")])


@cache
def _derive_form(model: type) -> ModelForm:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(model)
        schema = adapter.json_schema(by_alias=False, schema_generator=_FormSchema)
    except PydanticUserError as error:
        raise NoFormFor([Problem((), str(error).partition("\n")[0])], name=model.__name__) from None
    for definition in schema.get("$defs", {}).values():
        definition.pop("title", None)  # the name of a class says less than the name of the property
    if schema.get("title") == model.__name__:
        schema["title"] = words(model.__name__)
    try:
        read = read_schema(schema)
    except NoFormFor as no_form_error:
        raise NoFormFor(
            [problem._replace(steps=_field_names(problem.steps)) for problem in no_form_error.problems],
            name=model.__name__,
        ) from None

    def instance(values: Mapping[str, Any]) -> Any:
        return adapter.validate_python(read.instance(values, read_moment=read_moment_text), by_name=True)

    has_own_rules = bool(read.losses) or _has_own_rules(adapter.core_schema)
    return ModelForm(read.form, instance, has_own_rules)


def _has_own_rules(part: Any) -> bool:
    """Return whether a part of Pydantic's schema may refuse what a form accepts."""
    if isinstance(part, list | tuple):
        return any(_has_own_rules(item) for item in cast("Sequence[Any]", part))
    if not isinstance(part, dict):
        return False
    members = cast("dict[str, Any]", part)
    if not isinstance(kind := members.get("type"), str):  # the fields of a model by name
        return any(_has_own_rules(member) for member in members.values())
    if kind not in _SAME_IN_FORM or any(members.get(name) for name in _OWN_RULES):
        return True
    return any(_has_own_rules(value) for name, value in members.items() if name not in _NO_PARTS)


def _field_names(steps: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the names of the fields on the way, without the keywords of JSON Schema between them."""
    return tuple(name for keyword, name in pairwise(steps) if keyword == "properties")


class _FormSchema(GenerateJsonSchema):
    """Pydantic's JSON Schema, with the names of enums, bounds of dates, and decimals as numbers."""

    def get_title_from_name(self, name: str) -> str:
        """Return a label for a field."""
        return words(name)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """Return the members as choices: a text is shown as it is, anything else by the member's name."""
        members = cast("list[Enum]", schema["members"])
        return {
            "oneOf": [
                {"const": m.value, "title": m.value if isinstance(m.value, str) else m.name} for m in members
            ]
        }

    def encode_default(self, dft: Any) -> Any:
        """Return a default as JSON, that of a decimal as a number."""
        return super().encode_default(float(dft) if isinstance(dft, Decimal) else dft)

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Return a number."""
        bounds: Any = {key: float(schema[key]) for key in _NUMBER_RULES if key in schema}
        return self.float_schema(float_schema(**bounds))

    def date_schema(self, schema: Any) -> JsonSchemaValue:
        """Return a date with its bounds, none of them exclusive."""
        bounds: dict[str, date] = {key: schema[key] for key in ("ge", "le") if key in schema}
        for key, inclusive_key, days in (("gt", "ge", 1), ("lt", "le", -1)):
            if key in schema:
                bounds[inclusive_key] = schema[key] + timedelta(days=days)
        return {
            **super().date_schema(schema),
            **{_BOUNDS[key]: bound.isoformat() for key, bound in bounds.items()},
        }

    def time_schema(self, schema: Any) -> JsonSchemaValue:
        """Return a time of day with its bounds."""
        return {**super().time_schema(schema), **_bounds(schema)}

    def datetime_schema(self, schema: Any) -> JsonSchemaValue:
        """Return a date and time with its bounds; a naive one is a date and time without a zone."""
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": FLOATING, **_bounds(schema)}
        return {**super().datetime_schema(schema), **_bounds(schema)}


def _bounds(schema: Any) -> dict[str, str]:
    return {keyword: schema[key].isoformat() for key, keyword in _BOUNDS.items() if key in schema}
