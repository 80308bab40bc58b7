"""Forms as MCP elicitations, and elicitations as forms, checked against MCP's own schema."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from askback.client.modelform import model_form
from askback.compat.mcp_elicitation import (
    read_answer,
    read_decision,
    read_elicitation,
    write_approval,
    write_elicitation,
    write_result,
)
from askback.compat.translation import Loss, NoFormFor, NotExpressible
from askback.domain.fields import Form
from askback.domain.request import InputRequest
from askback.domain.validation import check_answer, check_form
from tests.compat.forms import forms_with_answers
from tests.requirements import requirement

VERSIONS = ("2025-11-25", "2026-07-28")
SLOW = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def close_schema(schema: Any) -> Any:
    """Return a schema whose objects allow only the members that they name, so that a misspelled keyword is found."""
    if isinstance(schema, list):
        return [close_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed_schema = {name: close_schema(value) for name, value in schema.items()}
    return (
        {"additionalProperties": False, **closed_schema}
        if isinstance(closed_schema.get("properties"), dict) and "type" in closed_schema
        else closed_schema
    )


def definitions(version: str) -> dict[str, Any]:
    text = (Path(__file__).parent / "schemas" / f"mcp-elicitation-{version}.json").read_text()
    return close_schema(json.loads(text))


MCP = {version: definitions(version) for version in VERSIONS}


def faults(params: Any, *, type_name: str = "ElicitRequestFormParams") -> list[str]:
    return [
        f"{version} {error.json_path}"
        for version in VERSIONS
        for error in Draft202012Validator({**MCP[version], "$ref": f"#/$defs/{type_name}"}).iter_errors(
            params
        )
    ]


def answer_over_elicitation(form: Form, values: dict[str, Any]) -> dict[str, Any]:
    """What a client sends for an answer: values of MCP's types, and own texts in their own properties."""
    content: dict[str, Any] = {}
    for field in form.all_fields:
        value = values.get(field.id)
        if value is None or field.readonly:
            continue
        options = {option.value: str(option.value) for option in getattr(field, "options", [])}
        if field.type == "multiselect":
            content[field.id] = [options[item] for item in value if item in options]
            own = [item for item in value if item not in options]
            content |= {f"{field.id}__other": own[0]} if own else {}
        elif field.type in ("select", "radio"):
            content[field.id if value in options else f"{field.id}__other"] = options.get(value, value)
        else:
            content[field.id] = value
    return content


@requirement("F31")
@SLOW
@given(form_and_values=forms_with_answers())
def test_every_form_is_an_elicitation_whose_answer_comes_back(
    form_and_values: tuple[Form, dict[str, Any]],
) -> None:
    form, values = form_and_values
    if any(
        len([e for e in v if e not in {o.value for o in f.options}]) > 1
        for f in form.all_fields
        if f.type == "multiselect" and (v := values.get(f.id))
    ):
        return  # MCP has room for one own text
    assert faults(write_elicitation(form).params) == []
    content = answer_over_elicitation(form, values)
    assert check_answer(form, read_answer(form, content)["values"]).values == values


@requirement("F31")
@SLOW
@given(form_and_values=forms_with_answers())
def test_a_form_of_an_elicitation_asks_for_the_same(form_and_values: tuple[Form, dict[str, Any]]) -> None:
    form, values = form_and_values
    params = write_elicitation(form).params
    if not params["requestedSchema"]["properties"]:
        return
    schema_form = read_elicitation(params)
    request_members = {field.id for field in schema_form.form.all_fields}
    assert request_members == set(params["requestedSchema"]["properties"])
    content = answer_over_elicitation(form, values)
    instance = schema_form.instance(
        check_answer(schema_form.form, {k: v for k, v in content.items() if v not in ("", [])}).values
    )
    required = params["requestedSchema"].get("required", [])
    assert set(required) <= set(instance)
    assert faults({"action": "accept", "content": instance}, type_name="ElicitResult") == [] or any(
        isinstance(value, float)
        for value in instance.values()  # the schema of 2025 says integer
    )


