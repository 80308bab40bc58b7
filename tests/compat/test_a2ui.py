"""Forms as A2UI surfaces, checked against A2UI's own schemas, and its actions as answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource

from askback.compat.a2ui import close_surface, read_action, write_errors, write_surface
from askback.compat.translation import Loss, NotExpressible
from askback.domain.date_times import read_moment
from askback.domain.fields import Form
from askback.domain.validation import check_answer, check_form
from tests.compat.forms import forms_with_answers
from tests.requirements import requirement

SCHEMAS = Path(__file__).parent / "schemas"
BASE = "https://a2ui.org/specification/v0_9/"
SLOW = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def load(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"a2ui-v0_9-{name}.json").read_text())


CATALOG = load("catalog")
REGISTRY: Registry[Any] = Registry().with_resources(
    (uri, Resource.from_contents(contents))
    for uri, contents in {
        f"{BASE}catalog.json": CATALOG,
        CATALOG["$id"]: CATALOG,
        f"{BASE}common_types.json": load("common_types"),
    }.items()
)
FORMATS = FormatChecker(["date"])
FORMATS.checks("date-time")(lambda text: "T" in text and read_moment(text) is not None)
FORMATS.checks("time")(lambda text: False)  # a time with an offset, which we never write
TO_CLIENT = Draft202012Validator(load("server_to_client"), registry=REGISTRY)
TO_SERVER = Draft202012Validator(load("client_to_server"), registry=REGISTRY)
COMPONENTS = {
    name: Draft202012Validator(
        {"$ref": f"{CATALOG['$id']}#/components/{name}"}, registry=REGISTRY, format_checker=FORMATS
    )
    for name in CATALOG["components"]
}


def faults(messages: list[dict[str, Any]], *, checks: bool = True) -> list[str]:
    """What the schemas refuse. Each component is checked by its own one: trying all of them takes minutes."""
    findings: list[str] = []
    for message in messages:
        update = message.get("updateComponents", {"components": []})
        for component in update["components"]:
            plain = (
                component
                if checks
                else {name: value for name, value in component.items() if name != "checks"}
            )
            findings += [
                f"{component['id']} {error.message}"
                for error in COMPONENTS[component["component"]].iter_errors(plain)
            ]
        if update["components"]:
            first = [{"id": "root", "component": "Text", "text": ""}]
            message = {**message, "updateComponents": {**update, "components": first}}
        findings += [error.message for error in TO_CLIENT.iter_errors(message)]
    return findings


def components(messages: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    (listed,) = [
        message["updateComponents"]["components"] for message in messages if "updateComponents" in message
    ]
    components_by_id = {item["id"]: item for item in listed}
    assert len(components_by_id) == len(listed)
    return components_by_id


def pressed_message(messages: list[dict[str, Any]], button: str, model: dict[str, Any]) -> dict[str, Any]:
    """The message of a renderer for a button, whose bindings have the values of the data model."""
    event = components(messages)[button]["action"]["event"]
    context = {}
    for name, value in event["context"].items():
        if isinstance(value, dict):
            _, kind, id_ = value["path"].split("/")
            value = model[kind][id_.replace("~1", "/").replace("~0", "~")]
        context[name] = value
    press_message = {
        "name": event["name"],
        "surfaceId": "s",
        "sourceComponentId": button,
        "timestamp": "2026-11-20T09:00:00Z",
    }
    return {"version": "v0.9", "action": {**press_message, "context": context}}


def entered_model(form: Form, values: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
    """The data model after a person has entered an answer: texts for numbers, lists for every picker."""
    model_values = {
        "values": {id_: [] if isinstance(value, list) else "" for id_, value in model["values"].items()},
        "other": dict(model["other"]),
    }
    for field in form.all_fields:
        if (value := values.get(field.id)) is None or field.readonly:
            continue
        if field.type in ("select", "radio", "multiselect"):
            chosen_values = value if isinstance(value, list) else [value]
            options = [option.value for option in getattr(field, "options", [])]
            model_values["values"][field.id] = [str(item) for item in chosen_values if item in options]
            model_values["other"] |= {field.id: item for item in chosen_values if item not in options}
        else:
            model_values["values"][field.id] = str(value) if field.type == "number" else value
    return model_values


@requirement("F32")
@SLOW
@given(form_and_values=forms_with_answers())
def test_every_form_is_a_surface_whose_answer_comes_back(
    form_and_values: tuple[Form, dict[str, Any]],
) -> None:
    form, values = form_and_values
    own = [
        [e for e in v if e not in {o.value for o in f.options}]
        for f in form.all_fields
        if f.type == "multiselect" and (v := values.get(f.id))
    ]
    if any(len(texts) > 1 for texts in own):
        return  # a surface has room for one own text
    messages = write_surface(form, surface_id="s", context={"request_id": "req_1", "revision": 2}).messages
    assert faults(messages, checks=False) == []
    drawn_components = components(messages)
    children = [
        child
        for component in drawn_components.values()
        for child in component.get("children", [component["child"]] if "child" in component else [])
    ]
    assert sorted(children) == sorted(drawn_components.keys() - {"root"})
    model = messages[1]["updateDataModel"]["value"]
    message = pressed_message(messages, "submit", entered_model(form, values, model))
    assert [*TO_SERVER.iter_errors(message)] == []
    action = read_action(form, message)
    assert action is not None
    assert (action.kind, action.context) == ("submit", {"request_id": "req_1", "revision": 2})
    assert check_answer(form, action.values).values == values


FIELDS: list[dict[str, Any]] = [
    {"id": "name", "type": "text", "label": "Name", "required": True, "max_length": 9, "pattern": "[a-z]+", "description": "Small letters."},
    {"id": "note", "type": "textarea", "label": "Note", "min_length": 2},
    {"id": "count", "type": "number", "label": "Count", "min": 1, "max": 9, "default": 3},
    {"id": "agree", "type": "boolean", "label": "Agree", "required": True},
    {"id": "role", "type": "select", "label": "Role", "options": [{"value": "dev", "label": "Developer"}, "Other role"], "allow_other": True, "default": "dev"},
    {"id": "size", "type": "radio", "label": "Size", "options": ["S", "L"]},
    {"id": "tags", "type": "multiselect", "label": "Tags", "options": ["a", "b"], "widget": "chips"},
    {"id": "day", "type": "date", "label": "Day", "min": "2026-01-01"},
    {"id": "at", "type": "time", "label": "At"},
    {"id": "when", "type": "datetime", "label": "When", "max": "2026-11-20T09:00:00+02:00"},
]  # fmt: skip


@requirement("F32")
def test_each_field_is_the_component_of_the_mapping() -> None:
    form = check_form({"title": "Order", "submit_label": "Send", "fields": FIELDS})
    messages = write_surface(form, surface_id="s").messages
    assert faults(messages) == []
    result = {
        component["value"]["path"].removeprefix("/values/"): {k: v for k, v in component.items() if k not in ("id", "label", "value", "checks", "options")}
        for component in components(messages).values()
        if component.get("value", {}).get("path", "").startswith("/values/")
    }  # fmt: skip
    assert result == {
        "name": {"component": "TextField", "variant": "shortText"},
        "note": {"component": "TextField", "variant": "longText"},
        "count": {"component": "TextField", "variant": "number"},
        "agree": {"component": "CheckBox"},
        "role": {"component": "ChoicePicker", "variant": "mutuallyExclusive"},
        "size": {"component": "ChoicePicker", "variant": "mutuallyExclusive"},
        "tags": {"component": "ChoicePicker", "variant": "multipleSelection", "displayStyle": "chips"},
        "day": {"component": "DateTimeInput", "enableDate": True, "enableTime": False, "min": "2026-01-01"},
        "at": {"component": "DateTimeInput", "enableDate": False, "enableTime": True},
        "when": {"component": "DateTimeInput", "enableDate": True, "enableTime": True, "max": "2026-11-20T09:00:00+02:00"},
    }  # fmt: skip
    assert messages[1]["updateDataModel"]["value"]["values"] == {
        "name": "", "note": "", "count": "3", "agree": False, "role": ["dev"], "size": [], "tags": [], "day": "", "at": "", "when": "",
    }  # fmt: skip
    assert components(messages)["submit-label"]["text"] == "Send"
    checks = next(
        component["checks"] for component in components(messages).values() if component.get("label") == "Note"
    )
    bound = {"path": "/values/note"}
    empty = {
        "call": "not",
        "args": {"value": {"call": "required", "args": {"value": bound}, "returnType": "boolean"}},
        "returnType": "boolean",
    }
    long = {"call": "length", "args": {"value": bound, "min": 2}, "returnType": "boolean"}
    assert checks == [
        {"condition": {"call": "or", "args": {"values": [empty, long]}, "returnType": "boolean"}, "message": "Must be at least 2 characters."}
    ]  # fmt: skip


@requirement("F32")
def test_a_form_of_one_question_is_drawn_as_stored() -> None:
    form = check_form({"title": "Report", "locale": "de", "fields": [{"id": "format", "type": "select", "label": "Format", "options": ["PDF", "Word"], "required": True}]})  # fmt: skip
    messages = write_surface(form, surface_id="req_1", context={"request_id": "req_1"}).messages
    golden_file = Path(__file__).parent / "a2ui_surface.json"
    assert messages == json.loads(golden_file.read_text())


@requirement("F32")
def test_unsupported_features_of_a_surface_are_listed() -> None:
    form = check_form({"fields": [
        {"id": "a", "type": "text", "label": "A", "pattern": "(a|ab)*c", "placeholder": "p"},
        {"id": "b", "type": "number", "label": "B", "step": 2},
        {"id": "c", "type": "multiselect", "label": "C", "options": ["x", "y"], "min_choices": 1, "visible_if": {"field": "a", "is": "c"}},
        {"id": "d", "type": "time", "label": "D", "min": "09:00"},
    ]})  # fmt: skip
    assert write_surface(form, surface_id="s").losses == (
        Loss(
            "fields.a",
            "The pattern is checked when the answer is sent: a renderer might run it for too long.",
        ),
        Loss("fields.a", "A2UI has no placeholders."),
        Loss("fields.b", "A2UI has no steps."),
        Loss("fields.c", "A2UI does not count choices."),
        Loss("fields.c", "It is always shown; its value counts only where `visible_if` holds."),
        Loss("fields.d", "A2UI has no min without an offset."),
    )


@requirement("F32")
def test_a_secret_has_no_surface() -> None:
    form = check_form({"fields": [{"id": "key", "type": "text", "label": "Key", "sensitive": True}]})
    with pytest.raises(NotExpressible, match=r"fields\.key: A renderer would see a secret"):
        write_surface(form, surface_id="s")
    plain_form = check_form({"fields": [{"id": "a", "type": "text", "label": "A"}]})
    with pytest.raises(NotExpressible, match=r"context\.a: A field has this id"):
        write_surface(plain_form, surface_id="s", context={"a": 1})


@requirement("F32")
def test_errors_appear_and_a_surface_ends() -> None:
    messages = [*write_errors("s", {"a": "Invalid format."}, summary="One error."), close_surface("s")]
    assert faults(messages) == []
    assert messages[0]["updateDataModel"] == {
        "surfaceId": "s",
        "path": "/errors",
        "value": {"a": "Invalid format."},
    }


@pytest.mark.parametrize(
    ("sent", "value"),
    [("7", 7), ("2.5", 2.5), (" 3 ", 3), ("1e2", 100.0), ("x", "x"), ("nan", "nan"), (4, 4)],
)
def test_a_number_is_read_from_its_text(sent: Any, value: Any) -> None:
    form = check_form({"fields": [{"id": "n", "type": "number", "label": "N"}]})
    action = read_action(form, {"action": {"name": "askback.submit", "context": {"n": sent}}})
    assert action is not None
    assert action.values == {"n": value}


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("2026-11-20T09:00", "2026-11-20T09:00[Europe/Berlin]"),
        ("2026-11-20T09:00:00Z", "2026-11-20T09:00:00Z"),
        ("2026-11-20T09:00:00-05:00", "2026-11-20T09:00:00-05:00"),
    ],
)
def test_a_moment_without_a_zone_gets_that_of_the_person(sent: str, value: str) -> None:
    form = check_form({"fields": [{"id": "t", "type": "datetime", "label": "T"}]})
    message = {"action": {"name": "askback.submit", "context": {"t": sent}}}
    action = read_action(form, message, zone="Europe/Berlin")
    assert action is not None
    assert action.values == check_answer(form, {"t": value}).values


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"action": {"name": "askback.cancel"}}, "cancel"),
        ({"action": {"name": "askback.cancel", "context": "t"}}, "cancel"),
        ({"action": {"name": "other"}}, None),
        ({"error": {"code": "X"}}, None),
    ],
)
def test_only_the_buttons_of_the_form_are_read(message: dict[str, Any], kind: str | None) -> None:
    form = check_form({"fields": [{"id": "t", "type": "text", "label": "T"}]})
    action = read_action(form, message)
    assert (action and action.kind) == kind
