"""Options, read-only fields, skipped questions and floating times: on the page, and in the agent's answer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

MIXED: list[dict[str, Any]] = [
    {"value": 1, "label": "Small"},
    {"value": 2.5, "label": "Large"},
    {"value": "2.5", "label": "Large"},
    {"value": "", "label": "None"},
]


@requirement("D7", "A9")
async def test_numbers_the_empty_text_and_equal_labels_are_choices_of_their_own(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form(
            {"type": "radio", "options": MIXED, "default": 1},
            {"type": "multiselect", "options": MIXED},
            {"type": "select", "options": MIXED, "required": True},
        ),
        thread_id=thread,
    )
    eva = await screen(place_of(thread))
    first, several = (eva.card.get_by_role("group", name=f"Question {index}") for index in (0, 1))
    await expect(first.get_by_label("Small")).to_be_checked()
    await first.get_by_label("Large").nth(1).check()
    await several.get_by_label("None").check()
    await several.get_by_label("Small").check()
    await eva.card.locator("select").select_option(label="None")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "2.5", "q1": [1, ""], "q2": ""}


@requirement("D20")
async def test_long_options_of_a_list_do_not_cover_each_other(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [{"value": index, "label": "long " * 60} for index in range(9)]
    await agent.requests.create(form({"type": "select", "options": options}), thread_id=thread)
    eva = await screen(place_of(thread))
    first = await eva.card.locator("label.option").nth(0).bounding_box()
    second = await eva.card.locator(".what").nth(1).bounding_box()
    text = await eva.card.locator(".what").nth(0).bounding_box()
    assert first
    assert second
    assert text
    assert text["y"] + text["height"] <= first["y"] + first["height"] < second["y"]


@requirement("D20")
async def test_five_thousand_options_are_searched_and_few_of_them_drawn(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [{"value": number, "label": f"Place {number}"} for number in range(5_000)]
    request = await agent.requests.create(form({"type": "radio", "options": options}), thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_role("radio")).to_have_count(100)
    await expect(
        eva.card.get_by_text("5000 options. The first 100 are shown: type to find the others.")
    ).to_be_visible()
    assert await eva.violations() == []
    await eva.card.get_by_role("searchbox").fill("Place 4999")
    await expect(eva.card.get_by_role("radio")).to_have_count(1)
    await eva.page.keyboard.press("Enter")
    await eva.card.get_by_role("searchbox").fill("")
    await expect(eva.card.get_by_label("Place 4999")).to_be_checked()
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": 4999}
    await expect(eva.card.locator("summary")).to_contain_text("Place 4999")


@requirement("A9", "D18")
async def test_a_read_only_field_is_shown_as_text_and_its_value_is_in_the_answer(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(
        form(
            {"type": "select", "label": "Plan", "options": MIXED, "readonly": True, "default": 2.5},
            {"type": "date", "label": "Day", "readonly": True},
            {"type": "datetime", "label": "Meet", "floating": True, "default": "2026-01-01T10:00"},
            initial_values={"q1": "2026-11-20"},
        ),
        thread_id=thread,
    )
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_text("20 November 2026")).to_be_visible()
    await expect(eva.card.get_by_text("Large")).to_be_visible()
    await expect(eva.card.locator("input, select")).to_have_count(1)
    await expect(eva.card.get_by_text("Time zone")).to_have_count(0)
    assert await eva.violations() == []
    refusal = await ada.answer(request.id, {"q0": 1})
    assert [(error["path"], error["code"]) for error in refusal.json()["error"]["field_errors"]] == [
        ("values.q0", "readonly_field")
    ]
    await eva.card.get_by_label("Meet").fill("2026-01-02T11:30")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": 2.5, "q1": "2026-11-20", "q2": "2026-01-02T11:30"}


@requirement("C10", "C16")
async def test_a_question_is_skipped_by_its_own_button_and_the_agent_reads_that(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    question = {"type": "radio", "options": ["A", "B"], "required": True}
    request = await agent.requests.create(form(question, {**question, "allow_skip": True}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("A", exact=True).first.check()
    await expect(eva.button("Submit")).to_be_disabled()
    await eva.button("Skip this question: Question 1").focus()
    await eva.page.keyboard.press("Enter")
    await expect(eva.button("Answer this question: Question 1")).to_be_focused()
    assert await eva.violations() == []
    await eva.button("Submit").click()
    ended_request = await agent.wait(request, timeout=120)
    assert ended_request.answer is not None
    assert (ended_request.answer.values, ended_request.answer.skipped) == ({"q0": "A"}, {"q1": True})
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dd").last).to_have_text("Skipped")
