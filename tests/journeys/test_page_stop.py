"""A person in a conversation sees that the agent works, and stops it."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.people import Team
from tests.journeys.sharing import share
from tests.journeys.talking import ask, say, text
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

END_ROUTE = "**/v1/threads/*/runs/*/end"


async def begin(team: Team, thread: str) -> str:
    """Begin a run of the agent and return its address."""
    reply = await team.agent.http.post(f"/v1/threads/{thread}/runs", json={})
    assert reply.status_code == 201, reply.text
    return f"/v1/threads/{thread}/runs/{reply.json()['id']}"


def stop(shown_screen: Screen) -> Locator:
    return shown_screen.page.get_by_role("button", name="Stop", exact=True)


def working_indicator(shown_screen: Screen) -> Locator:
    return shown_screen.page.locator("askback-thread .working span")


def announcements(shown_screen: Screen, words: str) -> Locator:
    """The announcements for screen readers."""
    return shown_screen.page.locator("askback-thread").get_by_role("status").filter(has_text=words)


@requirement("J3", "J4")
@pytest.mark.parametrize("page_kind", ["t", "conversations"])
async def test_a_person_stops_the_agent_by_keyboard_and_continues_typing(
    screen: OpenScreen, team: Team, thread: str, page_kind: str
) -> None:
    await say(team.agent, thread, text("Hello"))
    eva = await screen(f"/{page_kind}/{thread}", team=team)
    await expect(eva.composer).to_be_visible()
    await expect(stop(eva)).to_have_count(0)
    address = await begin(team, thread)
    request = await ask(team.agent, thread, "Which tides?")
    labelled = await team.agent.ask(
        thread,
        {"title": "Which moon?", "fields": [{"id": "q", "type": "text"}]},
        run_id=address.split("/")[-1],
    )
    await expect(working_indicator(eva)).to_have_text("agent is working")
    await expect(eva.card).to_have_count(2)
    await eva.composer.focus()
    await eva.page.keyboard.press("Escape")
    await eva.page.keyboard.press("Shift+Tab")
    assert await eva.focused() == "stop"
    assert await eva.violations() == []
    await eva.page.keyboard.press("Enter")
    await expect(stop(eva)).to_have_count(0)
    await expect(eva.composer).to_be_focused()
    run = (await team.ada.http.get(address)).json()
    assert (run["status"], run["reason"]) == ("ended", "stopped")
    assert (await team.ada.get(labelled.json()["id"]))["status"] == "cancelled"
    assert (await team.ada.get(request))["status"] == "pending"


@requirement("J4")
async def test_that_an_agent_works_and_was_stopped_is_announced(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen(f"/t/{thread}", team=team)
    await expect(eva.composer).to_be_visible()
    await begin(team, thread)
    await expect(announcements(eva, "The agent is working")).to_have_count(1)
    await stop(eva).click()
    await expect(announcements(eva, "Stopped.")).to_have_count(1)


async def test_a_page_that_is_opened_later_and_one_of_a_run_that_ends_know_it(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await say(team.agent, thread, text("Hello"))
    address = await begin(team, thread)
    eva = await screen(f"/t/{thread}", team=team)
    await expect(stop(eva)).to_be_visible()
    await team.agent.http.post(f"{address}/end", json={})
    await expect(stop(eva)).to_have_count(0)


async def test_a_view_only_person_gets_no_stop_button(screen: OpenScreen, team: Team, thread: str) -> None:
    await say(team.agent, thread, text("Hello"))
    await begin(team, thread)
    await share(team.admin, thread, owner="user-owner", others="view")
    eva = await screen(f"/t/{thread}", team=team)
    await expect(eva.page.get_by_text("Hello", exact=True)).to_be_visible()
    await expect(eva.page.locator("askback-thread .composer, askback-thread .working")).to_have_count(0)


@requirement("J7")
async def test_a_failed_stop_is_reported_in_a_sentence_and_can_be_retried(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    async def cut(page: Page) -> None:
        await page.route(END_ROUTE, lambda route: route.abort())

    address = await begin(team, thread)
    eva = await screen(f"/t/{thread}", team=team, before=cut)
    eva.expect_errors("Failed to load resource")
    alert = eva.page.locator("askback-thread .trouble[role=alert]")
    await stop(eva).click()
    await expect(alert).to_have_text("Couldn't stop. Check your connection and press Stop again.")
    await eva.page.unroute(END_ROUTE)
    not_found_body = {"error": {"code": "not_found", "message": ""}}
    await eva.page.route(END_ROUTE, lambda route: route.fulfill(status=404, json=not_found_body))
    await stop(eva).click()
    await expect(alert).to_have_text("Couldn't stop. You no longer have access. Reload the page.")
    await eva.page.unroute(END_ROUTE)
    await stop(eva).click()
    await expect(stop(eva)).to_have_count(0)
    await expect(alert).to_have_text("")
    assert (await team.ada.http.get(address)).json()["reason"] == "stopped"