@requirement("F31")
def test_features_that_mcp_lacks_are_listed() -> None:
    form = check_form({"title": "Report", "description": "Which?", "sections": [{"id": "s", "title": "S", "fields": [
        {"id": "fmt", "type": "select", "label": "Format", "options": ["pdf", {"value": 1, "label": "One"}], "required": True, "allow_other": True, "default": 1},
        {"id": "code", "type": "text", "label": "Code", "pattern": "[A-Z]+", "required": True},
        {"id": "half", "type": "number", "label": "Half", "step": 0.5},
        {"id": "ok", "type": "checkbox", "label": "OK", "required": True},
        {"id": "at", "type": "time", "label": "At", "min": "09:00", "visible_if": {"field": "ok", "is": True}},
    ]}]})  # fmt: skip
    written_elicitation = write_elicitation(form)
    assert faults(written_elicitation.params) == []
    assert written_elicitation.params == {
        "mode": "form",
        "message": "Report\n\nWhich?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "fmt": {"type": "string", "oneOf": [{"const": "pdf", "title": "pdf"}, {"const": "1", "title": "One"}], "title": "Format", "default": "1"},
                "fmt__other": {"type": "string", "title": "Format: Other"},
                "code": {"type": "string", "title": "Code"},
                "half": {"type": "number", "title": "Half"},
                "ok": {"type": "boolean", "title": "OK"},
                "at": {"type": "string", "title": "At"},
            },
            "required": ["code", "ok"],
        },
    }  # fmt: skip
    assert written_elicitation.losses == (
        Loss("sections.s", "MCP has no sections: its fields are in one list."),
        Loss("fields.fmt", "It is not marked as required; the answer is refused without it."),
        Loss("fields.code", "MCP has no patterns."),
        Loss("fields.half", "MCP has no steps."),
        Loss("fields.ok", "MCP cannot say that it must be true."),
        Loss("fields.at", "MCP has no bounds of dates and times."),
        Loss("fields.at", "MCP has no format for a time without a zone: it is a text."),
        Loss("fields.at", "It is always shown; its value counts only where `visible_if` holds."),
    )
    content = {"fmt": "1", "fmt__other": " ", "code": "A", "ok": False, "at": "10:00", "extra": 1}
    values = read_answer(form, content)["values"]
    assert values == {"fmt": 1, "code": "A", "ok": False, "extra": 1}
    assert read_answer(form, {**content, "fmt__other": "odt"})["values"]["fmt"] == "odt"
    assert read_answer(form, {**content, "fmt__other": 5})["values"]["fmt"] == 5  # which the field refuses
    values = read_answer(form, {**content, "code__other": "B"})["values"]
    assert values["code__other"] == "B"  # as an unknown field


@requirement("F31")
def test_what_has_no_property_is_in_the_message_or_in_the_titles() -> None:
    street = {"type": "text", "label": "Street"}
    plans = [{"value": 1, "label": "Large", "description": "500 EUR a month"}, "Small"]
    form = check_form({"title": "Order", "sections": [
        {"id": "b", "title": "Billing address", "description": "As on the card.", "fields": [
            {**street, "id": "billing"},
            {"id": "amount", "type": "text", "label": "Amount", "default": "5000 EUR", "readonly": True},
            {"id": "paid", "type": "boolean", "label": "Paid", "default": False, "readonly": True},
        ]},
        {"id": "d", "title": "Delivery address", "fields": [
            {**street, "id": "delivery"},
            {"id": "plan", "type": "radio", "label": "Plan", "options": plans},
            {"id": "old", "type": "radio", "label": "Old plan", "options": plans, "default": 1, "readonly": True},
        ]},
    ]})  # fmt: skip
    params = write_elicitation(form).params
    assert faults(params) == []
    assert params["message"].split("\n\n") == [
        "Order",
        "Billing address: As on the card.",
        "Billing address: Amount: 5000 EUR",
        "Billing address: Paid: No",
        "Delivery address: Old plan: Large",
    ]
    properties = params["requestedSchema"]["properties"]
    assert {id_: part["title"] for id_, part in properties.items()} == {
        "billing": "Billing address: Street",
        "delivery": "Delivery address: Street",
        "plan": "Delivery address: Plan",
    }
    assert properties["plan"]["oneOf"][0] == {"const": "1", "title": "Large – 500 EUR a month"}
    assert read_answer(form, {"plan": "1"})["values"]["plan"] == 1


@requirement("F31")
def test_a_form_whose_answer_mcp_could_not_tell_is_no_elicitation() -> None:
    same_texts = {"id": "a", "type": "radio", "label": "A", "options": [{"value": "1", "label": "Yes"}, {"value": 1, "label": "No"}]}  # fmt: skip
    with pytest.raises(NotExpressible, match=r"fields\.a: MCP allows only texts as options"):
        write_elicitation(check_form({"fields": [same_texts]}))
    radio = {"id": "a", "type": "radio", "label": "A", "options": ["x"]}
    for submit in ("first", "each"):
        with pytest.raises(NotExpressible, match="submit: MCP sends all values at once"):
            write_elicitation(
                check_form({"title": "T", "submit": submit, "fields": [radio, {**radio, "id": "b"}]})
            )


