"""Forms in steps, and forms that one control answers: by mouse, by keyboard, and with errors."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

NAME: dict[str, Any] = {"id": "name", "type": "text", "label": "Name", "required": True}
PORT: dict[str, Any] = {"id": "port", "type": "number", "label": "Port", "min": 1, "required": True}
STEPS: dict[str, Any] = {
    "title": "Set up",
    "layout": "steps",
    "submit_label": "Set it up",
    "sections": [
        {"id": "who", "title": "Who", "submit_label": "Continue", "fields": [NAME]},
        {
            "id": "mail",
            "title": "Mail",
            "optional": True,
            "fields": [PORT, {**NAME, "id": "host", "label": "Host"}],
        },
        {"id": "end", "title": "End", "fields": [{"id": "note", "type": "textarea", "label": "Note"}]},
    ],
}


@requirement("F17", "F18", "F30", "P15")
async def test_steps_are_checked_one_by_one_and_back_keeps_the_entered_values(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(STEPS, thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_text("Step 1 of 4: Who")).to_be_visible()
    await expect(eva.card.locator("legend").first).to_have_css("font-weight", "600")
    await expect(eva.card.get_by_label("Note")).to_be_hidden()
    await eva.button("Continue").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("This field is required.")
    assert await eva.violations() == []
    await eva.card.get_by_label("Name").fill("Ada")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.get_by_text("Step 2 of 4: Mail")).to_be_focused()
    await eva.card.get_by_label("Port").fill("25")
    await eva.button("Next").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Host: This field is required.")
    await eva.card.get_by_role("link", name="Host: This field is required.").click()
    await expect(eva.card.get_by_label("Host")).to_be_focused()
    await eva.button("Back").click()
    await expect(eva.card.get_by_label("Name")).to_have_value("Ada")
    await eva.button("Continue").click()
    await expect(eva.card.get_by_label("Port")).to_have_value("25")
    await eva.button("Skip this part").click()
    await eva.button("Next").click()
    await eva.card.get_by_label("Note").fill("No mail")
    await eva.button("Next").click()
    await expect(eva.card.get_by_text("Step 4 of 4: Review")).to_be_focused()
    await expect(eva.card.locator("dd")).to_have_text(["Ada", "No answer", "No answer", "No mail"])
    assert await eva.violations() == []
    await eva.button("Change: Who").click()
    await eva.card.get_by_label("Name").fill("Grace")
    for _ in range(3):
        await eva.page.locator("askback-request [type=submit]").click()
    await eva.button("Set it up").click()
    assert await answer_of(agent, request) == {"name": "Grace", "note": "No mail"}


@requirement("F30", "F11")
async def test_an_error_of_the_server_opens_its_step(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    limited_field = {**NAME, "max_length": 3, "validate_on_client": False}
    sections = [{**STEPS["sections"][0], "fields": [limited_field]}, STEPS["sections"][2]]
    request = await agent.requests.create({**STEPS, "sections": sections}, thread_id=thread)
    eva = await screen(place_of(thread))
    eva.expect_errors("422")
    await eva.card.get_by_label("Name").fill("Adalbert")
    await eva.button("Continue").click()
    await eva.button("Next").click()
    await eva.button("Set it up").click()
    await expect(eva.card.get_by_text("Step 1 of 3: Who")).to_be_visible()
    await expect(eva.card.get_by_label("Name")).to_have_accessible_description(
        "Must be at most 3 characters."
    )
    await eva.card.get_by_role("link", name="Must be at most 3 characters.").click()
    await expect(eva.card.get_by_label("Name")).to_be_focused()
    await eva.card.get_by_label("Name").fill("Ada")
    for _ in range(3):
        await eva.page.locator("askback-request [type=submit]").click()
    assert await answer_of(agent, request) == {"name": "Ada"}


TWO = (
    {"type": "select", "widget": "buttons", "options": ["Now", "Later"], "required": True},
    {"type": "text", "required": True},
)


@requirement("A11")
async def test_the_first_control_that_is_used_answers_the_form(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    first_request = await agent.requests.create(form(*TWO, submit="first"), thread_id=thread)
    eva = await screen(place_of(thread))
    assert await eva.violations() == []
    await eva.button("Later").click()
    ended_request = await agent.wait(first_request, timeout=120)
    assert ended_request.answer is not None
    assert (ended_request.answer.values, ended_request.answer.control) == ({"q0": "Later"}, "q0")


@requirement("A11")
async def test_each_field_has_a_button_that_answers_the_form(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    item = await agent.requests.create(form(*TWO, submit="each"), thread_id=thread)
    refusal = await ada.answer(item.id, {"q0": "Now"})
    assert [(error["path"], error["code"]) for error in refusal.json()["error"]["field_errors"]] == [
        ("control", "missing_required"),
        ("values.q0", "other_control"),
    ]
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Now").check()
    await eva.card.get_by_role("textbox", name="Question 1").fill("Tuesday")
    assert await eva.violations() == []
    await eva.page.keyboard.press("Enter")
    ended_request = await agent.wait(item, timeout=120)
    assert ended_request.answer is not None
    assert (ended_request.answer.values, ended_request.answer.control) == ({"q1": "Tuesday"}, "q1")
