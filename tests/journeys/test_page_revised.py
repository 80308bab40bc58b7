"""The real page while an agent changes the form that a person is filling in: nothing typed is lost or moves elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, Wire, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

TOWN: dict[str, Any] = {"id": "town", "type": "text", "label": "Town"}
NOTE: dict[str, Any] = {"id": "note", "type": "textarea", "label": "Note"}
DAY: dict[str, Any] = {"id": "day", "type": "text", "label": "Day"}
OLD: dict[str, Any] = {"id": "old", "type": "text", "label": "Old password", "sensitive": True}
NEW: dict[str, Any] = {"id": "new", "type": "text", "label": "New password", "sensitive": True}
REMOVED_FIELD_TEXT = "You had entered this, and it is no longer asked for:"


@requirement("F16", "J8")
async def test_text_of_a_removed_field_stays_readable_also_after_a_reload(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form(TOWN, NOTE), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Town").fill("Oslo")
    await eva.card.get_by_label("Note").fill("First line\nSecond line")
    await agent.requests.update(request.id, form=form(TOWN, DAY))
    await expect(eva.card.get_by_text(REMOVED_FIELD_TEXT)).to_be_visible()
    await expect(eva.card.locator("#revised bdi")).to_have_text("First line\nSecond line")
    assert await eva.card.locator("#revised bdi").inner_text() == "First line\nSecond line"
    assert await eva.violations() == []
    await eva.card.get_by_label("Day").fill("Monday")
    await eva.page.reload()
    await expect(eva.card.get_by_label("Day")).to_have_value("Monday")
    await expect(eva.card.locator("#revised strong")).to_have_text("Note")
    await expect(eva.card.locator("#revised bdi")).to_have_text("First line\nSecond line")
    await agent.requests.update(request.id, form=form({**TOWN, "type": "number"}))
    await expect(eva.card.locator("#revised bdi")).to_have_text(["First line\nSecond line", "Oslo", "Monday"])
    await agent.requests.cancel(request.id)
    await expect(eva.card).to_contain_text("You had entered: First line\nSecond line · Oslo · Monday")


@requirement("F16", "J8")
async def test_text_of_a_field_that_was_removed_while_the_page_was_closed_is_shown(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form(TOWN, NOTE), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Note").fill("By the window")
    await eva.page.goto("about:blank")
    await agent.requests.update(request.id, form=form(TOWN))
    await eva.go(place_of(thread))
    await expect(eva.card.locator("#revised")).to_contain_text(REMOVED_FIELD_TEXT)
    await expect(eva.card.locator("#revised strong")).to_have_text("Note")
    await expect(eva.card.locator("#revised bdi")).to_have_text("By the window")


@requirement("F16", "J5")
async def test_typing_continues_in_the_same_field_when_another_is_removed(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(form(TOWN, NOTE), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Note").press_sequentially("By the wdow")
    for _ in range(3):
        await eva.page.keyboard.press("ArrowLeft")
    await agent.requests.update(request.id, form=form(NOTE, DAY))
    await expect(eva.card.get_by_label("Day")).to_be_visible()
    await eva.page.keyboard.type("in")
    await expect(eva.card.get_by_label("Note")).to_have_value("By the window")
    await expect(eva.card.get_by_label("Day")).to_have_value("")
    await agent.requests.update(request.id, form=form(DAY))
    await expect(eva.card.get_by_label("Note")).to_have_count(0)
    await eva.page.keyboard.type("lost?")
    await expect(eva.card.get_by_label("Day")).to_have_value("")
    assert await eva.focused() == "revised"


@requirement("F16", "E22")
async def test_a_sensitive_value_stays_with_its_field_and_is_never_shown(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, {"fields": [OLD, NEW, TOWN]}))
    path = f"/v1/requests/{request['id']}"
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Old password").fill("hunter1")
    await eva.card.get_by_label("New password").fill("hunter2")
    await team.agent.http.patch(path, json={"form": {"fields": [NEW, OLD, TOWN]}})
    await expect(eva.card.locator("input.secret").first).to_have_accessible_name("New password")
    await expect(eva.card.get_by_label("New password")).to_have_value("hunter2")
    await expect(eva.card.get_by_label("Old password")).to_have_value("hunter1")
    await team.agent.http.patch(path, json={"form": {"fields": [NEW, TOWN, DAY]}})
    await expect(eva.card.locator("#revised strong")).to_have_text("Old password")
    await expect(eva.card.locator("#revised bdi")).to_have_text("••••••")
    await expect(eva.card.get_by_label("New password")).to_have_value("hunter2")
    assert "hunter" not in await eva.page.evaluate("JSON.stringify({...localStorage})")


@requirement("F16", "E22")
async def test_a_field_that_becomes_sensitive_or_a_section_is_drawn_as_that(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, {"fields": [TOWN]}))
    path = f"/v1/requests/{request['id']}"
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Town").fill("Oslo")
    await team.agent.http.patch(path, json={"form": {"fields": [TOWN, NEW]}})
    await expect(eva.card.get_by_label("New password")).to_have_attribute("type", "password")
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    sections = [
        {"id": "a", "title": "Where", "fields": [TOWN]},
        {"id": "b", "title": "When", "fields": [DAY]},
    ]
    await team.agent.http.patch(path, json={"form": {"sections": sections}})
    await expect(eva.card.get_by_role("group", name="When")).to_be_visible()
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await eva.card.get_by_label("Day").fill("Monday")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_contain_text("Oslo · Monday")


@requirement("F16", "E22")
async def test_a_sensitive_form_that_was_refused_as_old_is_sent_again_unchanged(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, {"fields": [NEW]}))
    wire = Wire()
    eva = await screen(place_of(thread), team=team, before=wire.watch)
    await eva.card.get_by_label("New password").fill("hunter2")
    wire.losing_events = True
    labelled = {"form": {"fields": [{**NEW, "description": "At least seven characters."}]}}
    await team.agent.http.patch(f"/v1/requests/{request['id']}", json=labelled)
    eva.expect_errors("409")
    await eva.button("Submit").click()
    await expect(eva.card.get_by_role("alert")).to_contain_text("The question has changed.")
    await expect(eva.card.get_by_label("New password")).to_have_value("hunter2")
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_be_visible()


@requirement("F16")
async def test_the_same_form_again_is_no_change(screen: OpenScreen, agent: AsyncClient, thread: str) -> None:
    request = await agent.requests.create(form(TOWN, NOTE), thread_id=thread)
    eva = await screen(place_of(thread))
    await eva.card.get_by_label("Town").fill("Oslo")
    await agent.requests.update(request.id, form=form(TOWN, NOTE), errors={"town": "Which one?"})
    await expect(eva.card.get_by_label("Town")).to_have_accessible_description("Which one?")
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await expect(eva.card.get_by_text("The question has changed.")).to_have_count(0)
    second_request = await agent.requests.get(request.id)
    assert (second_request.form, second_request.revision) == (request.form, 2)