@requirement("F31")
def test_a_secret_is_no_elicitation() -> None:
    form = check_form({"fields": [{"id": "key", "type": "text", "label": "Key", "sensitive": True}]})
    with pytest.raises(NotExpressible, match=r"fields\.key: MCP forbids asking for secrets in a form"):
        write_elicitation(form)
    for special, name in (
        ({"type": "file"}, "files"),
        ({"type": "rows", "rows": [{"id": "r", "label": "R"}]}, "rows to decide"),
        ({"type": "select", "options_from": {"source": "s"}}, "options from a server"),
    ):
        field = {"id": "f", "label": "F", **special}
        other = {"id": "a", "type": "text", "label": "A"}
        needed = check_form({"fields": [{**field, "required": True}, other]})
        with pytest.raises(NotExpressible, match=rf"fields\.f: MCP has no {name}"):
            write_elicitation(needed)
        left_out = write_elicitation(check_form({"fields": [field, other]}))
        assert list(left_out.params["requestedSchema"]["properties"]) == ["a"]
        assert [loss.path for loss in left_out.losses] == ["fields.f"]
    clash = check_form(
        {
            "fields": [
                {"id": "a", "type": "text", "label": "A"},
                {"id": "a__other", "type": "text", "label": "B"},
            ]
        }
    )
    with pytest.raises(NotExpressible, match="fields.a__other: This id is that of the own text of a"):
        write_elicitation(clash)


@requirement("F31")
def test_a_decision_is_one_of_two() -> None:
    params = write_approval("Run `git push`?", locale="de")
    assert faults(params) == []
    decision = params["requestedSchema"]["properties"]["decision"]
    assert decision["title"] == "Entscheiden"
    assert [item["title"] for item in decision["oneOf"]] == ["Einmal erlauben", "Ablehnen"]
    assert read_decision({"decision": "approve", "note": " "}) == {"decision": "approve"}
    assert read_decision({"decision": "deny", "note": "Not now"}) == {"decision": "deny", "note": "Not now"}
    assert read_decision({"decision": "perhaps"}) is None


ELICITATION: dict[str, Any] = {
    "mode": "form",
    "message": "Your report",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 1},
            "size": {"type": "string", "title": "Size", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
            "pages": {"type": "integer", "title": "Pages", "minimum": 1, "default": 3},
        },
        "required": ["name"],
    },
}


class Report(BaseModel):
    """The same question as a model."""

    name: str = Field(title="Name", min_length=1)
    size: str | None = Field(
        None, title="Size", json_schema_extra={"enum": ["s", "l"], "ui:enumNames": ["Small", "Large"]}
    )
    pages: int = Field(3, title="Pages", ge=1)


@requirement("C19")
def test_the_same_question_is_the_same_card_in_every_format() -> None:
    elicited_form = read_elicitation(ELICITATION).form
    assert model_form(ELICITATION["requestedSchema"]).form.fields == elicited_form.fields
    assert model_form(Report).form.fields == elicited_form.fields


@requirement("F31")
@pytest.mark.parametrize(
    ("state", "result"),
    [
        ({"status": "answered", "answer": {"values": {"name": "A", "pages": 2}}}, {"action": "accept", "content": {"name": "A", "pages": 2}}),
        ({"status": "declined", "reason": "refused"}, {"action": "decline"}),
        ({"status": "expired"}, {"action": "cancel"}),
        ({"status": "cancelled", "reason": "superseded"}, {"action": "cancel"}),
    ],
)  # fmt: skip
def test_the_mcp_server_reads_the_outcome_of_the_request(
    state: dict[str, Any], result: dict[str, Any]
) -> None:
    schema_form = read_elicitation(ELICITATION)
    assert (schema_form.form.title, schema_form.form.description) == ("Your report", None)
    made = {"id": "req_1", "kind": "form", "thread_id": "t", "revision": 1, "created_at": datetime.now(UTC)}
    request = InputRequest.model_validate(
        {**made, "form": schema_form.form.model_dump(exclude_none=True), **state}
    )
    assert write_result(request, schema_form) == result
    assert faults(result, type_name="ElicitResult") == []


SCHEMA = {"type": "object", "description": "Three words.", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"message": "x", "requestedSchema": {}}, "requestedSchema"),
        ({"message": "x", "requestedSchema": {**SCHEMA, "required": 5}}, "requestedSchema.required"),
        ({"requestedSchema": SCHEMA}, "message"),
        ({"message": "pass\u202eword", "requestedSchema": SCHEMA}, "message"),
        ({"message": " ", "requestedSchema": SCHEMA}, "message"),
    ],
)
def test_an_elicitation_that_is_no_form_is_refused_with_its_path(params: dict[str, Any], path: str) -> None:
    with pytest.raises(NoFormFor) as exc_info:
        read_elicitation(params)
    assert [problem.path for problem in exc_info.value.problems] == [path]


def test_a_long_message_is_the_description_before_that_of_the_schema() -> None:
    long = "Why? " * 200
    form = check_form(read_elicitation({"message": long, "requestedSchema": SCHEMA}).form)
    assert (form.title, form.description) == (None, f"{long}\n\nThree words.")
