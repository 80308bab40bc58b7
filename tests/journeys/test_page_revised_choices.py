"""The real page while an agent changes what a choice means: nobody sends another choice than the one that was read."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, Screen, form, place_of
from tests.journeys.people import Team, request_of
from tests.journeys.test_page_keys import stop_the_clock
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

LOST = "This has changed. Choose again; you had chosen:"
TOWN: dict[str, Any] = {"id": "town", "type": "text", "label": "Town"}


def choice(*labels: str, **extra: Any) -> dict[str, Any]:
    """A choice between `a` and `b`."""
    options = [{"value": value, "label": label} for value, label in zip("ab", labels, strict=True)]
    return {"id": "what", "type": "radio", "label": "The old database", "options": options, **extra}


async def revise(team: Team, request: dict[str, Any], *fields: dict[str, Any], **extra: Any) -> None:
    """Change the form of a request."""
    body = {"form": form(*fields, **extra)}
    (await team.agent.http.patch(f"/v1/requests/{request['id']}", json=body)).raise_for_status()


@requirement("F16")
async def test_a_choice_is_dropped_and_listed_when_its_option_gets_another_label(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(choice("Keep it", "Delete it"), TOWN)))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Town").fill("Oslo")
    await revise(team, request, choice("Keep it", "Delete it"), TOWN, title="A question?")
    await eva.card.get_by_label("Keep it").check()
    await revise(team, request, choice("Delete it", "Keep it"), TOWN, title="A question?")
    await expect(eva.card.get_by_text(LOST)).to_be_visible()
    await expect(eva.card.locator("#revised strong")).to_have_text("The old database")
    await expect(eva.card.locator("#revised bdi")).to_have_text("Keep it")
    await expect(eva.card.get_by_role("radio", checked=True)).to_have_count(0)
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    assert await eva.violations() == []
    await eva.page.reload()
    await expect(eva.card.get_by_label("Town")).to_have_value("Oslo")
    await expect(eva.card.get_by_role("radio", checked=True)).to_have_count(0)
    await eva.card.get_by_label("Keep it").check()
    await eva.button("Submit").click()
    await expect(eva.card.locator("summary")).to_contain_text("Keep it · Oslo")
    assert (await team.ada.get(request["id"]))["answer"]["values"] == {"what": "b", "town": "Oslo"}


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "label": (choice("Yes", "No", label="The new database"), {}),
    "description": (choice("Yes", "No", description="It will be deleted."), {}),
    "title": (choice("Yes", "No"), {"title": "Another question"}),
    "lead": (choice("Yes", "No"), {"description": "Choose what to delete."}),
}


@requirement("F16")
@pytest.mark.parametrize("change", CHANGES)
async def test_a_choice_is_dropped_when_the_words_around_it_change(
    screen: OpenScreen, team: Team, thread: str, change: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(choice("Yes", "No"))))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Yes").check()
    field, words = CHANGES[change]
    await revise(team, request, field, **words)
    await expect(eva.card.locator("#revised bdi")).to_have_text("Yes")
    await expect(eva.card.get_by_role("radio", checked=True)).to_have_count(0)


@requirement("F16")
async def test_a_choice_that_says_the_same_is_kept(screen: OpenScreen, team: Team, thread: str) -> None:
    box = {"id": "copy", "type": "checkbox", "label": "Keep a copy"}
    request = request_of(await team.agent.ask(thread, form(choice("Keep it", "Delete it"), box)))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_label("Keep it").check()
    await eva.card.get_by_label("Keep a copy").check()
    await revise(
        team, request, choice("Keep it", "Delete all of it"), TOWN, {**box, "label": "Delete the copy"}
    )
    await expect(eva.card.locator("#revised strong")).to_have_text(["Keep a copy"])
    await expect(eva.card.get_by_label("Keep it")).to_be_checked()
    await expect(eva.card.get_by_label("Delete the copy")).not_to_be_checked()


@requirement("F16")
async def test_of_several_choices_only_those_are_dropped_that_say_something_else(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    field = {**choice("Salad", "Soup"), "type": "multiselect"}
    request = request_of(await team.agent.ask(thread, form(field)))
    eva = await screen(place_of(thread), team=team)
    for label in ("Salad", "Soup"):
        await eva.card.get_by_label(label).check()
    await revise(team, request, {**choice("Salad", "Cake"), "type": "multiselect"})
    await expect(eva.card.locator("#revised bdi")).to_have_text("Soup")
    await expect(eva.card.get_by_label("Salad")).to_be_checked()
    await expect(eva.card.get_by_label("Cake")).not_to_be_checked()


@requirement("F16")
async def test_a_decision_about_rows_is_dropped_when_their_question_changes(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    rows = {"id": "files", "type": "rows", "label": "Keep?", "rows": [{"id": "r", "label": "notes.txt"}]}
    rows |= {"accept_label": "Yes", "decline_label": "No"}
    request = request_of(await team.agent.ask(thread, form(rows, TOWN)))
    eva = await screen(place_of(thread), team=team)
    await eva.card.get_by_role("radio", name="Yes").check()
    await revise(team, request, {**rows, "label": "Delete?"}, TOWN)
    await expect(eva.card.locator("#revised bdi")).to_have_text("Yes")
    await expect(eva.card.get_by_role("radio", checked=True)).to_have_count(0)


async def fresh(team: Team, eva: Screen, request: dict[str, Any], *fields: dict[str, Any]) -> None:
    """Change the form, and wait until the page has drawn it."""
    await revise(team, request, *fields)
    await expect(eva.card.get_by_text(fields[-1]["label"], exact=True)).to_be_visible()


@requirement("F16")
async def test_submit_waits_half_a_second_after_each_revision(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(TOWN)))
    eva = await screen(place_of(thread), team=team)
    await expect(eva.card.get_by_label("Town")).to_be_visible()
    notice = eva.card.get_by_text("The question has changed. Check your answers.")
    await stop_the_clock(eva.page)
    for label in ("First", "Second"):
        await fresh(team, eva, request, {**TOWN, "label": label})
        await expect(eva.button("Submit")).to_be_disabled()
        await expect(notice).to_have_count(0)
        await eva.card.get_by_label(label).press("Control+Enter")
        await eva.page.clock.run_for(600)
        await expect(notice).to_be_visible()
        await expect(eva.button("Submit")).to_be_enabled()
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.card.get_by_label("Second").press("Control+Enter")
    await eva.page.clock.resume()
    await expect(eva.card.locator("summary")).to_be_visible()


@requirement("F16", "A5")
async def test_an_answer_by_one_click_waits_half_a_second_after_a_revision(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    field = choice("Keep it", "Delete it", type="select", widget="buttons")
    request = request_of(await team.agent.ask(thread, form(field)))
    eva = await screen(place_of(thread), team=team)
    await expect(eva.button("Keep it")).to_be_visible()
    await stop_the_clock(eva.page)
    await fresh(
        team,
        eva,
        request,
        {**choice("Delete it", "Keep it"), **{k: field[k] for k in ("type", "widget")}, "label": "Swapped"},
    )
    await eva.button("Delete it").click()
    await eva.page.clock.run_for(600)
    assert (await team.ada.get(request["id"]))["status"] == "pending"
    await eva.button("Keep it").click()
    await eva.page.clock.resume()
    await expect(eva.card.locator("summary")).to_contain_text("Keep it")
