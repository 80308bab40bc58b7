"""The real page while an agent checks an answer: the status, the reprompt, and nothing typed is lost."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient, InputRequest
from tests.journeys.browser import OpenScreen, form, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

LUNCH: dict[str, Any] = form(
    {"type": "text", "label": "Dish", "required": True}, {"type": "text", "label": "Note"}
)


async def ask_with_validator(
    agent: AsyncClient, thread: str, form_field: dict[str, Any] = LUNCH
) -> InputRequest:
    return await agent.requests.create(form_field, thread_id=thread, validator="requester")


@requirement("F13", "F14")
async def test_the_person_sees_the_check_and_corrects_a_returned_answer(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await ask_with_validator(agent, thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Dish").fill("soup")
    await eva.card.get_by_label("Note").fill("hot")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await expect(eva.card.get_by_label("Dish")).to_be_disabled()
    await agent.requests.reprompt(
        request.id, field_errors={"q0": "Soup is off."}, error_summary="Please choose again."
    )
    await expect(eva.card.get_by_role("alert")).to_contain_text("Please choose again.")
    await expect(eva.card.locator("#problems")).to_be_focused()
    await expect(eva.card.get_by_label("Dish")).to_have_value("soup")
    await expect(eva.card.get_by_label("Dish")).to_have_accessible_description("Soup is off.")
    await expect(eva.card.get_by_label("Note")).to_have_value("hot")
    assert await eva.violations() == []
    await eva.card.get_by_label("Dish").fill("rice")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await agent.requests.accept(request.id)
    await expect(eva.card.locator("summary")).to_contain_text("rice")


@requirement("F13", "F14")
async def test_the_person_sees_the_first_errors_and_the_values_changed_by_the_check(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        LUNCH, thread_id=thread, validator="requester", errors={"q0": "Yesterday's was off."}
    )
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_role("alert")).to_contain_text("Please correct the highlighted fields.")
    await expect(eva.card.get_by_label("Dish")).to_have_accessible_description("Yesterday's was off.")
    await eva.card.get_by_label("Dish").fill("soup")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await agent.requests.accept(request.id, values={"q0": "Soup"}, message="Booked, number 12.")
    await expect(eva.card.locator("summary")).to_contain_text("Booked, number 12.")
    assert await eva.violations() == []


@requirement("F14", "H7")
async def test_another_screen_and_a_reload_show_the_returned_answer(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await ask_with_validator(agent, thread)
    eva = await screen(place_of(thread))
    await ada.answer(request.id, {"q0": "soup", "q1": "hot"})
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await eva.page.reload()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await agent.requests.reprompt(request.id, field_errors={"q0": "Soup is off."})
    await expect(eva.card.get_by_role("alert")).to_contain_text("Soup is off.")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Dish")).to_have_value("soup")
    await expect(eva.card.get_by_label("Note")).to_have_value("hot")
    await expect(eva.card.get_by_role("alert")).to_contain_text("Soup is off.")


@requirement("F16")
async def test_an_old_tab_gets_the_current_form_and_keeps_the_typed_values(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await ask_with_validator(agent, thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Note").fill("no salt")
    await ada.answer(request.id, {"q0": "soup"})
    await agent.requests.reprompt(
        request.id,
        form=form(
            {"type": "text", "label": "Main dish", "required": True}, {"type": "text", "label": "Note"}
        ),
    )
    await expect(eva.card.get_by_label("Main dish")).to_be_editable()
    await expect(eva.card.get_by_label("Note")).to_have_value("no salt")


@requirement("F16")
async def test_a_changed_form_keeps_the_typed_values_and_shows_a_notice(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    note, price = {"type": "text", "label": "Note"}, {"type": "number", "label": "Price"}
    extras = {"type": "multiselect", "label": "Extras"}
    first = form({"type": "text"}, note, price, {**extras, "options": ["Bread", "Salad"]})
    request = await agent.requests.create(first, thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Note").fill("no salt")
    for option in ("Bread", "Salad"):
        await eva.card.get_by_label(option).check()
    dish = {"type": "text", "label": "Main dish", "required": True}
    changed = form(dish, note, price, {**extras, "options": ["Salad"]})
    await agent.requests.update(request.id, form=changed, errors={"q0": "Soup is off."}, timeout_s=3600)
    await expect(eva.card.get_by_label("Main dish")).to_have_accessible_description("Soup is off.")
    await expect(eva.card.get_by_label("Note")).to_have_value("no salt")
    await expect(eva.card.locator("[role=status]", has_text="The question has changed.")).to_be_visible()
    assert await eva.violations() == []
    await eva.card.get_by_label("Main dish").fill("rice")
    await eva.card.get_by_label("Price").fill("1.234,5")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_contain_text("rice · no salt")
    answer = (await agent.requests.get(request.id)).answer
    assert answer is not None
    assert answer.values == {"q0": "rice", "q1": "no salt", "q2": 1234.5, "q3": ["Salad"]}


@requirement("F20")
async def test_cancel_explains_its_effect_and_is_confirmed_once(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread, hooks=["decline"])
    eva = await screen(place_of(thread))
    await expect(eva.card).to_contain_text("If you cancel, the agent sees what you have filled in.")
    await eva.card.get_by_label("Note").fill("no salt")
    await eva.button("Cancel").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    held_request = await agent.requests.get(request.id)
    assert held_request.submitted is not None
    assert held_request.submitted.values == {"q1": "no salt"}
    await agent.requests.reprompt(request.id, error_summary="Really? The kitchen closes soon.")
    await expect(eva.card.get_by_role("alert")).to_contain_text("Really? The kitchen closes soon.")
    await expect(eva.card.get_by_label("Note")).to_have_value("no salt")
    assert await eva.violations() == []
    await eva.button("Cancel").click()
    await expect(eva.card).to_contain_text("Dismissed")
    assert (await agent.requests.get(request.id)).status == "declined"


async def test_one_click_says_that_it_is_checked_as_well(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await ask_with_validator(
        agent, thread, form({"type": "select", "widget": "buttons", "options": ["A", "B"]})
    )
    eva = await screen(place_of(thread))
    await eva.button("A").click()
    await expect(eva.card).to_contain_text("Checking…")
    await agent.requests.accept(request.id)
    await expect(eva.card.locator("summary")).to_contain_text("A")


@requirement("F22")
async def test_a_clock_that_starts_with_being_seen_starts_when_the_page_shows_it(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(LUNCH, thread_id=thread, timeout_s=3600, timeout_from="shown")
    assert request.expires_at is None
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_label("Dish")).to_be_editable()
    async for event in agent.events(thread, cursor=1):
        assert event["type"] == "request.shown"
        assert event["request"]["expires_at"] > event["request"]["shown_at"]
        break
