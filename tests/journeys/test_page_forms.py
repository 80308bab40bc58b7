"""Whole forms in the real page: keyboard, languages, sections, refusals, receipts."""

from __future__ import annotations

import re
from typing import Any

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Posts, Screen, answer_of, form, place_of
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

ABC = ["Alpha", "Beta", "Gamma"]
ELEVEN: dict[str, Any] = {
    "title": "Everything",
    "fields": [
        {"id": "text", "type": "text", "label": "Text", "required": True},
        {"id": "area", "type": "textarea", "label": "Area"},
        {"id": "number", "type": "number", "label": "Number"},
        {"id": "switch", "type": "boolean", "label": "Switch"},
        {"id": "select", "type": "select", "label": "Select", "options": ABC},
        {"id": "many", "type": "multiselect", "label": "Many", "options": ABC},
        {"id": "box", "type": "checkbox", "label": "Box"},
        {"id": "radio", "type": "radio", "label": "Radio", "options": ABC},
        {"id": "date", "type": "date", "label": "Date"},
        {"id": "time", "type": "time", "label": "Time"},
        {"id": "moment", "type": "datetime", "label": "Moment"},
    ],
}
VALUES = {
    "text": "tides",
    "area": "one\ntwo",
    "number": 2.5,
    "switch": True,
    "select": "Beta",
    "many": ["Alpha", "Gamma"],
    "box": True,
    "radio": "Beta",
    "date": "2027-03-04",
    "time": "09:30",
    "moment": "2027-07-04T09:30:00+02:00[Europe/Berlin]",
}
KEYS: dict[str, list[str]] = {
    "f0": ["tides"],
    "f1": ["one", "Enter", "two"],
    "f2": ["2,5"],
    "f3": ["Space"],
    "f4": ["ArrowDown", "ArrowDown"],
    "f5-0": ["Space"],
    "f5-2": ["Space"],
    "f6": ["Space"],
    "f7-0": ["Space", "ArrowDown"],
    "f8": ["03042027"],
    "f9": ["0930", "A"],
    "f10": ["07042027", "ArrowRight", "0930", "A"],
}


async def press(eva: Screen, keys: list[str]) -> None:
    for key in keys:
        named = key in ("Space", "Enter") or key.startswith("Arrow")
        await (eva.page.keyboard.press(key) if named else eva.page.keyboard.type(key))


@requirement("F1", "J3")
async def test_all_eleven_types_are_filled_in_by_keyboard_and_come_back_typed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(ELEVEN, thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.button("Submit")).to_be_visible()
    for field_id, keys in KEYS.items():
        await eva.tab_to(field_id)
        await press(eva, keys)
    await eva.page.keyboard.press("Control+Enter")
    assert await answer_of(agent, request) == VALUES
    assert type((await agent.requests.get(request.id)).answer.values["switch"]) is bool  # type: ignore[union-attr]  # it is answered


