"""The text of an answer's message."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.answertext import answer_text
from askback.domain.fields import Form

YES_NO = {"id": "yes", "type": "boolean", "label": {"en": "Agree?", "de": "Einverstanden?"}}
FILES = {"id": "scan", "type": "file", "label": "Scans", "max_files": 2}
SIZE = {"id": "size", "type": "radio", "label": "Size", "options": [{"value": 1, "label": "One"}, ""]}
PEOPLE = {
    "id": "people",
    "type": "rows",
    "label": "Raises",
    "rows": [
        {"id": "a", "label": "Anna", "fields": [{"id": "n", "type": "number", "label": "Salary"}]},
        {"id": "b", "label": "Bob"},
    ],
}


def text(*fields: dict[str, Any], **answer: Any) -> str | None:
    return answer_text(Form.model_validate({"fields": fields}), answer)


@pytest.mark.parametrize(
    ("fields", "answer", "expected"),
    [
        ([YES_NO], {"values": {"yes": True}, "shown": {"locale": "de"}}, "Ja"),
        ([YES_NO], {"values": {"yes": False}}, "No"),
        ([YES_NO], {"values": {}}, "[No answer]"),
        ([YES_NO], {"values": {}, "skipped": {"yes": True}, "shown": {"locale": "de"}}, "[Übersprungen]"),
        ([SIZE], {"values": {"size": 1}}, "One"),
        ([SIZE], {"values": {"size": "my own"}}, "my own"),
        ([FILES], {"values": {"scan": [{"name": "a.pdf"}, {"name": "b.pdf"}]}}, "a.pdf, b.pdf"),
        ([{**YES_NO, "sensitive": True}], {"values": {"yes": {"ref": "secret"}}}, None),
        (
            [{**YES_NO, "sensitive": True}, SIZE],
            {"values": {"yes": {"ref": "secret"}, "size": 1}},
            "Size: One",
        ),
        (
            [PEOPLE],
            {
                "values": {
                    "people": {
                        "a": {"decision": "accept", "values": {"n": 2.5}},
                        "b": {"decision": "decline"},
                    }
                }
            },
            "Anna: Accept\nSalary: 2.5\nBob: Decline",
        ),
    ],
)
def test_an_answer_is_described_with_labels_and_typed_text(
    fields: list[dict[str, Any]], answer: dict[str, Any], expected: str | None
) -> None:
    assert text(*fields, **answer) == expected
