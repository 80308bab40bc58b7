"""Rows on the page: two buttons for each, and fields for one that is accepted."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Person
from tests.journeys.test_rows import FORM
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@requirement("A22")
async def test_rows_are_decided_by_the_keyboard_and_an_accepted_one_shows_its_fields(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    eva = await screen(place_of(thread))
    rows = eva.card.get_by_role("group", name="Candidates")
    anna, bob, cleo = (rows.get_by_role("group", name=name, exact=True) for name in ("Anna", "Bob", "Cleo"))
    await expect(eva.card.get_by_label("Salary")).to_have_count(0)
    await anna.get_by_label("Hire").last.focus()
    await eva.page.keyboard.press("Space")
    await anna.get_by_label("Salary").fill("1")
    await bob.get_by_label("Hire").focus()
    await eva.page.keyboard.press("Space")
    await eva.page.keyboard.press("ArrowRight")
    await expect(bob.get_by_label("Decline")).to_be_checked()
    await cleo.get_by_label("Decline").last.check()
    await cleo.get_by_label("Hire").last.check()
    await cleo.get_by_label("Salary").fill("4000")
    assert await eva.violations() == []
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Salary: Must be at least 1000.")
    await anna.get_by_label("Salary").fill("4500")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {
        "hires": {
            "anna": {"decision": "accept", "values": {"salary": 4500}},
            "bob": {"decision": "decline"},
            "cleo": {"decision": "accept", "values": {"salary": 4000}},
        }
    }
    await expect(eva.card).to_contain_text("Anna: Hire (4,500); Bob: Decline; Cleo: Hire (4,000)")
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dt")).to_have_text(["Anna", "Salary", "Bob", "Cleo", "Salary"])
    assert await eva.violations() == []


@requirement("A22")
async def test_undecided_rows_keep_the_typed_values_over_a_reload(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(FORM, thread_id=thread)
    eva = await screen(place_of(thread))
    row = eva.card.get_by_role("group", name="Anna", exact=True)
    await row.get_by_label("Hire").last.check()
    await row.get_by_label("Salary").fill("4500")
    await eva.page.reload()
    await expect(row.get_by_label("Salary")).to_have_value("4500")
    await row.get_by_label("Decline").last.check()
    await expect(row.get_by_label("Salary")).to_have_count(0)


@requirement("A22")
async def test_rows_speak_the_language_of_their_reader(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    code = {"id": "code", "type": "text", "label": {"en": "Code", "de": "Kürzel"}, "pattern": "[A-Z]+"}
    rows = [
        {"id": "a", "label": {"en": "First", "de": "Erstes"}, "description": "*Now*", "fields": [code]},
        {"id": "b", "label": {"en": "Second", "de": "Zweites"}},
    ]
    names = {"label": {"en": "Parts", "de": "Teile"}, "decline_label": {"en": "Drop", "de": "Weg"}}
    field = {"id": "parts", "type": "rows", "rows": rows, **names}
    request = await agent.requests.create({"fields": [field]}, thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    first = eva.card.get_by_role("group", name="Teile").get_by_role("group", name="Erstes", exact=True)
    await expect(first.locator("em")).to_have_text("Now")
    await first.get_by_label("Annehmen").last.check()
    await expect(eva.card.get_by_role("group", name="Zweites").get_by_label("Weg")).to_be_visible()
    await eva.card.get_by_label("Kürzel").fill("ab")
    await eva.page.evaluate("document.documentElement.lang = 'en'")
    await expect(eva.card.get_by_label("Code")).to_have_value("ab")
    await eva.card.get_by_role("group", name="Second").get_by_label("Drop").check()
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Code: ")
    await eva.card.get_by_label("Code").fill("AB")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {
        "parts": {"a": {"decision": "accept", "values": {"code": "AB"}}, "b": {"decision": "decline"}}
    }
    await expect(eva.card).to_contain_text("First: Accept (AB); Second: Drop")


@requirement("A22")
async def test_rows_and_a_sensitive_field_work_in_one_form(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    rows = {"id": "parts", "type": "rows", "label": "Parts", "rows": [{"id": "a", "label": "First"}]}
    secret = {"id": "pin", "type": "text", "label": "Pin", "sensitive": True}
    request = await agent.requests.create({"fields": [rows, secret]}, thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("group", name="First").get_by_label("Decline").check()
    await eva.card.get_by_label("Pin").fill("1234")
    await eva.button("Submit").click()
    answer = await answer_of(agent, request)
    assert answer["parts"] == {"a": {"decision": "decline"}}
    await expect(eva.card).to_contain_text("Decline")


@requirement("A22")
async def test_rows_follow_the_language_of_the_page_without_saying_that_the_question_changed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    rows = [{"id": "a", "label": {"en": "First", "de": "Erstes"}}]
    await agent.requests.create(
        {"fields": [{"id": "parts", "type": "rows", "label": "Parts", "rows": rows}]}, thread_id=thread
    )
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("group", name="First").get_by_label("Accept").check()
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    await expect(eva.card.get_by_role("group", name="Erstes").get_by_label("Annehmen")).to_be_checked()
    await expect(eva.card).not_to_contain_text("geändert")


@requirement("A22", "F25", "E22")
async def test_rows_beside_a_secret_are_named_in_the_receipt_and_in_a_summary(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    rows = [{"id": "anna", "label": "Anna"}, {"id": "bob", "label": "Bob"}]
    secret = {"type": "text", "label": "Key", "sensitive": True}
    body = form(secret, {"type": "rows", "rows": rows})
    for view in (None, {"summary_template": "Hired: {q1}."}):
        request = await agent.requests.create({**body, "completed_view": view}, thread_id=thread)
        decided = {"anna": {"decision": "accept"}, "bob": {"decision": "decline"}}
        await ada.answer(request.id, {"q0": "a secret key", "q1": decided})
    eva = await screen(place_of(thread))
    await expect(eva.card.locator(".a")).to_have_text(
        ["set · Anna: Accept; Bob: Decline", "Hired: Anna: Accept; Bob: Decline."]
    )
