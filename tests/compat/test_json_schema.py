"""A JSON Schema becomes a form, a form becomes a JSON Schema, and the answers fit both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from askback.compat.json_schema import read_schema, write_schema
from askback.compat.translation import Loss, NoFormFor
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.validation import check_answer, check_form
from tests.compat.forms import forms, forms_with_answers
from tests.requirements import requirement

SLOW = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def validation_errors(schema: dict[str, Any], instance: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(instance)]


def dump_fields(form: Form) -> list[dict[str, Any]]:
    return [{"type": f.type, **f.model_dump(exclude_defaults=True)} for f in form.all_fields]


def read_property(schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    object_schema = {"type": "object", "properties": {"v": schema}, "required": ["v"] if required else []}
    return dump_fields(read_schema(object_schema).form)[0]


@requirement("F31")
@SLOW
@given(form=forms())
def test_a_form_survives_its_schema_and_hints(form: Form) -> None:
    written_schema = write_schema(form)
    Draft202012Validator.check_schema(written_schema.schema)
    schema, ui = json.loads(json.dumps([written_schema.schema, written_schema.ui]))
    assert read_schema(schema, ui).form == form


@requirement("F31")
@SLOW
@given(form_and_values=forms_with_answers())
def test_an_accepted_answer_fits_the_schema_of_its_form(form_and_values: tuple[Form, dict[str, Any]]) -> None:
    form, values = form_and_values
    assert validation_errors(write_schema(form).schema, values) == []


@requirement("F31")
@SLOW
@given(form_and_values=forms_with_answers())
def test_the_schema_alone_asks_for_the_same_answers(form_and_values: tuple[Form, dict[str, Any]]) -> None:
    form, values = form_and_values
    written_schema = write_schema(form)
    accepted = check_answer(read_schema(written_schema.schema).form, values).values
    assert validation_errors(written_schema.schema, accepted) == []


@requirement("F31")
def test_a_schema_written_by_others_is_read_whole() -> None:
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/report",
        "title": "Report",
        "type": "object",
        "$defs": {"level": {"type": "integer", "enum": [1, 2]}},
        "properties": {
            "format": {"oneOf": [{"const": "pdf", "title": "PDF"}, {"const": "doc", "title": "Word", "description": "97"}]},
            "mail": {"type": "string", "format": "email", "examples": ["a@b.co"]},
            "level": {"$ref": "#/$defs/level", "title": "Level", "default": 2},
            "note": {"type": ["string", "null"], "ui:widget": "textarea", "maxLength": 99},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "uniqueItems": True},
            "lines": {"type": "array", "items": {"type": "integer"}, "default": [1, 2], "maxItems": 3},
            "colour": {"type": "string", "anyOf": [{"enum": ["red"]}, {"type": "string"}]},
            "agree": {"type": "boolean", "const": True},
            "version": {"const": 3},
            "when": {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}, "required": ["at"]},
        },
        "required": ["format", "agree", "version", "tags", "note", "when"],
    }  # fmt: skip
    schema_form = read_schema(
        schema, {"ui:order": ["agree", "*"], "format": {"ui:widget": "radio", "ui:placeholder": "p"}}
    )
    assert [(f.id, f.type, f.required) for f in schema_form.form.all_fields] == [
        ("agree", "boolean", True), ("format", "radio", True), ("mail", "text", False), ("level", "select", False),
        ("note", "textarea", False), ("tags", "multiselect", True), ("lines", "textarea", False),
        ("colour", "select", False), ("when.at", "datetime", True),
    ]  # fmt: skip
    assert [section.title for section in schema_form.form.sections or []] == [None, "When"]
    sent = {"agree": True, "format": "doc", "level": 2, "tags": ["b"], "lines": " 1\n\n2 ", "colour": "teal",
            "when.at": "2026-11-20T09:00[Europe/Berlin]"}  # fmt: skip
    instance = schema_form.instance(
        check_answer(check_form(schema_form.form.model_dump(exclude_none=True)), sent).values
    )
    assert instance == {
        "agree": True, "format": "doc", "level": 2, "note": None, "tags": ["b"], "lines": [1, 2], "colour": "teal",
        "version": 3, "when": {"at": "2026-11-20T09:00:00+01:00"},
    }  # fmt: skip
    assert validation_errors(schema, instance) == []
    assert datetime.fromisoformat(instance["when"]["at"]) == datetime(2026, 11, 20, 8, tzinfo=UTC)
    with pytest.raises(Faults):
        check_answer(schema_form.form, {**sent, "lines": "1\n2\n3\n4"})


@requirement("F31")
@pytest.mark.parametrize(
    ("part", "path", "reason"),
    [
        ({"type": "object"}, "properties.v", "names of an object's properties"),
        ({"type": ["string", "integer"]}, "properties.v.type", "one type"),
        ({"$ref": "#/$defs/none"}, 'properties.v["$ref"]', "leads nowhere"),
        ({"$ref": "https://example.com/x"}, 'properties.v["$ref"]', "within the schema"),
        ({"$ref": "#"}, 'properties.v.properties.v["$ref"]', "refers to itself"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "properties.v.anyOf", "several shapes"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "properties.v.allOf[1]", "contradicts"),
        ({"type": "string", "pattern": "(?=a)"}, "properties.v.pattern", "RE2"),
        ({"type": "string", "format": "password"}, "properties.v", "secret"),
        ({"type": "string", "writeOnly": True}, "properties.v", "secret"),
        ({"type": "string", "format": "binary"}, "properties.v.format", "bytes"),
        (
            {"type": "string", "contentEncoding": "base64"},
            "properties.v.contentEncoding",
            "no rule `contentEncoding`",
        ),
        ({"type": "array"}, "properties.v", "needs a type"),
        ({"type": "array", "items": {"type": "array", "items": {}}}, "properties.v.items", "list of choices"),
        ({"type": "array", "prefixItems": []}, "properties.v.prefixItems", "no rule `prefixItems`"),
        ({"type": "string", "not": {"const": "x"}}, "properties.v.not", "no rule `not`"),
        ({"enum": [{}, 1]}, "properties.v.enum", "a text, a number or a truth value"),
        ({"enum": [True, "true"]}, "properties.v.enum", "same value"),
        ({"type": "string", "minLength": "x"}, "properties.v.minLength", "a whole number from 0"),
        ({"type": "number", "minimum": "x"}, "properties.v.minimum", "a number"),
        ({"type": "number", "multipleOf": 0}, "properties.v", "step: "),
        ({"anyOf": [True]}, "properties.v.anyOf", "a list of schemas"),
        ({"type": "number", "minimum": 3, "maximum": 2}, "properties.v", "min: "),
        ({"enum": []}, "properties.v.enum", "at least one value"),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 2}, "properties.v", "min_choices: "),
        ({"type": "string", "title": "pass\u202eword"}, "properties.v", "label: "),
        ({"type": "string", "ui:widget": "hidden"}, "properties.v", "no default"),
        (True, "properties.v", "needs a type"),
        (
            {"type": "object", "properties": {"w": {}}, "required": ["x"]},
            "properties.v.required",
            "has no schema",
        ),
        (
            {"type": "object", "properties": {"w": {"type": "string"}}, "if": {}},
            "properties.v.if",
            "no rule `if`",
        ),
    ],
)
def test_an_unsupported_schema_is_refused_with_its_path(part: Any, path: str, reason: str) -> None:
    schema = {"type": "object", "properties": {"v": part, "fine": {"type": "string"}}, "required": ["v"]}
    with pytest.raises(NoFormFor, match=re.escape(path)) as exc_info:
        read_schema(schema)
    assert exc_info.value.problems[0].path == path
    assert reason in exc_info.value.problems[0].reason


def both_of(reference: dict[str, str]) -> dict[str, Any]:
    return {"allOf": [reference, reference]}


def object_of(reference: dict[str, str]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": reference, "b": reference}, "required": ["a", "b"]}


@pytest.mark.parametrize("double", [both_of, object_of])
def test_references_that_double_many_times_are_refused(
    double: Callable[[dict[str, str]], dict[str, Any]],
) -> None:
    parts = {str(level): double({"$ref": f"#/$defs/{level + 1}"}) for level in range(15)}
    object_schema = {"type": "object", "properties": {"v": {"$ref": "#/$defs/0"}}, "required": ["v"]}
    with pytest.raises(NoFormFor) as exc_info:
        read_schema({**object_schema, "$defs": {**parts, "15": {"type": "string"}}})
    problem = exc_info.value.problems[0]
    assert problem.path.startswith("properties.v")
    assert problem.path.endswith('["$ref"]')
    assert "more than 50,000 parts" in problem.reason


JUNK = (None, True, -1, 1.5, 10**30, float("nan"), "zz", "", [], ["a"], [None], {}, {"a": 1}, {"$ref": "#"})
KEYWORDS = (
    "type", "title", "description", "default", "enum", "const", "oneOf", "anyOf", "allOf", "$ref", "$defs", "minLength",
    "maxLength", "pattern", "format", "minimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "items",
    "properties", "required", "readOnly", "ui:widget", "ui:options", "ui:order", "ui:enumNames", "ui:placeholder",
)  # fmt: skip


@requirement("F31")
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_any_value_of_a_keyword_gives_an_error_with_a_path_or_a_valid_form(
    keyword: str,
) -> None:
    items = {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 5}
    part = {"type": "object", "properties": {"a": {"type": "string"}, "l": items}, "required": ["a"]}
    number = {"type": "number", "minimum": 1}
    object_schema = {"type": "object", "properties": {"p": part, "n": number, "c": {"enum": ["", "x"]}}}
    for value in JUNK:
        for path in ((), ("p",), ("n",), ("c",), ("p", "a"), ("p", "l")):
            schema = json.loads(json.dumps(object_schema))
            subschema = schema
            for name in path:
                subschema = subschema["properties"][name]
            subschema[keyword] = value
            with suppress(NoFormFor):
                check_form(read_schema(schema).form)


def test_redundant_keywords_of_a_schema_are_accepted() -> None:
    """More choices than there are, an empty choice, keywords that are null, one alternative: a form says it otherwise."""
    properties = {
        "all": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 9},
        "none": {"enum": ["", "x"]},
        "null": {"type": "string", "description": None, "minLength": None, "enum": None},
        "one": {"anyOf": [{"type": "string"}]},
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": ["all", "none", "null", "one"],
        "ui:order": ["one", "*", "one"],
    }
    form = check_form(read_schema(schema).form)
    assert [(field.id, field.required) for field in form.all_fields] == [
        ("one", True), ("all", False), ("none", True), ("null", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "schema",
    [{}, {"type": "object"}, {"type": "string"}, {"type": "object", "properties": {}}, {"properties": {"a": {"const": 1}}}, {"properties": []}],
)  # fmt: skip
def test_a_schema_that_asks_for_nothing_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(
        NoFormFor,
        match=r"A form needs an object with properties|Nothing in it has to be entered|It must be an object",
    ):
        read_schema(schema)


@pytest.mark.parametrize(
    ("rules", "bounds"),
    [
        ({"type": "integer"}, {"step": 1}),
        ({"type": "integer", "minimum": 0.5, "exclusiveMaximum": 4}, {"min": 1, "max": 3, "step": 1}),
        ({"type": "integer", "multipleOf": 1.5, "minimum": 1}, {"min": 3, "step": 3}),
        (
            {"type": "number", "multipleOf": 0.1, "minimum": 0.25, "maximum": 1},
            {"min": 0.3, "max": 1, "step": 0.1},
        ),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": 2}, {"min": 2}),
        ({"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, {"step": 1}),
    ],
)
def test_bounds_are_those_of_the_schema(rules: dict[str, Any], bounds: dict[str, Any]) -> None:
    assert read_property(rules) == {"id": "v", "label": "V", "type": "number", **bounds}


@requirement("F31")
def test_keywords_that_the_form_does_not_check_are_listed() -> None:
    properties = {
        "a": {"type": "number", "exclusiveMinimum": 0},
        "b": {"type": "string", "format": "hostname"},
        "c": {"type": "string", "format": "time", "default": "soon"},
        "d": {"type": "array", "items": {"type": "string", "pattern": "x"}, "uniqueItems": True},
    }
    losses = read_schema({"type": "object", "properties": properties}).losses
    assert [loss.path for loss in losses] == [
        "properties.a.exclusiveMinimum", "properties.b.format", "properties.c.format", "properties.c.default",
        "properties.d.items.pattern", "properties.d.uniqueItems",
    ]  # fmt: skip


def test_rules_that_the_schema_does_not_check_are_listed() -> None:
    form = check_form({"fields": [
        {"id": "odd", "type": "number", "label": "Odd", "min": 1, "step": 2},
        {"id": "at", "type": "date", "label": "At", "min": "2026-01-01"},
        {"id": "key", "type": "text", "label": "Key", "sensitive": True},
    ]})  # fmt: skip
    assert write_schema(form).losses == (
        Loss("properties.odd", "The step of 2 counts from 1, and in a schema it counts from 0."),
        Loss(
            "properties.at",
            "`formatMinimum` and `formatMaximum` are checked only by validators that know them.",
        ),
        Loss(
            "properties.key",
            "An answer has a reference to a sensitive value, which no rule of the schema is about.",
        ),
    )


@requirement("F31")
@pytest.mark.parametrize("count", [None, 3])
def test_a_file_is_the_record_that_an_answer_has(count: int | None) -> None:
    field = {
        "id": "f",
        "type": "file",
        "label": "F",
        "required": True,
        "accept": [".csv"],
        "max_files": count,
    }
    form = check_form({"fields": [{name: value for name, value in field.items() if value is not None}]})
    written_schema = write_schema(form)
    record = {"id": "file_1", "name": "a.csv", "size": 3, "type": "text/csv", "sha256": "00"}
    assert validation_errors(written_schema.schema, {"f": [record] if count else record}) == []
    schema_form = read_schema(written_schema.schema, written_schema.ui)
    assert schema_form.form == form
    assert schema_form.instance({"f": record}) == {"f": record}


def test_a_list_says_in_the_language_of_its_reader_that_each_line_is_an_entry() -> None:
    schema = {
        "type": "object",
        "properties": {"tags": {"type": "array", "items": {"type": "string"}, "description": "T"}},
    }
    (field,) = read_schema(schema, locale="de").form.all_fields
    assert field.description == "T\n\nGib einen Eintrag pro Zeile ein."
