"""The place "Settings" of the application: this browser, the policy, limits, webhooks and health."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.journeys.browser import OpenScreen, form
from tests.journeys.people import Team, request_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]

AS_ADMIN: dict[str, Any] = {"who": {"role": "admin"}}

STUB_NOTIFICATIONS = """
window.shown = [];
window.Notification = class {
  static permission = "default";
  static requestPermission() { Notification.permission = "granted"; return Promise.resolve("granted"); }
  constructor(title, options) {
    window.shown.push([title, options.body, options.tag, options.renotify]);
    document.documentElement.dataset.shown = JSON.stringify(window.shown);
  }
  close() {}
};
document.hasFocus = () => window.here ?? true;
"""


async def record_notifications(page: Page) -> None:
    """Replace the browser's notification with one that is only recorded."""
    await page.add_init_script(STUB_NOTIFICATIONS)


@requirement("J12")
async def test_the_language_changes_in_every_tab_and_is_kept(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen("/settings?lang=en", team=team)
    page = eva.page
    other = await eva.context.new_page()
    await other.goto(eva.origin)
    await expect(other.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    light = await eva.context.new_page()
    await light.goto(f"{eva.origin}/t/{thread}")
    await expect(light.get_by_text("Connected")).to_be_visible()
    await page.get_by_label("Deutsch").check()
    await expect(other.get_by_role("heading", name="Eingang", exact=True)).to_be_visible()
    await expect(light.get_by_role("button", name="Abmelden")).to_be_visible()
    await expect(light.get_by_text("Verbunden")).to_be_visible()
    await expect(page.get_by_role("heading", name="Einstellungen", level=1)).to_be_visible()
    await expect(page.get_by_role("link", name="Eingang")).to_be_visible()
    assert "lang" not in page.url
    await eva.go("/login")
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await eva.go("/settings")
    await page.get_by_label("Wie der Browser").check()
    await expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    await expect(light.get_by_role("button", name="Sign out")).to_be_visible()


@requirement("J11")
async def test_a_dark_page_stays_dark_on_every_page(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/settings", team=team, color_scheme="light")
    page = eva.page

    async def scheme(page_path: str) -> str:
        return await page.locator(page_path).evaluate("(element) => getComputedStyle(element).colorScheme")

    assert await scheme("askback-app") == "light dark"
    await page.get_by_label("Dark", exact=True).check()
    assert [await scheme("askback-app"), await scheme("html")] == ["dark", "dark"]
    await eva.go("/login")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert await scheme("html") == "dark"
    await eva.go("/settings")
    await expect(page.get_by_label("Dark", exact=True)).to_be_checked()
    await page.get_by_label("Same as system").check()
    assert await scheme("askback-app") == "light dark"


@requirement("J3")
async def test_single_letter_keys_are_turned_off(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/settings", team=team)
    page = eva.page
    box = page.get_by_label("Use single-letter keys")
    await expect(box).to_be_checked()
    await box.uncheck()
    await page.get_by_role("link", name="Inbox").click()
    await expect(page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
    await page.keyboard.press("?")
    await expect(page.locator("html")).to_have_attribute("data-keys", "off")
    await expect(page.get_by_role("dialog")).to_have_count(0)


@requirement("I10")
async def test_a_notification_names_the_agent_and_never_the_question(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    eva = await screen("/settings", team=team, before=record_notifications)
    page = eva.page
    await page.get_by_label("Notify me in this browser").check()
    await expect(page.get_by_label("Notify me in this browser")).to_be_checked()
    locator = page.locator("html")
    await expect(locator).to_have_attribute("data-shown", re.compile("Notifications are on"))
    request_of(await team.agent.bash(thread, "make"))
    # Requests that the page finds when it loads the inbox are not new.
    await expect(page.locator("askback-app .rail .n")).to_have_text("1")
    await page.evaluate("() => { window.here = false; }")
    request_of(await team.agent.bash(thread, "deploy --key canary-4711"))
    request_of(await team.agent.ask(thread, form({"type": "text"}, title="canary-4712")))
    await expect(locator).to_have_attribute("data-shown", re.compile("wait"))
    notifications = await page.evaluate("window.shown")
    assert notifications[0][:2] == ["Notifications are on", "Open askback to see what it is."]
    assert "wait" in notifications[1][0]
    assert "canary" not in str(notifications)


@requirement("J13")
async def test_simultaneous_requests_make_one_notification_that_is_updated_silently(
    screen: OpenScreen, team: Team, thread: str
) -> None:
    async def prepare(page: Page) -> None:
        await page.clock.install()
        await record_notifications(page)

    eva = await screen("/settings", team=team, before=prepare)
    page = eva.page
    await page.get_by_label("Notify me in this browser").check()
    locator = page.locator("html")
    await expect(locator).to_have_attribute("data-shown", re.compile("Notifications are on"))
    await page.evaluate("() => { window.here = false; }")
    waiting = page.locator("askback-app .rail .n")
    for index in range(1, 19):
        request_of(await team.agent.bash(thread, f"make {index}"))
        await expect(waiting).to_have_text(str(index))
        await page.clock.run_for(1_000)
    await page.clock.run_for(5_000)
    notifications = await page.evaluate("window.shown.slice(1)")
    assert {tag for _, _, tag, _ in notifications} == {"askback"}, "one of them is shown at a time"
    assert [sound for *_, sound in notifications] == [True] + [False] * (len(notifications) - 1)
    assert notifications[-1][0] == "18 requests are waiting for you"


@requirement("J13")
async def test_an_immediate_answer_makes_no_notification(screen: OpenScreen, team: Team, thread: str) -> None:
    async def prepare(page: Page) -> None:
        await page.clock.install()
        await record_notifications(page)

    eva = await screen("/settings", team=team, before=prepare)
    page = eva.page
    await page.get_by_label("Notify me in this browser").check()
    await expect(page.locator("html")).to_have_attribute("data-shown", re.compile("Notifications are on"))
    await page.evaluate("() => { window.here = false; }")
    waiting = page.locator("askback-app .rail .n")
    request = request_of(await team.agent.bash(thread, "make a"))
    await expect(waiting).to_have_text("1")
    await team.bob.decide(request["id"], "approve")
    await expect(waiting).to_have_count(0)
    await page.clock.run_for(30_000)
    assert len(await page.evaluate("window.shown")) == 1


async def test_the_policy_page_explains_its_values_in_the_table_of_nebo(
    screen: OpenScreen, team: Team
) -> None:
    boss = await screen("/settings/policy", team=team, **AS_ADMIN)
    denied = boss.page.get_by_text("Calls that no rule allows are denied without asking anybody.")
    await expect(denied).to_be_visible()
    await team.admin.http.post("/v1/policy", json={"table": "nebo"})
    await boss.page.reload()
    await expect(
        boss.page.get_by_text("runs without asking: this server decides as Nebo does.")
    ).to_be_visible()
    await expect(denied).to_have_count(0)


async def test_an_admin_changes_the_policy_and_everything_needs_typed_words(
    screen: OpenScreen, team: Team
) -> None:
    boss = await screen("/settings/policy", team=team, **AS_ADMIN)
    page = boss.page
    mode = page.get_by_role("group", name="Mode")
    await mode.get_by_label("Plan").check()
    await expect(page.get_by_text("Saved")).to_be_visible()
    assert (await team.admin.http.get("/v1/policy")).json()["mode"] == "plan"
    await mode.get_by_label("Everything").check()
    send = page.get_by_role("button", name="Let everything run")
    await expect(send).to_be_disabled()
    await page.get_by_label("Type ENABLE FULL to confirm").press("Enter")
    assert (await team.admin.http.get("/v1/policy")).json()["mode"] == "plan"
    await page.keyboard.press("Escape")
    await expect(mode.get_by_label("Plan")).to_be_checked()
    await mode.get_by_label("Everything").check()
    await page.get_by_label("Type ENABLE FULL to confirm").fill("ENABLE FULL")
    await send.click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(mode.get_by_label("Everything")).to_be_checked()
    assert (await team.admin.http.get("/v1/policy")).json()["mode"] == "full"


async def test_a_person_who_is_no_admin_reads_the_settings_and_changes_none(
    screen: OpenScreen, team: Team
) -> None:
    eva = await screen("/settings/policy", team=team)
    page = eva.page
    await expect(page.get_by_text("Only an admin can change this.")).to_be_visible()
    await expect(page.get_by_text("The two settings below decide.")).to_be_visible()
    await expect(page.get_by_role("radio")).to_have_count(0)
    await expect(page.get_by_role("button", name="Webhooks")).to_have_count(0)
    await page.get_by_role("button", name="Limits").click()
    await expect(page.get_by_text("Open requests of an agent")).to_be_visible()
    await expect(page.get_by_role("spinbutton")).to_have_count(0)
    await page.get_by_role("button", name="Health").click()
    await expect(page.get_by_text("Working", exact=True)).to_be_visible()
    await expect(page.get_by_text("Release")).to_have_count(0)


@requirement("L7")
async def test_an_admin_sets_a_limit_and_takes_it_back(screen: OpenScreen, team: Team) -> None:
    boss = await screen("/settings/limits", team=team, **AS_ADMIN)
    page = boss.page
    row = page.get_by_role("row").filter(has_text="max_questions")
    await row.get_by_role("spinbutton").fill("7")
    await page.get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("The policy")
    assert (await team.admin.http.get("/v1/limits")).json()["max_questions"] == 7
    await row.get_by_role("button", name="Back to the default").click()
    await expect(row).not_to_contain_text("The policy")
    await expect(row.get_by_role("spinbutton")).to_have_value("10000")
    await expect(page.get_by_role("row").filter(has_text="approval_timeout_s")).to_contain_text("5 minutes")


@requirement("G10")
async def test_a_webhook_is_added_tried_turned_off_and_removed(screen: OpenScreen, team: Team) -> None:
    boss = await screen("/settings/webhooks", team=team, **AS_ADMIN)
    page = boss.page
    await expect(page.get_by_role("heading", name="No webhooks yet")).to_be_visible()
    await page.get_by_role("button", name="Add a webhook").click()
    await page.get_by_label("URL").fill("https://hooks.invalid/in")
    await page.get_by_role("button", name="Add webhook", exact=True).click()
    secret = await page.locator("askback-modal .sample code").inner_text()
    assert secret.startswith("whsec_")
    await page.keyboard.press("Escape")
    await expect(page.get_by_text(secret)).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="https://hooks.invalid/in")
    await expect(row).to_contain_text("Nothing sent yet")
    await row.get_by_role("button", name="Test").click()
    await expect(row).to_contain_text("Failed")
    await expect(row).to_contain_text("Error:")
    await row.get_by_role("button", name="Disable").click()
    await expect(row.get_by_role("button", name="Enable")).to_be_visible()
    await row.get_by_role("button", name="Remove").click()
    await page.locator("askback-modal").get_by_role("button", name="Remove", exact=True).click()
    await expect(page.get_by_role("heading", name="No webhooks yet")).to_be_visible()
    assert (await team.admin.http.get("/v1/webhooks")).json()["webhooks"] == []


@requirement("K4")
async def test_health_shows_the_checks_and_the_server(screen: OpenScreen, team: Team, thread: str) -> None:
    request = request_of(await team.agent.need(thread, "A_KEY", probe=True))
    sent_reply = await team.ada.hand_over(request["id"], {"A_KEY": "value"}, scope="global")
    assert sent_reply.json()["status"] == "resolving", sent_reply.text
    boss = await screen("/settings/health", team=team, **AS_ADMIN)
    page = boss.page
    await expect(page.get_by_role("row").filter(has_text=thread)).to_contain_text("agent")
    await expect(page.get_by_text(re.compile("askback [0-9]"))).to_be_visible()
    await expect(page.get_by_text(re.compile("SQLite|PostgreSQL"))).to_be_visible()
    await expect(page.get_by_text("Not in this browser.")).to_be_visible()
    await page.get_by_role("link", name="Verify the audit log").click()
    await page.get_by_role("button", name="Verify").click()
    await expect(page.get_by_text(re.compile("Entries 1 to"))).to_be_visible()
    await boss.go("/settings/health")
    await expect(page.get_by_text(re.compile("Up to entry"))).to_be_visible()


@requirement("K4")
async def test_health_says_why_the_database_refuses_changes(screen: OpenScreen, team: Team) -> None:
    async def refuse(route: Route) -> None:
        body = {"error": {"code": "unavailable", "message": "The disk is full."}}
        await route.fulfill(status=503, json=body)

    boss = await screen("/settings", team=team, **AS_ADMIN)
    boss.expect_errors("503")
    await boss.page.route(re.compile(r"/readyz$|/v1/requests\?status=resolving"), refuse)
    await boss.page.get_by_role("button", name="Health").click()
    await expect(boss.page.get_by_text("Can't write to the database")).to_be_visible()
    await expect(boss.page.get_by_text("The disk is full.")).to_be_visible()
    await boss.page.unroute_all()
    await boss.page.get_by_role("button", name="Reload").click()
    await expect(boss.page.get_by_text("Working", exact=True)).to_be_visible()
    await expect(boss.page.get_by_text("No answer is being checked.")).to_be_visible()


async def test_on_a_phone_both_places_are_below_more(screen: OpenScreen, team: Team) -> None:
    eva = await screen("/", team=team, viewport={"width": 390, "height": 800})
    page = eva.page
    for name in ("Secrets", "Settings"):
        await page.get_by_role("button", name="More").click()
        await page.get_by_role("link", name=name).click()
        await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
