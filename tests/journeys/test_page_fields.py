"""Fields in the real page: suggestions are shown, choices can be undone, optional parts can be skipped."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Posts, Wire, answer_of, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

THREE = ["Alpha", "Beta", "Gamma"]


CONFIRM = {"type": "select", "widget": "confirm", "options": ["Ship", "Hold"]}
DEFAULTS: list[tuple[dict[str, Any], str | None, str]] = [
    ({"type": "select", "widget": "buttons", "options": THREE, "default": "Beta"}, None, "Beta"),
    (CONFIRM, None, "Ship"),
    ({**CONFIRM, "default": "Hold"}, None, "Hold"),
    (CONFIRM, "Hold", "Hold"),
    ({"type": "boolean", "widget": "confirm", "default": False}, None, "No"),
]
"""A field, its initial value, and the button of its default."""


@requirement("A9")
async def test_the_button_of_the_default_is_prominent(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    for field, initial, _ in DEFAULTS:
        extra = {} if initial is None else {"initial_values": {"q0": initial}}
        await agent.requests.create(form(field, **extra), thread_id=thread)
    eva = await screen(place_of(thread))
    for number, (_, _, main) in enumerate(DEFAULTS):
        card = eva.card.nth(number)
        await expect(card.locator(".choice.primary > span")).to_have_text([main])
        suggested = card.locator("[aria-description=Suggested]")
        await expect(suggested).to_have_count(0 if main == "Ship" else 1)
    assert await eva.violations() == []


@requirement("F18")
@pytest.mark.parametrize("widget", [None, "buttons", "chips"])
async def test_a_choice_can_be_cleared(
    screen: OpenScreen, agent: AsyncClient, thread: str, widget: str | None
) -> None:
    field: dict[str, Any] = {"type": "radio", "label": "Size", "options": THREE}
    if widget is not None:
        field |= {"type": "select", "widget": widget}
    request = await agent.requests.create(form({"type": "text", "label": "Name"}, field), thread_id=thread)
    eva = await screen(place_of(thread))
    clear = eva.button("Clear: Size")
    await expect(clear).to_have_count(0)
    await eva.card.get_by_label("Beta").check()
    assert await eva.violations() == []
    await clear.focus()
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.get_by_label("Beta")).not_to_be_checked()
    await expect(clear).to_have_count(0)
    assert await eva.focused() == "f1-0"
    await eva.card.get_by_label("Name").fill("x")
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "x"}


@requirement("F18")
async def test_an_optional_section_that_was_begun_can_be_skipped(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    sections = [
        {"id": "a", "title": "You", "fields": [{"id": "name", "type": "text", "label": "Name", "required": True}]},
        {"id": "b", "title": "Mail", "optional": True, "fields": [
            {"id": "host", "type": "text", "label": "Host", "required": True},
            {"id": "word", "type": "text", "label": "Password", "sensitive": True},
            {"id": "kind", "type": "radio", "label": "Kind", "options": THREE},
            {"id": "tls", "type": "boolean", "label": "TLS", "default": True},
        ]},
    ]  # fmt: skip
    request = request_of(await team.agent.ask(thread, {"sections": sections}))
    eva = await screen(f"/r/{request['id']}", team=team)
    await eva.card.get_by_label("Name").fill("Eva")
    await eva.card.get_by_label("Password").fill("hunter2")
    lines = "(all) => all.map((element) => getComputedStyle(element).borderBlockStartWidth)"
    assert await eva.card.locator("fieldset.section").evaluate_all(lines) == ["0px", "1px"]
    await eva.card.get_by_label("Beta").check()
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("Host: This field is required.")
    assert await eva.violations() == []
    await eva.button("Skip this part").click()
    await expect(eva.card.get_by_label("Password")).to_have_value("")
    await expect(eva.card.get_by_label("TLS")).not_to_be_checked()
    await expect(eva.button("Skip this part")).to_have_count(0)
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_contain_text("Eva")
    ended_request = await team.ada.get(request["id"])
    assert ended_request["answer"]["values"] == {"name": "Eva"}


@requirement("D20")
async def test_the_filter_of_a_long_list_is_used_by_keyboard(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [f"City {number}" for number in range(60)]
    request = await agent.requests.create(form({"type": "select", "options": options}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_role("searchbox").fill("City 4")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator("input:checked")).to_have_count(0)
    await eva.page.keyboard.press("ArrowDown")
    assert await eva.focused() == "f0-4"
    await eva.card.get_by_role("searchbox").fill("City 47")
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.get_by_label("City 47")).to_be_checked()
    await eva.button("Submit").click()
    assert await answer_of(agent, request) == {"q0": "City 47"}


@requirement("D22")
async def test_a_confirmation_is_in_the_language_of_the_reader(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    options = [{"value": word, "label": word} for word in ("Yes", "No")]
    field = {"type": "select", "widget": "confirm", "required": True, "options": options}
    request = await agent.requests.create(form(field, title="Weiter?"), thread_id=thread)
    eva = await screen(place_of(thread), locale="de-DE")
    await eva.button("Ja").click()
    assert await answer_of(agent, request) == {"q0": "Yes"}
    await expect(eva.card.locator("summary")).to_contain_text("Ja")


@requirement("J12")
async def test_another_language_applies_to_open_cards_and_keeps_the_typed_values(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text", "label": "Town"}), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.page.evaluate("document.documentElement.lang = 'de'")
    await expect(eva.button("Absenden")).to_be_visible()
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await expect(eva.card.get_by_label("Town")).to_be_focused()
    await eva.page.evaluate("document.documentElement.lang = 'en'")
    await expect(eva.button("Submit")).to_be_visible()


@requirement("J5")
async def test_after_an_answer_the_focus_is_where_the_person_was_writing(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await eva.composer.fill("half a mess")
    request = await agent.requests.create(form({"type": "text", "label": "Town"}), thread_id=thread)
    await expect(eva.card.get_by_label("Town")).to_be_visible()
    await expect(eva.composer).to_be_focused()
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.page.keyboard.press("Enter")
    assert await answer_of(agent, request) == {"q0": "Oslo"}
    await expect(eva.composer).to_be_focused()
    await expect(eva.composer).to_have_value("half a mess")


@requirement("G13")
async def test_a_field_of_a_type_that_the_page_does_not_know_is_no_text_input(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text", "label": "Town"}), thread_id=thread)

    def replace_field(frame: str) -> list[str]:
        return [
            frame.replace('"type":"text","id":"q0"', '"type":"colour","id":"q0"').replace(
                '"type":"text"', '"type":"colour"'
            )
        ]

    eva = await screen(place_of(thread), before=Wire(replace_field).watch)
    await expect(eva.card).to_contain_text("Unknown widget type — update your client")
    await expect(eva.card.get_by_role("textbox")).to_have_count(0)


async def test_a_conversation_that_does_not_exist_is_not_shown_as_one(
    screen: OpenScreen, thread: str
) -> None:
    eva = await screen(place_of(thread))
    await expect(eva.page.get_by_text(f"There is no conversation “{thread}” yet.")).to_be_visible()
    await eva.composer.fill("Hello")
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.get_by_text("There is no conversation")).to_have_count(0)


async def test_the_inbox_lists_answers_that_are_being_checked(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    lunch = form({"type": "text", "label": "Dish"}, title="Lunch")
    request = request_of(await team.agent.ask(thread, lunch, validator="requester"))
    posts = Posts()
    eva = await screen("/", team=team, before=posts.watch)
    row = eva.page.get_by_role("link", name="Lunch")
    await expect(row).to_be_visible()
    await team.ada.answer(request["id"], {"q0": "soup"})
    await expect(row).to_contain_text("Checking…")
    await eva.page.reload()
    await expect(row).to_contain_text("Checking…")
    assert await eva.violations() == []
    await team.agent.accept(request["id"])
    await expect(row).to_have_count(0)


@requirement("J10")
async def test_the_time_left_is_that_of_the_server_and_counts_down(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    await agent.requests.create(form({"type": "text"}), thread_id=thread, timeout_s=600)
    eva = await screen("/t/empty")
    await eva.page.clock.install(time=datetime.now(tz=UTC) + timedelta(hours=2))
    await eva.go(place_of(thread))
    due = eva.card.locator(".due")
    await expect(due).to_contain_text(re.compile("in (9|10) minutes"))
    await eva.page.clock.run_for(300_000)
    await expect(due).to_contain_text(re.compile("in [45] minutes"))
    # With a clock that runs ahead no ping is answered in time.
    eva.expect_errors("WebSocket")


OPTIONAL: dict[str, list[dict[str, Any]]] = {
    "text": [{"type": "text"}, {"type": "number"}],
    "choices": [{"type": "radio", "options": THREE}, {"type": "multiselect", "options": THREE}],
    "dropdown": [{"type": "select", "options": THREE}],
}


@requirement("N18")
async def test_a_form_without_required_fields_is_submitted_empty(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    eva = await screen(place_of(thread))
    for number, fields in enumerate(OPTIONAL.values()):
        request = await agent.requests.create(form(*fields), thread_id=thread)
        await eva.button("Submit").click()
        assert await answer_of(agent, request) == {}
        receipt = eva.card.nth(number).locator("summary")
        await expect(receipt).to_contain_text("submitted without filling anything in")


@requirement("N18")
@pytest.mark.parametrize("fields", OPTIONAL.values(), ids=OPTIONAL)
async def test_a_form_with_a_required_field_is_not_submitted_empty(
    screen: OpenScreen, agent: AsyncClient, thread: str, fields: list[dict[str, Any]]
) -> None:
    await agent.requests.create(form({**fields[0], "required": True}, *fields[1:]), thread_id=thread)
    posts = Posts()
    eva = await screen(place_of(thread), before=posts.watch)
    await eva.button("Submit").dispatch_event("click")
    if fields[0]["type"] == "text":
        await expect(eva.card.get_by_role("alert")).to_contain_text("This field is required.")
    else:
        await expect(eva.card.locator("#gate")).to_be_visible()
    assert posts.keys == []


@requirement("N3")
async def test_an_answer_that_is_being_checked_can_still_be_declined(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        form({"type": "text", "label": "Dish"}), thread_id=thread, validator="requester"
    )
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Dish").fill("soup")
    await eva.button("Submit").click()
    await expect(eva.card.locator("[type=submit]")).to_have_text("Checking…")
    await eva.button("Cancel").click()
    await expect(eva.card).to_contain_text("Dismissed by Eva")
    await expect(eva.card).not_to_contain_text("not used")
    assert (await agent.requests.get(request.id)).status == "declined"
