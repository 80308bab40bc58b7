"""Texts of the asker in the real page: several lines, plain, without labels."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, answer_of, form, place_of
from tests.journeys.people import Team
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@requirement("L3")
async def test_a_long_prompt_and_a_multiline_label_are_shown_in_full(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    prompt = "word " * 6_553 + "end"
    field = {"id": "a", "type": "text", "label": "First line\nsecond line", "required": True}
    await agent.requests.create(
        {"title": "One\ntwo", "description": prompt, "fields": [field]}, thread_id=thread
    )
    eva = await screen(place_of(thread))
    await expect(eva.card.locator(".description")).to_have_text(prompt)
    label = eva.card.locator(".label")
    assert await label.inner_text() == "First line\nsecond line"
    assert await eva.card.locator(".title").inner_text() == "One\ntwo"
    assert await eva.violations() == []


async def test_a_plain_description_is_shown_unchanged(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    texts = {"description": "*stars* and\n# a hash"}
    fields = [{"id": "a", "type": "text", "label": "A", **texts}]
    await agent.requests.create({"format": "plain", **texts, "fields": fields}, thread_id=thread)
    eva = await screen(place_of(thread))
    assert await eva.card.locator(".description").inner_text() == texts["description"]
    assert await eva.card.locator(".hint").inner_text() == texts["description"]
    await expect(eva.card.locator("em")).to_have_count(0)


@requirement("A12")
async def test_fields_without_a_label_have_the_prompt_as_their_name(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    fields = [
        {"id": "where", "type": "radio", "options": ["Here", "There"], "required": True},
        {"id": "why", "type": "textarea"},
        {"id": "sure", "type": "checkbox"},
    ]
    request = await agent.requests.create({"title": "Move the *files*?", "fields": fields}, thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_role("group", name="Move the *files*?")).to_have_count(1)
    await expect(eva.card.get_by_role("textbox", name="Move the *files*? (optional)")).to_be_visible()
    assert await eva.violations() == []
    await eva.card.get_by_label("There").check()
    await eva.card.get_by_role("textbox").fill("Because")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"where": "There", "why": "Because", "sure": False}
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dt")).to_have_text(["Move the *files*?"] * 3)
    await expect(eva.card.locator("dd").nth(1)).to_have_text("Because")


TWO = {
    "title": {"en": "Breakfast", "de": "Frühstück"},
    "description": {"en": "What *would* you like?", "de": "Was *hätten* Sie gern?"},
    "fields": [
        {
            "id": "drink",
            "type": "radio",
            "label": {"en": "Drink", "de": "Getränk"},
            "required": True,
            "options": [
                {"value": "tea", "label": {"en": "Tea", "de": "Tee"}},
                {"value": "coffee", "label": {"en": "Coffee", "de": "Kaffee"}},
            ],
        },
        {
            "id": "name",
            "type": "text",
            "label": {"en": "Name", "de": "Name"},
            "required": True,
            "messages": {"required": {"en": "Who are you?", "de": "Wer sind Sie?"}},
        },
    ],
}


@requirement("D22", "J12")
async def test_each_reader_sees_their_language_and_a_switch_keeps_the_typed_values(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(TWO, thread_id=thread)
    eva = await screen(place_of(thread), locale="de-AT")
    await expect(eva.card.get_by_role("heading", name="Frühstück")).to_be_visible()
    await expect(eva.card.locator(".description em")).to_have_text("hätten")
    await eva.card.get_by_label("Kaffee").check()
    await eva.button("Absenden").click()
    await expect(eva.card.locator(".error")).to_contain_text("Wer sind Sie?")
    await eva.card.get_by_label("Name").fill("Ev")
    await eva.page.evaluate("document.documentElement.lang = 'en'")
    await expect(eva.card.get_by_role("heading", name="Breakfast")).to_be_visible()
    await expect(eva.card.locator(".description em")).to_have_text("would")
    await expect(eva.card.get_by_label("Coffee")).to_be_checked()
    await expect(eva.card.get_by_label("Name")).to_have_value("Ev")
    await expect(eva.card.get_by_label("Name")).to_be_focused()
    assert await eva.violations() == []
    await eva.page.keyboard.type("a")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"drink": "coffee", "name": "Eva"}
    await expect(eva.card.locator("summary .a")).to_have_text("Coffee · Eva")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.shown is not None
    assert settled_request.answer.shown.model_dump(exclude_none=True) == {
        "locale": "en",
        "labels": {"drink": "Drink", "name": "Name"},
        "options": {"drink": ["Coffee"]},
    }


@requirement("D22", "J12")
async def test_the_words_of_the_page_errors_and_doubts_follow_a_switch_of_the_language(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    risky = {"type": "radio", "options": [{"value": "x", "label": "X", "style": "danger"}, "y"]}
    await agent.requests.create(form({"type": "text", "required": True}), thread_id=thread)
    await agent.requests.create(form(risky), thread_id=thread)
    eva = await screen(place_of(thread))
    named_card, card_with_doubt = eva.card.nth(0), eva.card.nth(1)
    await named_card.get_by_role("button", name="Submit").click()
    await expect(named_card.get_by_role("alert")).to_contain_text("This field is required.")
    await card_with_doubt.get_by_label("X").check()
    await card_with_doubt.get_by_role("button", name="Submit").click()
    await expect(card_with_doubt.get_by_text("Really choose “X”?")).to_be_visible()
    await eva.composer.fill("AKIAIOSFODNN7EXAMPLE")
    await eva.page.get_by_role("button", name="Send", exact=True).click()
    await expect(eva.page.get_by_role("button", name="Send anyway")).to_be_visible()
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    await expect(named_card.get_by_role("alert")).to_contain_text("Dieses Feld ist erforderlich.")
    await expect(named_card.locator(".error")).to_contain_text("Dieses Feld ist erforderlich.")
    await expect(card_with_doubt.get_by_text("Wirklich „X“ wählen?")).to_be_visible()
    await expect(eva.page.get_by_role("button", name="Trotzdem senden")).to_be_visible()
    await expect(eva.link).to_have_text("Verbunden")
    await expect(eva.page.locator("#out")).to_have_text("Abmelden")
    await expect(eva.page.locator("bdi#title")).to_have_text(f"Unterhaltung {thread}")


@requirement("D22")
async def test_translated_texts_are_shown_in_a_language_without_a_catalogue(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    title = {"en": "Town", "fr": "Ville"}
    await team.agent.ask(thread, {"title": title, "fields": [{"id": "a", "type": "text"}]})
    eva = await screen("/", team=team, locale="fr-FR")
    await expect(eva.page.get_by_role("link", name="Ville")).to_be_visible()
    await eva.page.get_by_role("link", name="Ville").click()
    await expect(eva.card.get_by_role("textbox", name="Ville")).to_be_visible()
    await expect(eva.button("Submit")).to_be_visible()


@requirement("F25")
async def test_a_summary_uses_the_template_of_the_form_and_can_show_the_inputs(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    view = {"summary_template": "Booked {q0} ({q1}{nothing}) <b>now</b>", "show_inputs": False}
    fields = ({"type": "text"}, {"type": "text"})
    await agent.requests.create(form(*fields, completed_view=view), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("textbox").first.fill("<i>Rome</i>")
    await eva.button("Submit").click()
    for _ in range(2):
        await expect(eva.card).to_contain_text("Booked <i>Rome</i> () <b>now</b>")
        await expect(eva.card.locator("summary, dl")).to_have_count(0)
        await eva.page.reload()
    await agent.requests.create(form(*fields, completed_view={**view, "show_inputs": True}), thread_id=thread)
    await eva.card.get_by_role("textbox").last.fill("late")
    await eva.button("Submit").click()
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dl")).to_contain_text("late")
