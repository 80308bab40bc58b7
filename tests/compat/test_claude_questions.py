"""Claude's questions as a form, and the faults in them in Claude's own names."""

from __future__ import annotations

from typing import Any

import pytest

from askback.compat.claude_questions import checked_form_of
from askback.domain.faults import Faults
from askback.messages import render


def questions(**option: Any) -> dict[str, Any]:
    """Return the input of a call with one question, whose first option has these members."""
    options = [{"label": "Red", "description": "warm", **option}, {"label": "Blue", "description": "cold"}]
    question = {"question": "Which colour?", "header": "Colour", "options": options, "multiSelect": False}
    return {"questions": [question]}


@pytest.mark.parametrize("label", ["Red\nGreen", "Red\tGreen", "Red\x00Green"])
def test_a_label_with_a_bad_character_is_named_as_claude_sent_it(label: str) -> None:
    with pytest.raises(Faults) as exc_info:
        checked_form_of(questions(label=label))
    assert [(item.path, render(item, "en")) for item in exc_info.value.faults] == [
        (
            "input.questions[0].options[0].label",
            "Remove control, text direction and invisible characters.",
        )
    ]
