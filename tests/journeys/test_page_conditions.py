"""`visible_if`: a hidden field is neither asked nor sent, on the page, in the terminal and over the wire."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

FORM: dict[str, Any] = {
    "title": "Delivery",
    "sections": [
        {
            "id": "how",
            "fields": [
                {
                    "id": "how",
                    "type": "radio",
                    "label": "How?",
                    "options": ["Post", "Pick up"],
                    "required": True,
                },
                {
                    "id": "street",
                    "type": "text",
                    "label": "Street",
                    "required": True,
                    "visible_if": {"field": "how", "is": "Post"},
                },
            ],
        },
        {
            "id": "shop",
            "title": "Your shop",
            "visible_if": {"field": "how", "is": "Pick up"},
            "fields": [{"id": "shop", "type": "text", "label": "Shop", "required": True}],
        },
    ],
}


@requirement("F33")
async def test_a_value_in_a_field_that_became_hidden_is_not_sent(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    eva = await screen(place_of(thread))
    street, shop = eva.card.get_by_label("Street"), eva.card.get_by_label("Shop", exact=True)
    await expect(eva.card.get_by_role("group", name="How?")).to_be_visible()
    await expect(street).to_have_count(0)
    await expect(eva.card.get_by_text("Your shop")).to_have_count(0)
    await eva.card.get_by_label("Post").check()
    await street.fill("Main Street 1")
    await eva.card.get_by_label("Pick up").check()
    await expect(street).to_have_count(0)
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Shop: This field is required.")
    assert await eva.violations() == []
    await shop.fill("Station")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"how": "Pick up", "shop": "Station"}
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dt")).to_have_text(["How?", "Shop"])


@requirement("F33")
async def test_a_hidden_value_is_refused_and_the_request_stays_open(
    agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    refusal = await ada.answer(request.id, {"how": "Pick up", "shop": "Station", "street": "Main Street 1"})
    assert [(error["path"], error["code"]) for error in refusal.json()["error"]["field_errors"]] == [
        ("values.street", "hidden_field")
    ]
    assert (await ada.get(request.id))["status"] == "pending"
    reply = await ada.answer(request.id, {"how": "Pick up", "shop": "Station"})
    assert reply.json()["answer"]["values"] == {"how": "Pick up", "shop": "Station"}
