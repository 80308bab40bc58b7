"""An answer without values is accepted exactly if every field is optional, by the server and the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

NAME = {"id": "name", "type": "text", "label": "Name"}
CITY = {"id": "city", "type": "radio", "label": "City", "options": ["Rome", "Oslo"]}
OPTIONAL = {"fields": [NAME, CITY]}
OPTIONAL_SECTION = {"sections": [{"id": "s", "optional": True, "fields": [{**NAME, "required": True}, CITY]}]}
REQUIRED = {"fields": [{**NAME, "required": True}, CITY]}
EMPTY: list[dict[str, Any]] = [{}, {"name": ""}, {"name": "  ", "city": None}, {"city": ""}]


@requirement("N18")
@pytest.mark.parametrize("values", EMPTY)
@pytest.mark.parametrize("form", [OPTIONAL, OPTIONAL_SECTION])
async def test_an_empty_answer_is_taken_where_every_field_is_optional(
    agent: AsyncClient, ada: Person, thread: str, form: Any, values: Any
) -> None:
    request = await agent.requests.create(form, thread_id=thread, delivery="resume")
    reply = await ada.answer(request.id, values)
    assert (reply.status_code, reply.json()["status"], reply.json()["answer"]) == (
        200, "answered", {"values": {}},
    )  # fmt: skip
    resume = await anext(agent.resumes.listen(thread))
    assert "without filling anything in" in resume.text


@requirement("N18")
@pytest.mark.parametrize("values", EMPTY)
async def test_an_empty_answer_is_refused_where_a_field_is_required(
    agent: AsyncClient, ada: Person, thread: str, values: Any
) -> None:
    request = await agent.requests.create(REQUIRED, thread_id=thread)
    reply = await ada.answer(request.id, values)
    assert reply.status_code == 422
    nothing = [] if values else [("values", "empty")]
    assert faults(reply) == [*nothing, ("values.name", "required_missing")]
    assert (await agent.requests.get(request.id)).status == "pending"


@requirement("N18")
async def test_the_page_submits_an_untouched_form_whose_fields_are_optional(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    for form in (OPTIONAL, OPTIONAL_SECTION, REQUIRED):
        await agent.requests.create(form, thread_id=thread)
    eva = await screen(place_of(thread))
    for _ in range(2):
        await eva.page.get_by_role("button", name="Submit").first.click()
    await expect(eva.page.get_by_text("Submitted without filling anything in")).to_have_count(2)
    await eva.page.get_by_role("button", name="Submit").click()
    await expect(eva.page.get_by_text("Name: This field is required.").first).to_be_visible()
