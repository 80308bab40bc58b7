"""Claude's questions as a form, and the faults in them in Claude's own names."""

from __future__ import annotations

from typing import Any

import pytest

from askback.compat.claude_questions import annotated, checked_form_of
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


def test_previews_are_shown_unchanged_below_the_question() -> None:
    form = checked_form_of(questions(label="*Red*", preview="+--+\n```x```"))
    (field,) = form["sections"][0]["fields"]
    assert form["format"] == "markdown"
    assert field["description"] == "\\*Red\\*:\n\n````\n+--+\n```x```\n````"
    assert [option["label"] for option in field["options"]] == ["*Red*", "Blue"]


@pytest.mark.parametrize("preview", [None, "", " ", 5])
def test_a_question_without_previews_has_no_markdown(preview: object) -> None:
    form = checked_form_of(questions(preview=preview))
    assert form["format"] == "plain"
    assert "description" not in form["sections"][0]["fields"][0]


def test_claude_gets_the_preview_of_the_chosen_option() -> None:
    asked = questions(preview="+--+")
    assert annotated(asked, {"Which colour?": "Red"}) == {
        "answers": {"Which colour?": "Red"},
        "annotations": {"Which colour?": {"preview": "+--+"}},
    }
    assert annotated(asked, {"Which colour?": "Blue"}) == {"answers": {"Which colour?": "Blue"}}
    asked["questions"][0]["multiSelect"] = True
    assert annotated(asked, {"Which colour?": "Red"}) == {"answers": {"Which colour?": "Red"}}
