"""The stored size of a request stays proportional to the size of the agent's body, even for large or unusual bodies."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import to_json

from askback.domain.policy.calls import Call
from askback.domain.preview import preview
from tests.requirements import requirement


@requirement("B13", "B14")
@pytest.mark.parametrize(
    ("tool", "call_input"),
    [
        ("bash", {"command": "\x7f" * 255_000}),
        ("bash", {"command": "a\x7f" * 120_000, "\x7f\x80" * 1_000: "\u200b-" * 1_000}),
        ("bash", {"argv": ["\u202e\x7f'"] * 20_000}),
        ("plan", {"plan": "\x7f\n" * 80_000}),
        ("x", {"a": ["\x7f"] * 30_000}),
        ("x", {"a": "\x7f\\" * 80_000}),
        ("x", {"a": [*[""] * 6, "\u200b"] * 8_000}),
        ("write", {"path": "\x7f%" * 20_000, "content": "\n" * 120_000}),
        ("write", {"path": "p\x80" * 400, "content": "\x7f\n" * 9_999}),
        ("write", {"path": "p", "content": "some \u00a0text\n" * 9_999}),
        ("edit", {"path": "p", "old": "a", "new": "b\x7f\n" * 400, "replace_all": True}),
    ],
    ids=range(11),
)
def test_the_preview_of_a_call_is_at_most_about_three_times_as_long(
    tool: str, call_input: dict[str, Any]
) -> None:
    before = "x\n\n\na\n\n" * 400
    found_preview = preview(Call(tool, call_input), before=before)
    assert len(to_json(found_preview)) <= 3.3 * (len(to_json(call_input)) + len(to_json(before))) + 100_000
