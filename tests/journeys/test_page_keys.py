"""The keys of a request: numbers choose, Enter sends, and its heading has the focus when its address is opened."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from playwright.async_api import Page, Route, expect

from tests.journeys.browser import OpenScreen, Screen, form, place_of
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PAUSE_MS = 500
FORM: dict[str, Any] = {
    **form(
        {"type": "radio", "label": "Region", "options": ["eu", "us"]},
        {"type": "multiselect", "label": "Extras", "options": [f"extra {index}" for index in range(8)]},
    ),
    "title": "Which region?",
}


async def stop_the_clock(page: Page) -> None:
    """Let time pass in the page only on demand."""
    await page.clock.install(time=0)
    await page.clock.pause_at(1)


async def install_a_clock(page: Page) -> None:
    """Let time also pass on demand."""
    await page.clock.install()


async def numbers(shown_screen: Screen) -> list[str | None]:
    """Return the number of each option."""
    options = await shown_screen.card.locator("label").all()
    return [await option.get_attribute("data-key") for option in options]


@requirement("J3")
@pytest.mark.parametrize("page", ["/r/", "/inbox/"])
async def test_the_heading_does_not_take_the_focus_from_a_field_that_is_being_filled_in(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    keys_come = anyio.Event()

    async def hold(route: Route) -> None:
        await keys_come.wait()
        await route.continue_()

    async def hold_keys(page: Page) -> None:
        await page.route("**/assets/answering-*", hold)

    eva = await screen(f"{page}{request['id']}", team=team, before=hold_keys)
    us_option = eva.card.get_by_role("radio", name="us", exact=True)
    await us_option.check()
    await us_option.focus()
    keys_come.set()
    await expect(us_option).to_have_attribute("aria-keyshortcuts", "2")
    await expect(us_option).to_be_focused()


@requirement("J3", "J5")
@pytest.mark.parametrize("page", ["/r/", "/inbox/"])
async def test_an_opened_request_is_answered_by_numbers_and_enter_alone(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    eva = await screen(f"{page}{request['id']}", team=team, before=stop_the_clock)
    heading = eva.card.get_by_role("heading", name="Which region?")
    await expect(heading).to_be_focused()
    await expect(heading).to_have_css("outline-style", "none")
    assert await numbers(eva) == [*"123456789", None]
    us_option = eva.card.get_by_role("radio", name="us", exact=True)
    for passed, is_chosen in ((0, False), (PAUSE_MS - 1, False), (1, True)):
        await eva.page.clock.run_for(passed)
        await eva.page.keyboard.press("2")
        await expect(us_option).to_be_checked(checked=is_chosen)
    await eva.page.keyboard.press("9")
    await expect(eva.card.get_by_role("checkbox", name="extra 6")).to_be_focused()
    await heading.focus()
    await eva.page.keyboard.press("Enter")
    await expect(eva.card.locator("form")).to_have_count(0)
    assert (await team.ada.get(request["id"]))["answer"]["values"] == {"q0": "us", "q1": ["extra 6"]}


@requirement("J3", "J5")
@pytest.mark.parametrize("page", ["/r/", "/inbox/"])
async def test_a_key_that_is_held_since_the_request_before_answers_nothing(
    screen: OpenScreen, team: Team, thread: str, page: str
) -> None:
    request = request_of(await team.agent.ask(thread, FORM))
    eva = await screen(f"{page}{request['id']}", team=team, before=stop_the_clock)
    heading = eva.card.get_by_role("heading", name="Which region?")
    await expect(heading).to_be_focused()
    keyboard = eva.page.keyboard
    for held in ("2", "Enter"):
        await keyboard.down(held)
    await eva.page.clock.run_for(PAUSE_MS)
    for repeated in ("2", "Enter", "Control", "Enter"):
        await keyboard.down(repeated)
    await expect(eva.card.get_by_role("radio", name="us", exact=True)).not_to_be_checked()
    await expect(heading).to_be_focused()
    for held in ("2", "Enter", "Control"):
        await keyboard.up(held)
    await keyboard.press("2")
    await keyboard.press("Control+Enter")
    await expect(eva.card.locator("form")).to_have_count(0)
    assert (await team.ada.get(request["id"]))["answer"]["values"] == {"q0": "us"}


@requirement("J3", "J9")
async def test_a_key_that_is_held_decides_one_request_and_not_the_next(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    requests = [
        request_of(await team.agent.bash(thread, f"make {name}", timeout_s=3000 + index))
        for index, name in enumerate("ab")
    ]
    eva = await screen(f"/inbox/{requests[0]['id']}", team=team, before=install_a_clock)
    await expect(eva.button("Allow once")).to_be_visible()
    keyboard = eva.page.keyboard
    for title in ("make a", "make b", "make b"):
        await expect(eva.card).to_contain_text(title)
        await expect(eva.button("Allow once")).to_be_visible()
        await eva.page.clock.run_for(PAUSE_MS)
        await keyboard.down("a")
    await expect(eva.card.locator("#title")).to_be_focused()
    await keyboard.up("a")
    statuses = [(await team.ada.get(request["id"]))["status"] for request in requests]
    assert statuses == ["answered", "pending"]
    await keyboard.press("a")
    await expect(eva.page.get_by_text("Allowed: Run: make b")).to_be_visible()


@requirement("J3", "J5")
async def test_in_a_conversation_nothing_takes_the_focus_and_numbers_turned_off_choose_nothing(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await team.agent.ask(thread, FORM)
    eva = await screen(place_of(thread), team=team, before=stop_the_clock)
    await expect(eva.card.locator("[data-key='9']")).to_be_visible()
    await eva.composer.focus()
    await eva.page.clock.run_for(PAUSE_MS)
    await eva.page.keyboard.press("1")
    await expect(eva.composer).to_have_value("1")
    await eva.page.evaluate("localStorage.setItem('askback-keys', 'off')")
    await eva.page.reload()
    await expect(eva.card.locator("[data-key='9']")).to_be_visible()
    assert await eva.page.evaluate("document.activeElement === document.body")
    await eva.page.clock.run_for(PAUSE_MS)
    await eva.card.get_by_role("radio", name="us", exact=True).focus()
    await eva.page.keyboard.press("1")
    await expect(eva.card.get_by_role("radio", name="eu", exact=True)).not_to_be_checked()
    await expect(eva.card).to_have_attribute("data-keyless", "")
