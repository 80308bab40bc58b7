"""The history in the application: who decided what, when and why."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

FORM = {"title": "Which city?", "fields": [{"id": "q", "type": "text", "label": "City"}]}


@requirement("K14")
async def test_the_history_shows_person_decision_and_reason_and_is_searchable(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    call = request_of(await team.agent.bash(thread, "make deploy"))
    form = request_of(await team.agent.ask(f"{thread}-trip", FORM))
    await team.agent.http.patch(f"/v1/threads/{thread}-trip", json={"title": "Journey to Rome"})
    await team.bob.decide(call["id"], "deny", note="Not on a Friday.")
    await team.carol.answer(form["id"], {"q": "Rome"})
    eva = await screen("/history", team=team)
    rows = eva.page.locator("askback-place-history li")
    await expect(rows.locator(".t")).to_have_text(["Which city?", "Run: make deploy"])
    await expect(rows.first).to_contain_text("Answered")
    await expect(rows.first).to_contain_text("by carol")
    await expect(rows.first).to_contain_text("Journey to Rome")
    for index, request in ((0, form), (1, call)):
        await rows.nth(index).click()
        await expect(eva.page).to_have_url(f"{eva.origin}/history/{request['id']}")
    verdict = eva.page.locator("askback-place-history .verdict")
    await expect(verdict).to_contain_text("Denied")
    await expect(verdict).to_contain_text("by bob")
    await expect(eva.card).to_contain_text("Not on a Friday.")
    await expect(eva.card.locator(".given").get_by_text("make deploy")).to_be_visible()
    await eva.page.get_by_role("searchbox").fill("rome")
    await expect(rows).to_have_count(1)
    await expect(eva.page).to_have_url(f"{eva.origin}/history/{call['id']}?q=rome")
    await eva.page.get_by_role("searchbox").fill("nothing like it")
    await eva.page.get_by_role("link", name="Clear filters").click()
    await expect(rows).to_have_count(2)
    await eva.page.get_by_label("Outcome").select_option("Denied")
    await expect(rows.locator(".t")).to_have_text(["Run: make deploy"])
    await eva.page.reload()
    await expect(rows.locator(".t")).to_have_text(["Run: make deploy"])


async def test_opening_a_request_keeps_the_list_unchanged(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    form = request_of(await team.agent.ask(thread, FORM))
    await team.carol.answer(form["id"], {"q": "Rome"})
    eva = await screen("/history", team=team)
    row = eva.page.locator("askback-place-history li")
    await expect(row).to_have_count(1)
    read = list[str]()
    eva.page.on("request", lambda request: read.append(request.url))
    await row.click()
    await expect(eva.page.locator("askback-place-history .verdict")).to_contain_text("by carol")
    assert [url for url in read if "/v1/history" in url] == []


@requirement("J4")
async def test_keys_move_the_focus_in_the_history_and_open_a_request(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    calls = [request_of(await team.agent.bash(thread, f"make {name}")) for name in "ab"]
    for call in calls:
        await team.bob.decide(call["id"], "approve")
    eva = await screen("/history", team=team)
    await expect(eva.page.locator("askback-place-history li")).to_have_count(2)
    for key, name in (("j", "make b"), ("j", "make a"), ("k", "make b"), ("ArrowDown", "make a")):
        await eva.page.keyboard.press(key)
        await expect(eva.page.get_by_role("link", name=f"Run: {name}")).to_be_focused()
    await eva.page.keyboard.press("Enter")
    await expect(eva.page).to_have_url(f"{eva.origin}/history/{calls[0]['id']}")
    await eva.page.keyboard.press("/")
    await expect(eva.page.get_by_role("searchbox")).to_be_focused()


@requirement("J4", "K14")
async def test_the_history_is_accessible_and_fits_a_narrow_window(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    form = request_of(await team.agent.ask(thread, FORM))
    await team.carol.answer(form["id"], {"q": "Rome"})
    eva = await screen(f"/history/{form['id']}", team=team)
    await expect(eva.page.locator(".verdict")).to_contain_text("carol")
    assert await eva.violations("light", "dark") == []
    await eva.page.set_viewport_size({"width": 320, "height": 640})
    await expect(eva.page.locator(".verdict")).to_be_visible()
    assert await eva.width() == 320


@requirement("K14")
async def test_an_empty_history_offers_no_filters_until_something_is_settled(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen("/history", team=team)
    await expect(eva.page.get_by_role("heading", name="No settled requests yet.")).to_be_visible()
    await expect(eva.page.get_by_role("searchbox")).to_have_count(0)
    await expect(eva.page.locator("askback-place-history .list > .bar")).to_have_text("History")
    form = request_of(await team.agent.ask(thread, FORM))
    await team.carol.answer(form["id"], {"q": "Rome"})
    await expect(eva.page.locator("askback-place-history li")).to_have_count(1)
    await expect(eva.page.get_by_role("searchbox")).to_be_visible()
