"""The wire format of calls."""

from __future__ import annotations

import json

from askback import Form, Select, Text
from askback.client.frames import create_request, dump_set_fields
from tests.vectors.cases import cases

FORMS = [case for case in cases("forms") if case.get("ok") and "form" in case]


def test_a_form_is_encoded_without_its_defaults() -> None:
    form = Form(
        title="Report",
        fields=[Select(id="f", label="Format", options=["PDF"]), Text(id="t", label="T", required=True)],
    )
    text = create_request(form, thread_id="t1", options={}, key="k1")
    assert json.loads(f"{{{text}}}")["body"] == {
        "kind": "form",
        "thread_id": "t1",
        "form": {
            "title": "Report",
            "fields": [
                {
                    "id": "f",
                    "label": "Format",
                    "type": "select",
                    "options": [{"value": "PDF", "label": "PDF"}],
                },
                {"id": "t", "label": "T", "required": True, "type": "text"},
            ],
        },
    }


def test_an_encoded_form_decodes_to_the_same_form() -> None:
    forms = {case["id"]: Form.model_validate(case["form"]) for case in FORMS}
    assert {id_: Form.model_validate(dump_set_fields(form)) for id_, form in forms.items()} == forms
