"""A call is described correctly, in the words of `vectors/calls.json`, and never as another type of call."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.preview import preview
from askback.messages import translate
from tests.domain.preview.notation import text_of
from tests.requirements import requirement
from tests.vectors.cases import cases


@requirement("B13")
@pytest.mark.parametrize("case", cases("calls"), ids=lambda case: case["id"])
def test_a_call_is_recognized_and_described_in_one_line(case: dict[str, Any]) -> None:
    found_preview = preview(Call(case["tool"], case["input"]))
    assert found_preview.headline_code is not None
    text = found_preview.headline_code.model_dump()
    roles = {field.role: text_of(field.name) for field in found_preview.fields if field.role}
    assert (found_preview.type, text, roles, found_preview.marks) == (
        case["type"],
        case["headline"],
        case.get("roles", {}),
        case.get("marks", []),
    )
    assert (found_preview.headline, translate(f"headline.{text['code']}", "de", **text["params"])) == (
        case["en"],
        case["de"],
    )


def test_roles_come_in_the_order_of_a_letter_and_the_rest_follows() -> None:
    call_input = {"body": "x", "attach": [], "to": "a@example.com", "cc": ["b@example.com"], "subject": "Hi"}
    assert [text_of(field.name) for field in preview(Call("send_mail", call_input)).fields] == [
        *["to", "cc", "subject", "body", "attach"],
    ]


@requirement("B14")
def test_a_header_cannot_pose_as_two() -> None:
    call_input = {"url": "https://example.com", "headers": {"A": "1\nB: 2", "C\n": "3"}}
    _, headers = preview(Call("fetch", call_input)).fields
    assert headers.parts == ["A: 1\\nB: 2\nC\\n: 3"]