@requirement("A17", "F26", "D18", "H7")
async def test_the_receipt_is_the_same_after_a_reload_and_for_everybody(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(ELEVEN, thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.button("Submit")).to_be_visible()
    assert (await ada.answer(request.id, VALUES)).status_code == 200
    await expect(eva.card.locator("summary")).to_be_visible()
    live = await receipt(eva)
    await eva.page.reload()
    assert await receipt(eva) == live
    bob = await screen(place_of(thread), name="Bob")
    assert await receipt(bob) == live
    assert "4 March 2027" in live[1]
    await expect(bob.card.locator("li.chosen")).to_contain_text(["Beta", "Alpha", "Gamma", "Beta"])
    await expect(bob.card.locator("input, select, textarea, button, [contenteditable]")).to_have_count(0)


async def receipt(shown_screen: Screen) -> list[str]:
    """The line of a receipt and, opened, its values."""
    await shown_screen.card.locator("summary").click()
    await expect(shown_screen.card.locator("dl")).to_be_visible()
    return [await shown_screen.card.locator(part).inner_text() for part in ("summary", "dl")]


@requirement("J3")
async def test_enter_submits_a_line_and_is_a_line_in_a_text_area(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    area = await agent.requests.create(form({"type": "textarea"}), thread_id=thread)
    line = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.nth(0).get_by_role("textbox").click()
    await press(eva, ["one", "Enter", "two"])
    await eva.page.keyboard.press("Shift+Enter")
    await eva.page.keyboard.type("three")
    await eva.page.keyboard.press("Control+Enter")
    assert await answer_of(agent, area) == {"q0": "one\ntwo\nthree"}
    await eva.card.nth(1).get_by_role("textbox").click()
    await press(eva, ["only", "Enter"])
    assert await answer_of(agent, line) == {"q0": "only"}


@requirement("J3", "D17")
async def test_escape_skips_only_what_may_be_skipped(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    must = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    may = await agent.requests.create(form({"type": "text"}, allow_skip=True), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.nth(0).get_by_role("textbox").click()
    await eva.page.keyboard.type("kept")
    await eva.page.keyboard.press("Escape")
    await eva.card.nth(1).get_by_role("textbox").click()
    await eva.page.keyboard.press("Escape")
    assert (await agent.wait(may, timeout=120)).reason == "skipped"
    assert (await agent.requests.get(must.id)).status == "pending"
    await expect(eva.card.nth(0).get_by_role("textbox")).to_have_value("kept")


@requirement("F12")
async def test_initial_values_win_over_defaults_and_false_and_zero_count(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form(
            {"type": "text", "default": "default"},
            {"type": "text", "default": "default"},
            {"type": "boolean", "default": True},
            {"type": "number", "default": 7},
            {"type": "multiselect", "options": ABC, "default": ["Alpha"]},
            initial_values={"q1": "initial", "q2": False, "q3": 0, "q4": ["Gamma", "Beta"]},
        ),
        thread_id=thread,
    )
    eva = await screen(place_of(thread))
    await expect(eva.card.get_by_label("Question 0")).to_have_value("default")
    await expect(eva.card.get_by_label("Question 1")).to_have_value("initial")
    await expect(eva.card.get_by_label("Question 2")).not_to_be_checked()
    await expect(eva.card.get_by_label("Question 3")).to_have_value("0")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {
        "q0": "default",
        "q1": "initial",
        "q2": False,
        "q3": 0,
        "q4": ["Beta", "Gamma"],
    }


SECTIONS = {
    "title": "Trip",
    "sections": [
        {
            "id": "who",
            "title": "Who",
            "fields": [{"id": "name", "type": "text", "label": "Name", "required": True}],
        },
        {
            "id": "bill",
            "title": "Invoice",
            "optional": True,
            "fields": [
                {"id": "firm", "type": "text", "label": "Firm", "required": True},
                {"id": "city", "type": "text", "label": "City"},
            ],
        },
    ],
}


@requirement("F18", "F4", "F5")
async def test_an_optional_section_is_skipped_if_empty_and_checked_if_started(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    empty_request = await agent.requests.create(SECTIONS, thread_id=thread)
    started_request = await agent.requests.create(SECTIONS, thread_id=thread)
    eva = await screen(place_of(thread))
    first, second = eva.card.nth(0), eva.card.nth(1)
    await expect(first.locator("legend").nth(1)).to_contain_text("(optional)")
    await first.get_by_label("Name").fill("Eva")
    await first.get_by_role("button", name="Submit").click()
    assert await answer_of(agent, empty_request) == {"name": "Eva"}
    await second.get_by_label("Name").fill("Eva")
    await second.get_by_label("City").fill("Kiel")
    await second.get_by_role("button", name="Submit").click()
    await expect(second.get_by_role("alert")).to_contain_text("Firm: This field is required.")
    await second.get_by_label("Firm").fill("Tides Ltd")
    await second.get_by_role("button", name="Submit").click()
    assert await answer_of(agent, started_request) == {"name": "Eva", "firm": "Tides Ltd", "city": "Kiel"}


@requirement("F19")
@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-GB", ["Skip", "Cancel", "Submit"]), ("de-DE", ["Überspringen", "Abbrechen", "Absenden"])],
)
async def test_the_page_speaks_the_readers_language(
    screen: OpenScreen, agent: AsyncClient, thread: str, locale: str, words: list[str]
) -> None:
    await agent.requests.create(form({"type": "number", "required": True}, allow_skip=True), thread_id=thread)
    eva = await screen(place_of(thread), locale=locale)
    await expect(eva.card.locator(".actions button")).to_have_text(words)
    assert await eva.page.locator("html").get_attribute("lang") == locale[:2]
    await eva.button(words[-1]).click()
    required = {"en": "This field is required.", "de": "Dieses Feld ist erforderlich."}[locale[:2]]
    await expect(eva.card.get_by_role("alert")).to_contain_text(required)


@requirement("F19")
async def test_a_card_drawn_before_the_words_of_its_language_are_there_gets_them(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    event = anyio.Event()

    async def hold(route: Route) -> None:
        await event.wait()
        await route.continue_()

    async def delay_texts(page: Page) -> None:
        await page.route("**/assets/de-*.js", hold)

    eva = await screen(place_of(thread), before=delay_texts)
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    await agent.requests.create(form({"type": "text"}), thread_id=thread)
    await expect(eva.button("Submit")).to_be_visible()
    event.set()
    await expect(eva.button("Absenden")).to_be_visible()


@requirement("F19")
async def test_labels_of_the_agent_take_the_place_of_ours(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(
        form({"type": "text"}, submit_label="Go!", cancel_label="Leave it"), thread_id=thread
    )
    eva = await screen(place_of(thread), locale="de-DE")
    await expect(eva.card.locator(".actions button")).to_have_text(["Leave it", "Go!"])


@requirement("F20")
async def test_cancel_in_the_page_tells_the_agent_once(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.button("Cancel").dblclick(delay=5)
    ended_request = await agent.wait(request, timeout=120)
    assert (ended_request.status, ended_request.reason) == ("declined", "dismissed")
    await expect(eva.card).to_contain_text("Dismissed by Eva")
    assert (await agent.threads.get(thread))["seq"] == 2


@requirement("F20", "C20")
async def test_a_withdrawn_request_closes_with_its_reason_and_note(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form({"type": "text"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await expect(eva.button("Submit")).to_be_visible()
    await agent.requests.cancel(request, "superseded", note="Ask me later")
    await expect(eva.card).to_contain_text("replaced by a newer question")
    await expect(eva.card).to_contain_text("Ask me later")
    await expect(eva.card.locator("input, button")).to_have_count(0)


@requirement("F11", "J4")
async def test_the_servers_verdict_shows_at_the_field(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    field = {
        "type": "text",
        "pattern": "[A-Z]{2}",
        "pattern_message": "Like AB.",
        "validate_on_client": False,
    }
    request = await agent.requests.create(form(field, {"type": "text"}), thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    eva.expect_errors("status of 422")
    await eva.card.get_by_label("Question 0").fill("abc")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Question 0: Like AB.")
    assert len(posts.keys) == 1
    assert await eva.focused() == "problems"
    await eva.card.get_by_role("link", name="Question 0: Like AB.").click()
    assert await eva.focused() == "f0"
    await expect(eva.card.get_by_label("Question 0")).to_have_accessible_description("Like AB.")
    await eva.page.keyboard.press("Control+A")
    await press(eva, ["AB", "Enter"])
    assert await answer_of(agent, request) == {"q0": "AB"}


OUTCOMES = {
    "answered": "Answered by responder",
    "skipped": "Skipped by responder",
    "dismissed": "Dismissed by responder",
    "refused": "Refused by responder",
    "agent_aborted": "the agent no longer needs this",
    "user_message": "a message was sent instead",
    "superseded": "replaced by a newer question",
    "shutdown": "the agent was shut down",
    "failed": "something went wrong",
    "expired": "Expired: nobody answered in time.",
}


@requirement("H7", "J6", "M5", "C17")
async def test_every_outcome_shows_live_and_the_same_after_a_reload(
    screen: OpenScreen, agent: AsyncClient, ada: Person, thread: str
) -> None:
    eva = await screen(place_of(thread))
    statuses_by_id: dict[str, str] = {}
    for outcome in OUTCOMES:
        question = form({"type": "text"}, title=f"What about {outcome}?", allow_skip=True)
        timeout = 1.0 if outcome == "expired" else None
        statuses_by_id[outcome] = (
            await agent.requests.create(question, thread_id=thread, timeout_s=timeout)
        ).id
    await expect(eva.card).to_have_count(len(OUTCOMES))
    for outcome, request_id in statuses_by_id.items():
        await settle(agent, ada, outcome, request_id)
    for index, text in enumerate(OUTCOMES.values()):
        await expect(eva.card.nth(index)).to_contain_text(text)
    cards = eva.card.locator(".card")
    live = await cards.all_inner_texts()
    await eva.page.reload()
    await expect(cards).to_have_count(len(OUTCOMES))
    assert await cards.all_inner_texts() == live
    assert len(set(live)) == len(OUTCOMES)
    assert [text for text in live if not re.search(r"\b\d\d:\d\d\b", text)] == []
    icons = await cards.evaluate_all("(all) => all.map((card) => card.querySelectorAll('svg').length > 0)")
    assert all(icons)
    await expect(eva.card.locator(".card :is(input, button, select, textarea)")).to_have_count(0)


async def settle(agent: AsyncClient, ada: Person, outcome: str, request_id: str) -> None:
    if outcome == "answered":
        await ada.answer(request_id, {"q0": "yes"})
    elif outcome in ("skipped", "dismissed", "refused"):
        await ada.decline(request_id, outcome)
    elif outcome == "expired":
        with anyio.fail_after(120):
            await agent.wait(request_id)
    else:
        await agent.requests.cancel(request_id, outcome)


async def test_a_long_answer_is_shortened_in_its_receipt_and_complete_when_opened(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    story = "words " * 400
    request = await agent.requests.create(form({"type": "textarea"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("textbox").fill(story)
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": story}
    await expect(eva.card.locator("summary .a")).to_have_text(f"{story[:300]}…")
    await eva.card.locator("summary").click()
    await expect(eva.card.locator("dd")).to_have_text(story)
