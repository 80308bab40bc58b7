"""The application: its rail, its addresses, and the state of its connection."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize, expect

from tests.journeys.browser import OpenScreen, Wire
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

PHONE: ViewportSize = {"width": 390, "height": 780}


@requirement("J9", "I8")
async def test_the_inbox_counts_open_requests_and_explains_an_empty_list(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for name, command in (("a", "make one"), ("b", "rm -rf build"), ("c", "make three")):
        await team.agent.bash(f"{thread}-{name}", command)
    eva = await screen("/", team=team)
    await expect(eva.page).to_have_title("(3) Inbox – askback")
    await expect(eva.page.get_by_role("navigation", name="Main")).to_contain_text("3")
    rows = eva.page.locator("askback-place-inbox li:has(.row)")
    await expect(rows.locator(".t")).to_have_text(["Run: make one", "Run: rm -rf build", "Run: make three"])
    await expect(rows.nth(1)).to_contain_text("Dangerous")


async def test_on_a_phone_the_list_opens_the_request_and_back_returns(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.bash(thread, "make one"))
    eva = await screen("/", team=team, viewport=PHONE)
    row = eva.page.get_by_role("link", name="Run: make one")
    await row.click()
    await expect(eva.page).to_have_url(f"{eva.origin}/inbox/{request['id']}")
    await expect(eva.button("Allow once")).to_be_visible()
    await expect(row).to_be_hidden()
    await eva.page.get_by_label("Request").get_by_role("link", name="Inbox").click()
    await expect(row).to_be_visible()
    await eva.page.go_back()
    await expect(eva.button("Allow once")).to_be_visible()
    await eva.page.get_by_role("button", name="More", exact=True).click()
    await expect(eva.page.get_by_role("button", name="Sign out")).to_be_visible()
    await expect(eva.page.get_by_label("Main").get_by_role("link", name="Inbox")).to_be_focused()
    await eva.page.keyboard.press("Escape")
    await expect(eva.page.get_by_role("button", name="Sign out")).to_be_hidden()
    await expect(eva.page.get_by_role("button", name="More", exact=True)).to_be_focused()
    await eva.page.set_viewport_size({"width": 320, "height": 640})
    assert await eva.width() == 320


async def test_back_forward_and_reload_show_the_page_of_the_address(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    for command in ("make one", "make two"):
        await team.agent.bash(thread, command)
    eva = await screen("/?lang=de", team=team)
    for command in ("make one", "make two"):
        await eva.page.get_by_role("link", name=f"Ausführen: {command}").click()
        await expect(eva.card).to_contain_text(command)
    await eva.page.go_back()
    await expect(eva.card).to_contain_text("make one")
    await eva.page.reload()
    await expect(eva.card).to_contain_text("make one")
    await expect(eva.button("Ablehnen")).to_be_visible()
    await eva.page.go_forward()
    await expect(eva.card).to_contain_text("make two")
    await eva.page.get_by_role("link", name="askback").click()
    await expect(eva.card).to_have_count(0)


async def test_an_unknown_address_shows_not_found_and_a_link_to_the_inbox(screen: OpenScreen) -> None:
    eva = await screen("/inbox/a/b")
    eva.expect_errors("404")
    await eva.page.get_by_role("link", name="Go to the inbox").click()
    await expect(eva.page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    await eva.go("/inbox/req_00000000000000000000000000")
    await expect(eva.page.get_by_text("Not found, or you don't have access.")).to_be_visible()


async def test_a_lost_connection_is_shown_and_missed_requests_appear_after_it(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    wire = Wire()
    eva = await screen("/", team=team, before=wire.watch)
    await expect(eva.link).to_have_text("Connected")
    await expect(eva.page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    await expect(eva.page.get_by_text("from askback import Client")).to_be_visible()
    await eva.context.route("**/v1/session", lambda route: route.abort())
    eva.expect_errors("ERR_FAILED")
    await wire.cut()
    await expect(eva.page.locator(".banner")).to_have_text("Connection lost. Trying again…")
    await team.agent.bash(thread, "make one")
    await eva.context.unroute_all(behavior="ignoreErrors")
    await expect(eva.page.get_by_role("link", name="Run: make one")).to_be_visible()
    await expect(eva.page.locator(".banner")).to_be_empty()


@requirement("J4", "I6")
async def test_axe_finds_nothing_in_the_application(screen: OpenScreen, team: Team, thread: str) -> None:
    empty_screen = await screen("/", team=team)
    await expect(empty_screen.page.locator("askback-copy")).to_be_visible()
    violations = {"empty": await empty_screen.violations("light", "dark")}
    await team.agent.bash(thread, "rm -rf build")
    await team.agent.need(thread, "A_KEY")
    rows = empty_screen.page.locator("askback-place-inbox li:has(.row)")
    await expect(rows).to_have_count(2)
    violations["list"] = await empty_screen.violations("light", "dark")
    await rows.first.get_by_role("link").click()
    await expect(empty_screen.card.locator("#deny")).to_be_visible()
    violations["request"] = await empty_screen.violations("light", "dark")
    await empty_screen.page.set_viewport_size(PHONE)
    violations["phone"] = await empty_screen.violations()
    assert violations == {"empty": [], "list": [], "request": [], "phone": []}


KEYS = {
    "/": ("Select, to decide several at once", None),
    "/conversations": ("Next in the list", "Select, to decide several at once"),
    "/history": ("Next in the list", "Allow once"),
    "/rules": ("Search", "Next in the list"),
    "/secrets": ("Undo", "Search"),
}


async def test_g_and_a_letter_open_a_place(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/", team=team)
    for key, heading in {"h": "History", "c": "Conversations", "i": "Inbox"}.items():
        await eva.page.keyboard.press("g")
        await eva.page.keyboard.press(key)
        await expect(eva.page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    await eva.page.keyboard.press("g")
    await eva.page.keyboard.press("/")
    await eva.page.keyboard.type("h")
    await expect(eva.page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()


async def test_a_question_mark_lists_the_keys_of_the_place(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/", team=team)
    for page_path, (listed, not_listed) in KEYS.items():
        await eva.visit(page_path)
        await expect(eva.page.get_by_role("heading", level=1)).to_be_visible()
        await eva.page.keyboard.press("?")
        await expect(eva.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        sheet = eva.page.locator("askback-modal")
        await expect(sheet.get_by_text(listed, exact=True)).to_be_visible()
        await expect(sheet.get_by_text("Show these shortcuts")).to_be_visible()
        if not_listed:
            await expect(sheet.get_by_text(not_listed, exact=True)).to_have_count(0)
        assert await eva.violations() == [], page_path
        await eva.page.keyboard.press("Escape")
        await expect(sheet).to_have_count(0)
