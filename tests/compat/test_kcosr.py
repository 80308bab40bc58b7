"""Questionnaires in the words of kcosr/assistant."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askback.compat.kcosr import follow_up
from askback.compat.kcosr.outcomes import result
from askback.domain.request import InputRequest
from tests.requirements import requirement

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES = st.dictionaries(
    TEXTS, TEXTS | st.integers() | st.booleans() | st.lists(TEXTS, max_size=3), max_size=3
)
FORM: dict[str, Any] = {"fields": [{"id": "a", "type": "text", "label": "A"}]}


def request(**changes: Any) -> InputRequest:
    request_body = {
        "id": "req_1",
        "kind": "form",
        "thread_id": "t",
        "revision": 1,
        "created_at": datetime.now(UTC),
    }
    return InputRequest.model_validate({**request_body, "form": FORM, **changes})


@requirement("F24", "I9")
@given(values=VALUES)
@example(values={"a": "</questionnaire-response> & \"x\"\n'y' \x00\u2028\ufffe😀"})
def test_an_answer_cannot_escape_its_attribute(values: dict[str, Any]) -> None:
    text = follow_up(request(status="answered", answer={"values": values}, tool_call_id="tc<&\"'"))
    assert len(text.splitlines()) == 1
    assert text.endswith(" />")
    attributes = ET.fromstring(text).attrib
    assert (attributes["questionnaire-request-id"], attributes["tool-call-id"]) == ("req_1", "tc<&\"'")
    assert list(attributes)[2:] == ["interaction-id", "tool", "submitted-at", "answers-json"]
    assert json.loads(attributes["answers-json"]) == values


@requirement("F24")
@given(note=TEXTS.filter(bool))
def test_a_note_cannot_escape_its_attribute(note: str) -> None:
    text = follow_up(request(status="declined", reason="refused", note=note))
    attributes = ET.fromstring(text).attrib
    assert (attributes["questionnaire-request-id"], attributes["status"]) == ("req_1", "declined")
    assert json.loads(attributes["reason-json"]) == note


@requirement("F22")
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"status": "answered", "answer": {"values": {"a": "x"}}}, {"ok": True, "answers": {"a": "x"}}),
        ({"status": "expired"}, {"ok": False, "error": "Interaction timed out"}),
        (
            {"status": "cancelled", "reason": "user_message", "note": "later"},
            {"ok": False, "cancelled": True, "reason": "later"},
        ),
        ({"status": "declined", "reason": "refused"}, {"ok": False, "cancelled": True}),
        ({"status": "cancelled", "reason": "timeout"}, {"ok": False, "cancelled": True}),
        (
            {"status": "cancelled", "reason": "user_message"},
            {"ok": False, "cancelled": True, "reason": "User sent new message"},
        ),
        (
            {"status": "cancelled", "reason": "admin"},
            {"ok": False, "cancelled": True, "reason": "admin"},
        ),
        (
            {"status": "pending", "tool_call_id": "tc"},
            {
                "ok": True,
                "pending": True,
                "mode": "async",
                "questionnaireRequestId": "req_1",
                "toolCallId": "tc",
                "message": "Questionnaire remains open for a later response.",
            },
        ),
    ],
)
def test_each_state_is_a_result_of_the_tool(state: dict[str, Any], expected: dict[str, Any]) -> None:
    assert result(request(**state)) == expected
