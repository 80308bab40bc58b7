"""The place Conversations of the application."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.journeys.browser import OpenScreen
from tests.journeys.people import Team
from tests.journeys.talking import MARKDOWN, ask, call, message_texts, rows, say, text, titles, tool
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

NARROW: ViewportSize = {"width": 320, "height": 640}


@requirement("J9")
async def test_the_list_shows_the_last_activity_and_open_requests_live(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen("/conversations", team=team)
    await expect(eva.page.get_by_role("heading", name="No conversations yet")).to_be_visible()
    await expect(eva.page.get_by_text("Client().say(")).to_be_visible()
    await say(team.agent, f"{thread}-a", text("Packing **now**."), agent={"name": "packer"})
    await call(team.agent, f"{thread}-a", "Trip to Rome")
    await say(team.agent, f"{thread}-b", text("Hello"))
    await call(team.agent, f"{thread}-b", "Lunch")
    await expect(titles(eva)).to_have_text(["Lunch", "Trip to Rome"])
    await expect(rows(eva).nth(1).locator(".line")).to_have_text("packer: Packing now.")
    await expect(rows(eva).locator(".mark")).to_have_text(["A", "P"])
    request = await ask(team.agent, f"{thread}-a", "Which hotel?", agent={"name": "guide"})
    await expect(titles(eva)).to_have_text(["Trip to Rome", "Lunch"])
    await expect(rows(eva).nth(0).locator(".line")).to_have_text("guide: Which hotel?")
    await expect(rows(eva).locator(".mark")).to_have_text(["G", "A"])
    await expect(rows(eva).nth(0).locator(".waits")).to_have_text("1 is waiting for you")
    await team.ada.answer(request, {"q0": "The old one"})
    await expect(rows(eva).locator(".waits")).to_have_count(0)


async def test_a_search_finds_messages_on_the_server_and_keeps_the_open_conversation(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for name, words in (("a", "The coffee machine is broken"), ("b", "Tea for two")):
        await say(team.agent, f"{thread}-{name}", text(words))
        await call(team.agent, f"{thread}-{name}", f"Kitchen {name}")
    eva = await screen(f"/conversations/{thread}-b", team=team)
    await expect(message_texts(eva)).to_have_text("Tea for two")
    await eva.page.get_by_role("searchbox", name="Search titles and messages").fill("COFFEE")
    await expect(titles(eva)).to_have_text(["Kitchen a"])
    await expect(message_texts(eva)).to_have_text("Tea for two")
    await eva.page.reload()
    await expect(titles(eva)).to_have_text(["Kitchen a"])
    await eva.page.get_by_role("searchbox").fill("juice")
    await expect(eva.page.get_by_text("No conversation matches your search.")).to_be_visible()
    await eva.page.get_by_role("link", name="Show all").click()
    await expect(titles(eva)).to_have_text(["Kitchen b", "Kitchen a"])


async def test_a_conversation_is_renamed_archived_and_restored(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await say(team.agent, thread, text("Hello"))
    eva = await screen(f"/conversations/{thread}", team=team)
    await eva.page.get_by_role("button", name="Rename").click()
    await eva.page.get_by_role("textbox", name="Title").fill("Größe & <b>Farbe</b>")
    await eva.page.keyboard.press("Enter")
    await expect(eva.page.get_by_role("heading", name="Größe & <b>Farbe</b>")).to_be_visible()
    await expect(titles(eva)).to_have_text(["Größe & <b>Farbe</b>"])
    await expect(eva.page).to_have_title("Größe & <b>Farbe</b> – askback")
    await expect(eva.page.get_by_role("button", name="Rename")).to_be_focused()
    await eva.page.get_by_role("button", name="Archive", exact=True).click()
    await expect(rows(eva)).to_have_count(0)
    await expect(eva.page.get_by_text("This conversation is archived.").first).to_be_visible()
    await eva.page.get_by_role("button", name="Undo").click()
    await expect(rows(eva)).to_have_count(1)
    request = await ask(team.agent, thread, "Which colour?")
    await expect(rows(eva).locator(".waits")).to_be_visible()
    await eva.page.get_by_role("button", name="Archive", exact=True).click()
    await expect(eva.page.get_by_text("Its open request is cancelled, and stays cancelled")).to_be_visible()
    await eva.page.locator("askback-modal").get_by_role("button", name="Archive").click()
    await expect(rows(eva)).to_have_count(0)
    assert (await team.ada.get(request))["status"] == "cancelled"
    await eva.page.get_by_role("button", name="Archived").click()
    await expect(titles(eva)).to_have_text(["Größe & <b>Farbe</b>"])
    await eva.page.get_by_role("button", name="Unarchive").click()
    await expect(eva.page.get_by_text("The archive is empty.")).to_be_visible()
    await expect(eva.composer).to_be_visible()


async def test_a_view_only_person_gets_no_editing_controls(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await say(team.agent, thread, text("Hello"))
    access = {"owner": team.bob.id, "others": "view"}
    await team.agent.http.put(f"/v1/threads/{thread}/access", json=access)
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(message_texts(eva)).to_have_text("Hello")
    await expect(eva.page.get_by_role("button", name="Archived")).to_be_visible()
    for name in ("Rename", "Archive"):
        await expect(eva.page.get_by_role("button", name=name, exact=True)).to_have_count(0)


@requirement("J3")
async def test_everything_is_reached_with_the_keyboard(screen: OpenScreen, team: Team, thread: str) -> None:
    for name in "abc":
        await say(team.agent, f"{thread}-{name}", text(f"Hello {name}"))
        await call(team.agent, f"{thread}-{name}", f"Thread {name}")
    eva = await screen("/conversations", team=team)
    await expect(titles(eva)).to_have_text(["Thread c", "Thread b", "Thread a"])
    keys = eva.page.keyboard
    for key in ("j", "j", "k", "ArrowDown"):
        await keys.press(key)
    await expect(eva.page.get_by_role("link", name="Thread b")).to_be_focused()
    await keys.press("Enter")
    await expect(message_texts(eva)).to_have_text("Hello b")
    await eva.composer.focus()
    await keys.type("jk/ is text")
    await keys.press("Enter")
    await expect(message_texts(eva)).to_have_text(["Hello b", "jk/ is text"])
    await eva.page.get_by_role("heading", name="Conversations").focus()
    await keys.press("/")
    await expect(eva.page.get_by_role("searchbox")).to_be_focused()


async def test_a_list_that_cannot_be_loaded_says_so_and_tries_again(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    await say(team.agent, thread, text("Hello"))
    await call(team.agent, thread, "Trip")

    async def break_it(page: Page) -> None:
        await page.route("**/v1/conversations?**", lambda route: route.fulfill(status=503, body="{}"))

    eva = await screen("/conversations", team=team, before=break_it)
    eva.expect_errors("503")
    retry_button = eva.page.get_by_role("button", name="Try again")
    await expect(retry_button).to_be_visible()
    await eva.page.unroute("**/v1/conversations?**")
    await retry_button.click()
    await expect(titles(eva)).to_have_text(["Trip"])


@requirement("J4", "J11")
async def test_no_violation_in_any_look_and_nothing_hangs_over_at_320_pixels(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    parts = [text(MARKDOWN), tool("read", "c1", status="done"), tool("edit", "c2", status="failed")]
    await say(team.agent, thread, *parts, agent={"name": "planner"})
    await say(team.bob, thread, text("Please go on."))
    await call(team.agent, thread, "A title that is long enough to need more room than there is")
    await ask(team.agent, thread, "Which tides?")
    eva = await screen(f"/conversations/{thread}", team=team)
    await expect(eva.card.get_by_role("textbox")).to_be_visible()
    await expect(message_texts(eva).locator("td").first).to_be_attached()
    await eva.page.locator("askback-thread .tools > summary").click()
    assert await eva.violations("light", "dark") == []
    await eva.page.set_viewport_size(NARROW)
    await expect(rows(eva).first).not_to_be_visible()
    assert await eva.width() == 320
    assert await eva.violations() == []
    await eva.page.locator(".back").click()
    await expect(rows(eva).first).to_be_visible()
    assert await eva.width() == 320
    assert await eva.violations() == []
